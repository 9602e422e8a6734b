package bidi

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// spot is the page script's answer to "point".
type spot struct {
	X, Y float64
	Rect struct{ X, Y, W, H float64 }
	Hit  struct {
		Ref, Role, Name string
	}
	Covered bool
	Facts   struct {
		States  []string
		Visible bool
	}
}

func (t *Tab) point(ctx context.Context, ref string, scroll bool) (s spot, err error) {
	args, err := json.Marshal(obj{"ref": ref, "scroll": scroll})
	if err != nil {
		return s, err
	}
	raw, err := t.script(ctx, ports.FrameOf(ref), "read", "point", args)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(raw, &s)
}

// Input implements ports.Page. Points are in the viewport of the frame that the target is in.
func (t *Tab) Input(ctx context.Context, in ports.Input) (res ports.InputResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	if err := t.problem(); err != nil {
		return res, err
	}
	where := t.id
	x, y := in.X, in.Y
	if in.Ref != "" {
		at, err := t.aim(ctx, in)
		if err != nil {
			return res, err
		}
		f, _, err := t.enter(ctx, ports.FrameOf(in.Ref))
		if err != nil {
			return res, err
		}
		where, x, y = f.id, at.X, at.Y
		res.Hit = ports.Hit{Ref: at.Hit.Ref, Role: at.Hit.Role, Name: at.Hit.Name, Covered: at.Covered}
	}
	res.X, res.Y = x, y
	switch in.Kind {
	case "click":
		return res, t.perform(ctx, where, mouse(clicks(x, y, button(in.Btn), max(in.Count, 1))))
	case "hover":
		return res, t.perform(ctx, where, mouse([]obj{move(x, y)}))
	case "drag":
		return res, t.drag(ctx, where, in, x, y)
	case "wheel":
		return res, t.perform(ctx, where, obj{"type": "wheel", "id": "wheel", "actions": []obj{{"type": "scroll", "x": int(x), "y": int(y), "deltaX": int(in.DX), "deltaY": int(in.DY)}}})
	case "keys":
		acts, err := keyActions(in.Keys)
		if err != nil {
			return res, err
		}
		if in.Ref != "" {
			if _, err := t.script(ctx, ports.FrameOf(in.Ref), "act", "focus", ports.JSON(obj{"ref": in.Ref})); err != nil {
				return res, err
			}
		}
		return res, t.perform(ctx, t.id, obj{"type": "key", "id": "keyboard", "actions": acts})
	case "text":
		return res, t.text(ctx, in)
	}
	return res, ports.NewError(ports.CodeInvalidArgs, "no gesture "+cut(in.Kind, 20), "use click, hover, drag, text, keys or wheel")
}

// aim scrolls the target into view and tests what lies there, in its own frame and in those around it.
func (t *Tab) aim(ctx context.Context, in ports.Input) (spot, error) {
	at, err := t.point(ctx, in.Ref, true)
	if err != nil {
		return at, err
	}
	if slices.Contains(at.Facts.States, "disabled") && !in.Force {
		return at, ports.NewError(ports.CodeNotActionable, "it is disabled", "something else has to be filled in or chosen first")
	}
	if at.Covered && !in.Force {
		return at, ports.NewError(ports.CodeNotActionable, fmt.Sprintf("%s %q covers it", at.Hit.Role, at.Hit.Name), "close what covers it, or scroll")
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return at, err
	}
	for name := ports.FrameOf(in.Ref); name != "f0" && !in.Force; {
		var f ports.Frame
		for _, g := range frames {
			if g.ID == name {
				f = g
			}
		}
		if f.Owner == "" {
			break
		}
		out, err := t.point(ctx, f.Owner, true)
		if err != nil {
			return at, err
		}
		if out.Covered {
			return at, ports.NewError(ports.CodeNotActionable, fmt.Sprintf("%s %q covers the frame it is in", out.Hit.Role, out.Hit.Name), "close what covers it, or scroll")
		}
		name = f.Parent
	}
	return at, nil
}

// perform runs one source's actions and lets go of what it held.
func (t *Tab) perform(ctx context.Context, where string, source obj) error {
	if err := t.front(ctx); err != nil {
		return err
	}
	err := t.call(ctx, "input.performActions", obj{"context": where, "actions": []obj{source}}, nil)
	if ports.CodeOf(err) == ports.CodeDialogOpen {
		return nil // that is what the gesture did
	}
	return err
}

func mouse(acts []obj) obj {
	return obj{"type": "pointer", "id": "mouse", "parameters": obj{"pointerType": "mouse"}, "actions": acts}
}

func move(x, y float64) obj {
	return obj{"type": "pointerMove", "x": int(x), "y": int(y), "origin": "viewport"}
}

func clicks(x, y float64, b, n int) []obj {
	acts := []obj{move(x, y)}
	for range n {
		acts = append(acts, obj{"type": "pointerDown", "button": b}, obj{"type": "pointerUp", "button": b})
	}
	return acts
}

func button(name string) int { return map[string]int{"middle": 1, "right": 2}[name] }

func (t *Tab) drag(ctx context.Context, where string, in ports.Input, x, y float64) error {
	toX, toY := in.ToX, in.ToY
	if in.To != "" {
		at, err := t.point(ctx, in.To, false)
		if err != nil {
			return err
		}
		toX, toY = at.X, at.Y
	}
	steps := max(in.Steps, 10)
	acts := []obj{move(x, y), {"type": "pointerDown", "button": 0}}
	for i := 1; i <= steps; i++ {
		k := float64(i) / float64(steps)
		m := move(x+(toX-x)*k, y+(toY-y)*k)
		m["duration"] = 10
		acts = append(acts, m)
	}
	return t.perform(ctx, where, mouse(append(acts, obj{"type": "pointerUp", "button": 0})))
}

// inserting puts text at the caret of the frame that has the focus, as one trusted input event.
const inserting = `function(s){let d=document,e=d.activeElement;while(e&&e.shadowRoot&&e.shadowRoot.activeElement)e=e.shadowRoot.activeElement;return e&&d.execCommand("insertText",false,s)?"yes":"no"}`

func (t *Tab) text(ctx context.Context, in ports.Input) error {
	if err := t.front(ctx); err != nil {
		return err
	}
	for where, n := t.id, 0; n < 20; n++ {
		var v struct {
			Result struct {
				Type  string `json:"type"`
				Value struct {
					Context string `json:"context"`
				} `json:"value"`
			} `json:"result"`
		}
		p := obj{"functionDeclaration": `function(){return document.activeElement&&document.activeElement.contentWindow||null}`, "target": target(where, sandbox), "awaitPromise": false}
		if err := t.call(ctx, "script.callFunction", p, &v); err != nil {
			return err
		}
		if v.Result.Type == "window" {
			where = v.Result.Value.Context
			continue
		}
		done, err := t.function(ctx, where, sandbox, inserting, in.Text)
		if err != nil || done == "yes" {
			return err
		}
		break
	}
	return ports.NewError(ports.CodeNotActionable, "no field has the focus", "click the field first")
}

// keyCodes are the code points of WebDriver for keys without a character (WebDriver 2, 17.4.2).
var keyCodes = map[string]string{"Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a", "Escape": "\ue00c", "Space": " ",
	"PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Insert": "\ue016", "Delete": "\ue017", "Meta": "\ue03d",
	"F1": "\ue031", "F2": "\ue032", "F3": "\ue033", "F4": "\ue034", "F5": "\ue035", "F6": "\ue036", "F7": "\ue037", "F8": "\ue038", "F9": "\ue039", "F10": "\ue03a", "F11": "\ue03b", "F12": "\ue03c"}

// keyActions presses keys and chords in order.
func keyActions(keys []string) ([]obj, error) {
	var acts []obj
	for _, k := range keys {
		parts := strings.Split(k, "+")
		if k == "+" {
			parts = []string{"+"}
		}
		var codes []string
		for _, p := range parts {
			code := keyCodes[p]
			if code == "" && len([]rune(p)) == 1 {
				code = p
			}
			if code == "" {
				return nil, ports.NewError(ports.CodeInvalidArgs, "no key "+cut(k, 40), "use DOM key names, such as Enter, a or Control+a")
			}
			codes = append(codes, code)
		}
		for _, c := range codes {
			acts = append(acts, obj{"type": "keyDown", "value": c})
		}
		for i := len(codes) - 1; i >= 0; i-- {
			acts = append(acts, obj{"type": "keyUp", "value": codes[i]})
		}
	}
	return acts, nil
}
