package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

const (
	trusted = "trusted"
	script  = "script"
	// capMS is how long an action is watched at most, expectMS when something was expected of it.
	capMS    = 5000
	expectMS = 8000
	// pendingMS is how long a request of the action's is waited for, idleMS how long an effect of a gesture.
	pendingMS = 12000
	idleMS    = 350
	shownMax  = 60 // characters of a value in a receipt
)

// action is one gesture on its way to a receipt.
type action struct {
	h       *sdk.Host
	name    string
	on      facts // grounded target; zero for gestures without one
	expect  []json.RawMessage
	token   string // of the baseline
	clear   bool   // text replaces what is there
	receipt sdk.Receipt
}

// settled is the page script's answer to "settle".
type settled struct {
	Settled   bool           `json:"settled"`
	MS        int            `json:"ms"`
	Effects   []string       `json:"effects"`
	URL       string         `json:"url"`
	Changed   bool           `json:"changed"`
	Checked   []sdk.Expected `json:"checked"`
	Navigated bool           `json:"navigated"`
	Pending   int            `json:"pending"`
	Requests  []sdk.Request  `json:"requests"`
	Aside     []string       `json:"aside"`
	Shown     []string       `json:"shown"`
	Delivery  string         `json:"delivery"`
	Landed    string         `json:"landed"`
}

// begin takes the state before: what the target is, and a baseline of the page it is in.
func begin(h *sdk.Host, name string, on facts, expect []json.RawMessage) (*action, error) {
	a := &action{h: h, name: name, on: on, expect: expect}
	a.receipt = sdk.Receipt{Action: name, Channel: trusted}
	if on.Ref != "" {
		a.receipt.Target = on.target()
		a.receipt.Before = shownValue(on)
	}
	var b struct {
		Token string   `json:"token"`
		Since []string `json:"since"`
	}
	args := map[string]any{"conditions": orNone(expect), "watch": true}
	if on.Ref != "" {
		args["ref"] = on.Ref
	}
	err := h.Call("browser.read", map[string]any{"op": "baseline", "frame": frameOf(on.Ref), "args": args}, &b)
	a.token, a.receipt.Since = b.Token, b.Since
	return a, err
}

// shownValue is a value or state for a receipt.
func shownValue(f facts) string {
	if f.Value != "" {
		return cut(f.Value, shownMax)
	}
	for _, s := range []string{"checked", "mixed", "expanded", "collapsed", "selected", "pressed"} {
		if f.is(s) {
			return s
		}
	}
	return ""
}

// input sends a trusted gesture. Its error is a receipt already where the gesture was refused or failed.
func (a *action) input(args map[string]any) (*sdk.Receipt, error) {
	var res struct {
		Hit sdk.Hit `json:"hit"`
	}
	err := a.h.Call("browser.input", args, &res)
	if sdk.CodeOf(err) == noInput {
		return a.byScript(args)
	}
	if err == nil {
		if res.Hit.Role != "" || res.Hit.Name != "" {
			a.receipt.Hit = &res.Hit
		}
		return nil, nil
	}
	return a.failed(err)
}

// failed turns an error of the delivery into a receipt: nothing was done, or nobody knows.
func (a *action) failed(err error) (*sdk.Receipt, error) {
	switch sdk.CodeOf(err) {
	case "not_actionable":
		return a.notDone(reasonOf(err)), nil
	case "dialog_open":
		return a.dialog(err), nil
	case "timeout", "tab_crashed", "tab_gone", "unknown":
		a.receipt.Verdict, a.receipt.Reason = sdk.Unknown, reasonOf(err)
		return &a.receipt, nil
	}
	return nil, err
}

func reasonOf(err error) string {
	e, ok := err.(*sdk.Error)
	if !ok {
		return err.Error()
	}
	if e.Fix != "" {
		return e.Msg + " (" + e.Fix + ")"
	}
	return e.Msg
}

func (a *action) notDone(reason string) *sdk.Receipt {
	a.receipt.Verdict, a.receipt.Reason = sdk.NotDone, reason
	return &a.receipt
}

// dialog is the receipt of an action that opened a JavaScript dialog: that is an effect, and all else waits.
func (a *action) dialog(err error) *sdk.Receipt {
	a.receipt.Verdict = sdk.Done
	a.receipt.Dialog = reasonOf(err)
	a.receipt.Effects = append(a.receipt.Effects, "a browser dialog opened: "+cut(reasonOf(err), 200))
	return &a.receipt
}

// watch waits until the page has settled and writes down what was seen. The verdict is the caller's to
// make, unless a dialog opened or contact was lost: then the receipt is returned.
func (a *action) watch() (*sdk.Receipt, settled, error) {
	var s settled
	args := map[string]any{"since": a.token, "capMs": capMS, "pendingMs": pendingMS, "idleMs": idleMS}
	if a.name == "fill" {
		delete(args, "idleMs") // a value is read back whether or not anything else happens
	}
	if len(a.expect) > 0 {
		args["expect"], args["capMs"] = a.expect, expectMS
	}
	err := a.h.Call("browser.read", map[string]any{"op": "settle", "frame": frameOf(a.on.Ref), "args": args}, &s)
	switch code := sdk.CodeOf(err); {
	case err == nil:
	case code == "dialog_open":
		return a.dialog(err), s, nil
	case code == "stale_ref" || code == "tab_gone" || code == "timeout" || code == "tab_crashed":
		a.receipt.Verdict, a.receipt.Reason = sdk.Unknown, "contact was lost before the outcome was known: "+reasonOf(err)
		return &a.receipt, s, nil
	default:
		return nil, s, err
	}
	a.receipt.Effects, a.receipt.Aside, a.receipt.Shown = append(a.receipt.Effects, s.Effects...), s.Aside, s.Shown
	a.receipt.Expected, a.receipt.Millis, a.receipt.Requests = s.Checked, s.MS, s.Requests
	if s.URL != "" && s.URL != a.on.URL && a.on.URL != "" || s.Navigated {
		a.receipt.URL = s.URL
	}
	return nil, s, nil
}

// conclude gives the verdict of a gesture whose effect is whatever the page does: expectations decide
// where there are any, else an effect must have been seen.
func (a *action) conclude(s settled, quiet string) *sdk.Receipt {
	r := &a.receipt
	switch {
	case len(r.Expected) > 0:
		r.Verdict = sdk.Done
		for _, e := range r.Expected {
			if !e.Passed {
				r.Verdict = sdk.Unknown
				r.Reason = unmet(e)
			}
		}
	case len(r.Effects) > 0 || r.URL != "":
		r.Verdict = sdk.Done
	default:
		r.Verdict, r.Reason = sdk.Unknown, quiet
	}
	a.doubt(s)
	if s.Pending > 0 && r.Verdict != sdk.Done {
		r.Reason = strings.TrimSpace(r.Reason + fmt.Sprintf(" (%d requests were still under way)", s.Pending))
	}
	return r
}

func frameOf(ref string) string {
	if i := strings.IndexByte(ref, 'e'); i > 0 && ref[0] == 'f' {
		return ref[:i]
	}
	return "f0"
}

func orNone(c []json.RawMessage) []json.RawMessage {
	if c == nil {
		return []json.RawMessage{}
	}
	return c
}
