package page

import (
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// result is a receipt for the model: one line first, the whole as structured content.
func result(r *sdk.Receipt, err error) (sdk.Result, error) {
	if err != nil {
		return sdk.Result{}, err
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(line(r))}, Data: encoded(r), IsError: r.Verdict == sdk.NotDone}, nil
}

func line(r *sdk.Receipt) string {
	var b strings.Builder
	b.WriteString(sinceThen(r.Since))
	fmt.Fprintf(&b, "%s: %s", r.Verdict, r.Action)
	if t := r.Target; t != nil {
		fmt.Fprintf(&b, " %s %q [%s]", t.Role, t.Name, t.Ref)
	}
	if r.After != "" || r.Before != "" {
		fmt.Fprintf(&b, ", %q -> %q", r.Before, r.After)
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "\nwhy: %s", r.Reason)
	}
	if h := r.Hit; h != nil && h.Covered {
		fmt.Fprintf(&b, "\ncovered by: %s %q [%s]", h.Role, h.Name, h.Ref)
	}
	for _, e := range r.Effects {
		fmt.Fprintf(&b, "\n- %s", e)
	}
	for _, e := range r.Aside {
		fmt.Fprintf(&b, "\n(the page by itself: %s)", e)
	}
	for _, e := range r.Expected {
		mark := "failed"
		if e.Passed {
			mark = "passed"
		}
		fmt.Fprintf(&b, "\nexpect %s: %s, actual %s", mark, e.Expected, e.Actual)
	}
	for _, q := range r.Requests {
		fmt.Fprintf(&b, "\nrequest %s", q)
	}
	if r.URL != "" {
		fmt.Fprintf(&b, "\nnow at %s", r.URL)
	}
	if len(r.Shown) > 0 {
		b.WriteString("\nnew on the page:")
	}
	for _, l := range r.Shown {
		b.WriteString("\n  " + l)
	}
	return b.String()
}

// sinceThen leads a result with what came after the receipt before; "" if nothing did.
func sinceThen(since []string) string {
	if len(since) == 0 {
		return ""
	}
	return "since then: " + strings.Join(since, "\nsince then: ") + "\n"
}

// late asks what has come since the last receipt. Not knowing is no reason to keep a looking tool from looking.
func late(h *sdk.Host) string {
	var r struct {
		Since []string `json:"since"`
	}
	if err := read(h, "late", struct{}{}, &r); err != nil {
		return ""
	}
	return sinceThen(r.Since)
}

// told makes a looking tool lead with what came late.
func told[In any](run func(*sdk.Host, In) (string, error)) func(*sdk.Host, In) (string, error) {
	return func(h *sdk.Host, in In) (string, error) {
		since := late(h)
		s, err := run(h, in)
		return since + s, err
	}
}

// toldFirst is told for a tool whose result is more than a text.
func toldFirst[In any](run func(*sdk.Host, In) (sdk.Result, error)) func(*sdk.Host, In) (sdk.Result, error) {
	return func(h *sdk.Host, in In) (sdk.Result, error) {
		since := late(h)
		r, err := run(h, in)
		if since != "" {
			r.Content = append([]sdk.Content{sdk.Text(strings.TrimSpace(since))}, r.Content...)
		}
		return r, err
	}
}
