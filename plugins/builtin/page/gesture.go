package page

import (
	"encoding/json"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type keysIn struct {
	Key    string            `json:"key" enum:"Escape,Tab,Enter,ArrowUp,ArrowDown,ArrowLeft,ArrowRight,Home,End,PageUp,PageDown,Space,Backspace,Delete"`
	Repeat int               `json:"repeat,omitempty" min:"1" max:"3" doc:"default 1"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

func pressKeys(h *sdk.Host, in keysIn) (*sdk.Receipt, error) {
	var focus struct {
		Facts *facts `json:"facts"`
	}
	if err := read(h, "focus", struct{}{}, &focus); err != nil {
		return nil, err
	}
	var f facts
	if focus.Facts != nil {
		f = *focus.Facts
	}
	a, err := begin(h, "press "+in.Key, f, in.Expect)
	if err != nil {
		return nil, err
	}
	key := strings.Replace(in.Key, "Space", " ", 1)
	for range max(1, in.Repeat) { // each is judged by itself: the one before may have moved the focus
		if r, err := a.input(map[string]any{"kind": "keys", "keys": []string{key}}); r != nil || err != nil {
			return r, err
		}
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	a.after()
	return a.conclude(s, "the key was pressed, but nothing was seen to change"), nil
}

type hoverIn struct {
	Ref string `json:"ref_id"`
}

func hover(h *sdk.Host, in hoverIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	a, err := begin(h, "hover", f, nil)
	if err != nil {
		return nil, err
	}
	if r, err := a.input(map[string]any{"kind": "hover", "ref": f.Ref}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	r = a.conclude(s, "")
	r.Verdict = sdk.Done // the pointer is there; whether the page cares is seen in the effects
	return r, nil
}

type dragIn struct {
	From   string            `json:"fromRefId"`
	To     string            `json:"toRefId"`
	Steps  int               `json:"steps,omitempty" min:"1" max:"100" doc:"moves on the way; default 10"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

func drag(h *sdk.Host, in dragIn) (*sdk.Receipt, error) {
	f, err := element(h, in.From)
	if err != nil {
		return nil, err
	}
	if _, err := element(h, in.To); err != nil {
		return nil, err
	}
	a, err := begin(h, "drag", f, in.Expect)
	if err != nil {
		return nil, err
	}
	steps := in.Steps
	if steps == 0 {
		steps = 10
	}
	if r, err := a.input(map[string]any{"kind": "drag", "ref": f.Ref, "to": bare(in.To), "steps": steps}); r != nil || err != nil {
		return r, err
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	return a.conclude(s, "it was dragged, but nothing was seen to change"), nil
}
