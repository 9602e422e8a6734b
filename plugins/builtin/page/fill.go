package page

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/wb-agent/wb/plugins/sdk"
)

type fieldIn struct {
	Ref    string            `json:"ref_id" doc:"ref of the field"`
	Text   string            `json:"text" doc:"the value"`
	Clear  *bool             `json:"clear,omitempty" doc:"replace what is there; default true"`
	Submit bool              `json:"submit,omitempty" doc:"press Enter afterwards"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

type typeIn struct {
	Ref    string            `json:"ref_id" doc:"ref of the field"`
	Text   string            `json:"text"`
	Clear  bool              `json:"clear,omitempty" doc:"replace what is there; default false"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

type typeTextIn struct {
	Selector string `json:"selector,omitempty" doc:"CSS selector of the field; without it the focused one"`
	Text     string `json:"text"`
	Clear    bool   `json:"clear,omitempty" doc:"replace what is there"`
}

type checkIn struct {
	Ref     string            `json:"ref_id"`
	Checked bool              `json:"checked"`
	Expect  []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

// setters are inputs whose value is set rather than typed: what a person does there is a picker's work.
var setters = []string{"date", "time", "datetime-local", "month", "week", "color", "range"}

// setField fills one field and believes only what it reads back.
func setField(h *sdk.Host, in fieldIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	expect := in.Expect
	if in.Submit {
		expect = nil // of the Enter, not of the text
	}
	put := fill
	if isCombo(f) && in.Text != "" && (in.Clear == nil || *in.Clear) {
		put = func(h *sdk.Host, f facts, text string, _ bool, expect []json.RawMessage) (*sdk.Receipt, error) {
			return chooseFrom(h, f, text, expect)
		}
	}
	if isSlider(f) {
		put = func(h *sdk.Host, f facts, text string, _ bool, expect []json.RawMessage) (*sdk.Receipt, error) {
			return slide(h, f, text, expect)
		}
	}
	r, err := put(h, f, in.Text, in.Clear == nil || *in.Clear, expect)
	if err != nil || r.Verdict == sdk.NotDone || !in.Submit {
		return r, err
	}
	return submit(h, f, r, in.Expect)
}

func typeRef(h *sdk.Host, in typeIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	return fill(h, f, in.Text, in.Clear, in.Expect)
}

func typeText(h *sdk.Host, in typeTextIn) (sdk.Result, error) {
	var f facts
	if in.Selector == "" {
		var focus struct {
			Facts *facts `json:"facts"`
		}
		if err := read(h, "focus", struct{}{}, &focus); err != nil {
			return sdk.Result{}, err
		}
		if focus.Facts == nil {
			return sdk.Result{}, &sdk.Error{Code: "not_actionable", Msg: "no field has the focus", Fix: "use set_field with a ref"}
		}
		f = *focus.Facts
		return result(fill(h, f, in.Text, in.Clear, nil))
	}
	found, scope, err := lookFor(h, clickIn{Selector: in.Selector})
	if err != nil {
		return sdk.Result{}, err
	}
	pick, err := choose(found, clickIn{}, scope)
	if err != nil {
		return candidates(found, err)
	}
	return result(typeRef(h, typeIn{Ref: pick.Ref, Text: in.Text, Clear: in.Clear}))
}

// fill types text into a field by trusted input, or sets it where people use a picker.
func fill(h *sdk.Host, f facts, text string, clear bool, expect []json.RawMessage) (*sdk.Receipt, error) {
	a, err := begin(h, "fill", f, expect)
	if err != nil {
		return nil, err
	}
	if why := notFillable(f); why != "" {
		return a.notDone(why), nil
	}
	want := text
	if !clear && f.ValueLength <= shownMax && !f.Secret {
		want = f.Value + text
	}
	r, err := a.deliver(f, text, clear)
	if r != nil || err != nil {
		return r, err
	}
	if r, _, err := a.watch(); r != nil || err != nil {
		return r, err
	}
	now := a.after()
	return a.readBack(now, want, f.Secret || !clear && f.ValueLength > shownMax)
}

func notFillable(f facts) string {
	picks := f.Tag == "select" || slices.Contains(setters, f.Type)
	switch {
	case f.is("disabled"):
		return "it is disabled; something else has to be filled in or chosen first"
	case f.is("readonly") && !picks:
		return "it is read-only; a person cannot type here. Its picker may open with a click"
	case !f.Visible:
		return "it is not visible"
	case f.Type == "file":
		return "a file field takes files, not text"
	case !f.Editable && !picks:
		return fmt.Sprintf("a %s takes no text; click it and choose from what opens", f.Role)
	}
	return ""
}

// deliver puts the text in. A field is left focused, as a person leaves it.
func (a *action) deliver(f facts, text string, clear bool) (*sdk.Receipt, error) {
	if f.Tag == "select" || slices.Contains(setters, f.Type) {
		a.receipt.Channel = script
		if err := act(a.h, "fill", map[string]any{"ref": f.Ref, "text": text, "clear": clear}, nil); err != nil {
			return a.failed(err)
		}
		return nil, nil
	}
	a.clear = clear
	op := "focus"
	if clear {
		op = "selectAll"
	}
	if err := act(a.h, op, map[string]any{"ref": f.Ref}, nil); err != nil {
		return a.failed(err)
	}
	switch {
	case text != "":
		return a.input(map[string]any{"kind": "text", "text": text, "ref": f.Ref})
	case clear && f.ValueLength+len(f.Value) > 0:
		return a.input(map[string]any{"kind": "keys", "keys": []string{"Delete"}})
	}
	return nil, nil
}

// readBack compares what the field holds after the page has settled.
func (a *action) readBack(now facts, want string, blind bool) (*sdk.Receipt, error) {
	r := &a.receipt
	if now.Ref == "" {
		r.Verdict, r.Reason = sdk.Unknown, "the field is gone, so its value could not be read back"
		return r, nil
	}
	if failed := firstFailed(r.Expected); failed != nil {
		r.Verdict, r.Reason = sdk.Unknown, unmet(*failed)
		return r, nil
	}
	if blind {
		r.Verdict = sdk.Done
		if want != "" && now.Value == "" && now.ValueLength == 0 {
			return a.notDone("the field is empty afterwards"), nil
		}
		return r, nil
	}
	same, actual, err := holds(a.h, now, want)
	switch {
	case err != nil:
		return nil, err
	case same:
		r.Verdict = sdk.Done
	case reformatted(actual, want):
		r.Verdict, r.Reason = sdk.Done, fmt.Sprintf("the page reformatted it: %q", cut(actual, shownMax))
	default:
		a.notDone(fmt.Sprintf("the page %s %q instead of %q", changed(actual, want), cut(actual, shownMax), cut(want, shownMax)))
	}
	return r, nil
}

// reformatted reports whether a page holds all letters and digits of what was typed, in order and no
// others: a mask put its own signs between them, or changed white space.
func reformatted(actual, want string) bool {
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return r
			}
			return -1
		}, s)
	}
	b := bare(want)
	return b != "" && bare(actual) == b && !signed(actual, want)
}

// signed reports whether signs that carry meaning differ: a minus, a decimal point, an at.
func signed(a, b string) bool {
	for _, sign := range "-.,@+" {
		if strings.Count(a, string(sign)) < strings.Count(b, string(sign)) {
			return true
		}
	}
	return strings.HasPrefix(a, "-") != strings.HasPrefix(b, "-")
}

func changed(actual, want string) string {
	if actual != "" && strings.HasPrefix(want, actual) {
		return "cut it: it holds"
	}
	return "holds"
}

// holds asks the live field, whose value may be longer than what facts show.
func holds(h *sdk.Host, f facts, want string) (same bool, actual string, err error) {
	var res struct {
		Checked []sdk.Expected `json:"checked"`
	}
	cond := map[string]any{"kind": "value_equals", "ref": f.Ref, "expected": want}
	err = h.Call("browser.read", map[string]any{"op": "check", "frame": frameOf(f.Ref), "args": map[string]any{"conditions": []any{cond}}}, &res)
	if err != nil || len(res.Checked) == 0 {
		return false, "", err
	}
	return res.Checked[0].Passed, res.Checked[0].Actual, nil
}

func firstFailed(es []sdk.Expected) *sdk.Expected {
	for i := range es {
		if !es[i].Passed {
			return &es[i]
		}
	}
	return nil
}

// submit presses Enter in a field that was filled, and takes the page's answer as the receipt's.
func submit(h *sdk.Host, f facts, filled *sdk.Receipt, expect []json.RawMessage) (*sdk.Receipt, error) {
	a, err := begin(h, "fill and submit", f, expect)
	if err != nil {
		return nil, err
	}
	a.receipt.Before, a.receipt.After = filled.Before, filled.After
	if r, err := a.input(map[string]any{"kind": "keys", "keys": []string{"Enter"}}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	return a.conclude(s, "the value is in, but pressing Enter was not seen to do anything; look at the page"), nil
}

// setChecked clicks where the state is not the one wanted, and reads it back.
func setChecked(h *sdk.Host, in checkIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	a, err := begin(h, "check", f, in.Expect)
	if err != nil {
		return nil, err
	}
	a.receipt.Before = onOff(f)
	switch {
	case !slices.Contains([]string{"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"}, f.Role):
		return a.notDone(fmt.Sprintf("a %s cannot be checked", f.Role)), nil
	case f.is("disabled"):
		return a.notDone("it is disabled"), nil
	case isOn(f) == in.Checked:
		a.receipt.Verdict, a.receipt.After = sdk.Done, onOff(f)
		a.receipt.Effects = []string{"it was " + onOff(f) + " already"}
		return &a.receipt, nil
	case f.Role == "radio" && !in.Checked:
		return a.notDone("a radio button is turned off by choosing another one"), nil
	}
	if r, err := a.input(map[string]any{"kind": "click", "ref": f.Ref}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	now := a.after()
	a.receipt.After = onOff(now)
	if now.Ref != "" && isOn(now) != in.Checked {
		return a.notDone("the page left it " + onOff(now)), nil
	}
	return a.conclude(s, "it was clicked, but its state could not be read back"), nil
}

func isOn(f facts) bool { return f.is("checked") || f.is("pressed") || f.is("selected") }

func onOff(f facts) string {
	switch {
	case f.Ref == "":
		return ""
	case f.is("mixed"):
		return "mixed"
	case isOn(f):
		return "checked"
	}
	return "unchecked"
}
