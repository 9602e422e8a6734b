package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type refIn struct {
	Ref    string            `json:"ref_id" doc:"ref from the accessibility tree, such as e12"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"what must be true afterwards: {kind: text_present or text_absent, text}, {kind: url_matches, pattern}, {kind: element_exists or element_gone, role, name}, {kind: value_equals, ref, expected}, {kind: attribute_equals, ref, attribute, expected}, {kind: element_state, ref, state}, {kind: list_count_delta, ref, delta}; an element is named by ref, by role and name, or by selector"`
	Force  bool              `json:"force,omitempty" doc:"click what lies there, even if it is not the target"`
}

// acting are the tools that change a page.
func acting() []sdk.AnyTool {
	return []sdk.AnyTool{
		sdk.Tool[refIn, sdk.Result]{Name: "click_ax", About: "Click an element by its ref, as a person would. Returns a receipt.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in refIn) (sdk.Result, error) { return result(clickRef(h, in)) }},
		sdk.Tool[checkIn, sdk.Result]{Name: "set_checked", About: "Make a checkbox, radio button or switch be on or off; does nothing if it is.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in checkIn) (sdk.Result, error) { return result(setChecked(h, in)) }},
		sdk.Tool[typeIn, sdk.Result]{Name: "type_ax", About: "Type into a field by its ref, after what it holds unless clear.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in typeIn) (sdk.Result, error) { return result(typeRef(h, in)) }},
		sdk.Tool[fieldIn, sdk.Result]{Name: "set_field", About: "Put a value into a field, select or editor by its ref and read it back; submit presses Enter afterwards. Date fields take ISO dates, selects an option's text.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in fieldIn) (sdk.Result, error) { return result(setField(h, in)) }},
		sdk.Tool[clickIn, sdk.Result]{Name: "click", About: "Click by visible text, CSS selector or coordinates. Prefer click_ax. Text is looked for in the topmost dialog only.",
			Risk: "act", Modes: actMode, Run: click},
		sdk.Tool[typeTextIn, sdk.Result]{Name: "type_text", About: "Type into the field of a CSS selector, or into the focused field. Prefer set_field.",
			Risk: "act", Modes: actMode, Run: typeText},
		sdk.Tool[uploadIn, sdk.Result]{Name: "upload_file", About: "Put a file into a file field. Its content is given here; no file of the person's machine is read.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in uploadIn) (sdk.Result, error) { return result(upload(h, in)) }},
		sdk.Tool[keysIn, sdk.Result]{Name: "press_keys", About: "Press one key, up to three times, where the focus is.",
			Risk: "act", Modes: actMode, Run: func(h *sdk.Host, in keysIn) (sdk.Result, error) { return result(pressKeys(h, in)) }},
		sdk.Tool[hoverIn, sdk.Result]{Name: "hover", About: "Move the pointer over an element.",
			Risk: "act", Modes: actMode, Tiers: full, Run: func(h *sdk.Host, in hoverIn) (sdk.Result, error) { return result(hover(h, in)) }},
		sdk.Tool[dragIn, sdk.Result]{Name: "drag_drop", About: "Drag an element onto another.",
			Risk: "act", Modes: actMode, Tiers: full, Run: func(h *sdk.Host, in dragIn) (sdk.Result, error) { return result(drag(h, in)) }},
	}
}

// clickRef grounds the target, checks what a person would see, clicks, and watches.
func clickRef(h *sdk.Host, in refIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	return clickOn(h, f, in.Expect, in.Force)
}

func clickOn(h *sdk.Host, f facts, expect []json.RawMessage, force bool) (*sdk.Receipt, error) {
	a, err := begin(h, "click", f, expect)
	if err != nil {
		return nil, err
	}
	if why := notClickable(f); why != "" {
		return a.notDone(why), nil
	}
	if r, err := a.input(map[string]any{"kind": "click", "ref": f.Ref, "force": force}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	a.after()
	return a.conclude(s, "the click was delivered, but nothing was seen to change; look at the page"), nil
}

// notClickable says why a person could not click it, "" if they could.
func notClickable(f facts) string {
	switch {
	case f.is("disabled"):
		return "it is disabled; something else has to be filled in or chosen first"
	case !f.Visible && f.Tag != "input":
		return "it is not visible; open or hover over what shows it, then look again"
	case f.Tag == "option":
		return "options of a native select are chosen with set_field on the select itself"
	case f.Tag == "select":
		return "a native select is set with set_field, by an option's text: " + strings.Join(f.Options[:min(20, len(f.Options))], ", ")
	case f.Type == "file":
		return "a file field opens the system's file picker, which nobody can operate from here"
	}
	return ""
}

// after reads the target again, where it still is, and notes its new value or state.
func (a *action) after() facts {
	var f facts
	if a.on.Ref == "" || read(a.h, "element", map[string]string{"ref": a.on.Ref}, &f) != nil {
		return facts{} // gone is an effect of its own, and the page script has told it
	}
	a.receipt.After = shownValue(f)
	if a.receipt.After != a.receipt.Before && len(a.receipt.Effects) == 0 {
		a.receipt.Effects = append(a.receipt.Effects, fmt.Sprintf("%s is now %q", f.Ref, a.receipt.After))
	}
	return f
}

type clickIn struct {
	Text      string            `json:"text,omitempty" doc:"visible text or name of the target"`
	TextMatch string            `json:"textMatch,omitempty" enum:"exact,prefix,contains" doc:"default exact"`
	Role      string            `json:"expected_role,omitempty" doc:"the target must have this role"`
	Name      string            `json:"expected_name,omitempty" doc:"the target must have this name"`
	Selector  string            `json:"selector,omitempty" doc:"CSS selector"`
	Index     *int              `json:"index,omitempty" doc:"which of several matches, from 0"`
	X         *float64          `json:"x,omitempty" doc:"CSS px in the viewport"`
	Y         *float64          `json:"y,omitempty"`
	Space     string            `json:"coordinate_space,omitempty" enum:"css,screenshot" doc:"of x and y; pictures are in CSS px, so both are the same"`
	Force     bool              `json:"force,omitempty" doc:"take the first of several matches, and click what lies there"`
	Expect    []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

// click finds the target by what is given, and refuses to guess between several.
func click(h *sdk.Host, in clickIn) (sdk.Result, error) {
	switch {
	case in.X != nil && in.Y != nil:
		return result(clickAt(h, in))
	case in.Text == "" && in.Selector == "":
		return sdk.Result{}, &sdk.Error{Code: "invalid_args", Msg: "nothing says what to click", Fix: "give text, selector, or x and y"}
	}
	found, scope, err := lookFor(h, in)
	if err != nil {
		return sdk.Result{}, err
	}
	pick, err := choose(found, in, scope)
	if err != nil {
		return candidates(found, err)
	}
	return result(clickRef(h, refIn{Ref: pick.Ref, Expect: in.Expect, Force: in.Force}))
}

// lookFor lists what fits, best first.
func lookFor(h *sdk.Host, in clickIn) ([]candidate, string, error) {
	var res struct {
		Candidates []candidate `json:"candidates"`
		Scope      string      `json:"scope"`
	}
	if in.Selector != "" {
		err := read(h, "selector", map[string]any{"css": in.Selector, "visible": true, "limit": 50}, &res)
		return res.Candidates, "", err
	}
	args := map[string]any{"text": in.Text, "limit": 50}
	if in.Role != "" {
		args["role"] = in.Role
	}
	if err := read(h, "find", args, &res); err != nil {
		return nil, "", err
	}
	var fit []candidate
	for _, c := range res.Candidates {
		if matches(c.Name, in.Text, in.TextMatch) {
			fit = append(fit, c)
		}
	}
	return fit, res.Scope, nil
}

// matches compares names as people do: white space folded, case ignored.
func matches(name, text, how string) bool {
	n, t := strings.ToLower(strings.Join(strings.Fields(name), " ")), strings.ToLower(strings.Join(strings.Fields(text), " "))
	switch how {
	case "prefix":
		return strings.HasPrefix(n, t)
	case "contains":
		return strings.Contains(n, t)
	}
	return n == t
}

// choose picks the one that is meant.
func choose(found []candidate, in clickIn, scope string) (candidate, error) {
	where := ""
	if scope != "" {
		where = " in " + scope
	}
	if len(found) == 0 {
		return candidate{}, &sdk.Error{Code: "stale_ref", Msg: "nothing fits" + where, Fix: "look at the page, or try textMatch contains"}
	}
	pick := found[0]
	switch {
	case in.Index != nil && (*in.Index < 0 || *in.Index >= len(found)):
		return pick, &sdk.Error{Code: "invalid_args", Msg: fmt.Sprintf("index %d, but %d fit", *in.Index, len(found))}
	case in.Index != nil:
		pick = found[*in.Index]
	case len(found) > 1 && !in.Force:
		return pick, &sdk.Error{Code: "ambiguous", Msg: fmt.Sprintf("%d elements fit%s", len(found), where),
			Fix: "use click_ax with one of these refs, give index, or force: true for the first"}
	}
	if in.Name != "" && !matches(pick.Name, in.Name, "exact") || in.Role != "" && pick.Role != in.Role {
		return pick, &sdk.Error{Code: "not_actionable", Msg: fmt.Sprintf("found %s %q, expected %s %q", pick.Role, pick.Name, in.Role, in.Name)}
	}
	return pick, nil
}

// candidates is the answer to a click that could not be placed: what fits, and how to say which.
func candidates(found []candidate, err error) (sdk.Result, error) {
	if len(found) == 0 {
		return sdk.Result{}, err
	}
	found = found[:min(len(found), 10)]
	lines := []string{"not_done: " + reasonOf(err)}
	for _, c := range found {
		lines = append(lines, "- "+c.String())
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(strings.Join(lines, "\n"))}, IsError: true,
		Data: encoded(map[string]any{"code": sdk.CodeOf(err), "candidates": found, "hint": "click_ax with a ref, index, or force: true"})}, nil
}

func clickAt(h *sdk.Host, in clickIn) (*sdk.Receipt, error) {
	var at struct {
		Facts  *facts `json:"facts"`
		Target *facts `json:"target"`
	}
	if err := read(h, "at", map[string]any{"x": *in.X, "y": *in.Y}, &at); err != nil {
		return nil, err
	}
	var f facts
	if at.Facts != nil {
		f = *at.Facts
	}
	if at.Target != nil {
		f = *at.Target
	}
	if in.Name != "" && !matches(f.Name, in.Name, "exact") || in.Role != "" && f.Role != in.Role {
		return nil, &sdk.Error{Code: "not_actionable", Msg: fmt.Sprintf("at that point is %s %q, expected %s %q", f.Role, f.Name, in.Role, in.Name),
			Fix: "look again: the page may have moved"}
	}
	a, err := begin(h, "click", f, in.Expect)
	if err != nil {
		return nil, err
	}
	if r, err := a.input(map[string]any{"kind": "click", "x": *in.X, "y": *in.Y}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	a.after()
	return a.conclude(s, "the click was delivered, but nothing was seen to change; look at the page"), nil
}
