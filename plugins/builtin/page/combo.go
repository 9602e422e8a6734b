package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// maxScrolls bounds how often a list is scrolled on for an option.
const maxScrolls = 60

// isCombo reports whether a field is a list to choose from that the page made itself.
func isCombo(f facts) bool {
	return f.Tag != "select" && f.Role == "combobox" && f.Popup != "dialog" && !(f.Editable && f.Submits) // a search field takes any text, a date field a date
}

// chooseFrom does what a person does with a custom list: open it, type into it where it takes text, scroll to
// the option, click it, and look at what the field says then.
func chooseFrom(h *sdk.Host, f facts, text string, expect []json.RawMessage) (*sdk.Receipt, error) {
	a, err := begin(h, "choose", f, expect)
	if err != nil {
		return nil, err
	}
	if why := notClickable(f); why != "" {
		return a.notDone(why), nil
	}
	before := shownAround(h, f.Ref)
	if r, err := a.open(f, text); r != nil || err != nil {
		return r, err
	}
	option, seen, err := a.option(text)
	if path := levels(text); err == nil && option.Ref == "" && len(path) > 1 {
		return a.cascade(path, before)
	}
	switch {
	case err != nil:
		return nil, err
	case option.Ref == "":
		a.close()
		if f.Editable && a.freeText(text) {
			return a.readBack(a.after(), text, false)
		}
		return a.notDone(fmt.Sprintf("its list has no option %q; it has %s", cut(text, shownMax), list(seen))), nil
	case option.is("disabled"):
		a.close()
		return a.notDone(fmt.Sprintf("its option %q is disabled", cut(text, shownMax))), nil
	}
	if option.is("selected") { // a second click would take it back
		a.close()
		a.receipt.Verdict, a.receipt.Effects = sdk.Done, append(a.receipt.Effects, "it was chosen already")
		return &a.receipt, nil
	}
	since := a.receipt.Since
	if a, err = begin(h, "choose", f, expect); err != nil { // what opening the list changed is no choice yet
		return nil, err
	}
	a.receipt.Since = append(since, a.receipt.Since...)
	var widget struct {
		Holds bool `json:"holds"` // its list too, which may show the text
	}
	if err := read(h, "around", map[string]string{"ref": f.Ref, "other": option.Ref}, &widget); err != nil {
		return nil, err
	}
	if r, err := a.input(map[string]any{"kind": "click", "ref": option.Ref}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	rc := a.chosen(s, option, text, before, widget.Holds)
	if now, err := element(h, f.Ref); err == nil && now.is("expanded") {
		a.close() // a list for many choices stays open, over what is below
	}
	return rc, nil
}

// occurs counts a text in another one, case ignored.
func occurs(in, text string) int { return strings.Count(strings.ToLower(in), strings.ToLower(text)) }

// levels splits a path such as "Guangdong / Shenzhen".
func levels(text string) []string {
	var out []string
	for _, p := range strings.FieldsFunc(text, func(r rune) bool { return r == '/' || r == '>' }) {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// cascade clicks one option a level; what the field shows in the end is the proof.
func (a *action) cascade(path []string, before string) (*sdk.Receipt, error) {
	var s settled
	for i, level := range path {
		option, seen, err := a.option(level)
		if err != nil {
			return nil, err
		}
		if option.Ref == "" {
			a.close()
			return a.notDone(fmt.Sprintf("level %d has no option %q; it has %s", i+1, cut(level, shownMax), list(seen))), nil
		}
		if r, err := a.input(map[string]any{"kind": "click", "ref": option.Ref}); r != nil || err != nil {
			return r, err
		}
		var r *sdk.Receipt
		if r, s, err = a.watch(); r != nil || err != nil {
			return r, err
		}
	}
	now := a.after()
	if last := path[len(path)-1]; gained(before, shownAround(a.h, a.on.Ref), last) || matches(now.Value, last, "contains") {
		a.receipt.Verdict = sdk.Done
		return &a.receipt, nil
	}
	return a.conclude(s, "the options were clicked, but the field does not show them"), nil
}

// shownAround is what the widget around a field says, "" where that cannot be read.
func shownAround(h *sdk.Host, ref string) string {
	var r struct {
		Text string `json:"text"`
	}
	if read(h, "around", map[string]string{"ref": ref}, &r) != nil {
		return ""
	}
	return r.Text
}

// gained reports whether a text is shown more often than before.
func gained(before, now, text string) bool {
	n, b := occurs(now, text), occurs(before, text)
	return n > b
}

// open shows the list, and narrows it where the field takes text.
func (a *action) open(f facts, text string) (*sdk.Receipt, error) {
	if !f.is("expanded") {
		if r, err := a.input(map[string]any{"kind": "click", "ref": f.Ref}); r != nil || err != nil {
			return r, err
		}
	}
	if f.Editable {
		if r, err := a.deliver(f, text, true); r != nil || err != nil {
			return r, err
		}
	}
	_, err := quiet(a.h, 120, 2500)
	return nil, err
}

// option looks for the option of exactly this text, scrolling its list on where it is not there yet.
func (a *action) option(text string) (found facts, seen []string, err error) {
	last := ""
	for range maxScrolls {
		var res struct {
			Candidates []candidate `json:"candidates"`
		}
		if err := read(a.h, "find", map[string]any{"role": "option", "limit": 50}, &res); err != nil {
			return found, seen, err
		}
		names := ""
		for _, c := range res.Candidates {
			if matches(c.Name, text, "exact") {
				found, err = element(a.h, c.Ref)
				return found, seen, err
			}
			names += "\n" + c.Name
			if len(seen) < 20 {
				seen = append(seen, cut(c.Name, 40))
			}
		}
		if len(res.Candidates) == 0 || names == last {
			found, err = a.unmarked(text)
			return found, seen, err
		}
		last = names
		args := map[string]any{"direction": "down", "ref": res.Candidates[0].Ref, "amount": 0.9}
		if err := act(a.h, "scroll", args, nil); err != nil {
			return found, seen, nil // the list has drawn itself again: what was seen stands
		}
		if _, err := quiet(a.h, 50, 500); err != nil {
			return found, seen, err
		}
	}
	return found, seen, nil
}

// unmarked looks for an option that does not say that it is one: the only thing of exactly this text that can be
// clicked, other than the field itself.
func (a *action) unmarked(text string) (found facts, err error) {
	var res struct {
		Candidates []candidate `json:"candidates"`
	}
	if err := read(a.h, "find", map[string]any{"text": text, "limit": 20}, &res); err != nil {
		return found, err
	}
	var fit []candidate
	for _, c := range res.Candidates {
		if matches(c.Name, text, "exact") && c.Ref != a.on.Ref && c.Role != "combobox" && c.Role != "textbox" && c.Role != "link" {
			if n := len(fit); n > 0 && fit[n-1].Rect == c.Rect {
				fit = fit[:n-1] // a wrapper of the same size
			}
			fit = append(fit, c)
		}
	}
	for _, c := range res.Candidates { // an arrow to the next level may be part of the name
		item := strings.HasPrefix(c.Role, "menuitem") || c.Role == "treeitem"
		if len(fit) == 0 && item && strings.HasPrefix(strings.ToLower(c.Name), strings.ToLower(text)+" ") {
			fit = []candidate{c}
		}
	}
	if len(fit) != 1 {
		return found, nil
	}
	return element(a.h, fit[0].Ref)
}

// close leaves the list as a person does who found nothing.
func (a *action) close() {
	_, _ = a.input(map[string]any{"kind": "keys", "keys": []string{"Escape"}, "ref": a.on.Ref}) // the verdict stands either way
}

// freeText reports whether the page has kept a text that is not in its list.
func (a *action) freeText(text string) bool {
	if act(a.h, "blur", map[string]any{"ref": a.on.Ref}, nil) != nil {
		return false
	}
	if _, err := quiet(a.h, 150, 1500); err != nil {
		return false
	}
	same, _, err := holds(a.h, a.on, text)
	return err == nil && same
}

// chosen judges by what the field shows afterwards, or by the option where that stays.
func (a *action) chosen(s settled, option facts, text, before string, inside bool) *sdk.Receipt {
	now := a.after()
	r := &a.receipt
	var o facts
	stays := read(a.h, "element", map[string]string{"ref": option.Ref}, &o) == nil
	switch {
	case len(r.Expected) > 0:
		return a.conclude(s, "")
	case now.Ref == "":
		r.Verdict, r.Reason = sdk.Unknown, "the field is gone, so what it holds could not be read back"
	case shows(now, text), stays && o.is("selected") && !option.is("selected"), !(inside && stays && o.Visible) && gained(before, shownAround(a.h, a.on.Ref), text):
		r.Verdict = sdk.Done
	case now.Value != "" || now.Name != a.on.Name || a.on.Value != "":
		return a.notDone(fmt.Sprintf("the option was clicked, but the field shows %q", cut(now.Value, shownMax)))
	case len(s.Effects) == 0, occurs(shownAround(a.h, a.on.Ref), text) > 0:
		r.Verdict, r.Reason = sdk.Unknown, "the option was clicked, but nothing was seen to change; look at the page"
	default:
		return a.notDone("the option was clicked, but the field does not show it")
	}
	return r
}

func shows(f facts, text string) bool {
	return matches(f.Value, text, "exact") || matches(f.Name, text, "exact") || matches(f.Value, text, "contains") && f.Value != "" && len(f.Value) > len(text)+1 && strings.ContainsAny(f.Value, ",×\n")
}

func list(names []string) string {
	if len(names) == 0 {
		return "none that can be seen"
	}
	return strings.Join(names, " · ")
}
