package bidi

import (
	"context"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Input implements ports.Page.
func (t *Tab) Input(ctx context.Context, in ports.Input) (res ports.InputResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	if err := t.problem(); err != nil {
		return res, err
	}
	a := aimed{x: in.X, y: in.Y}
	if in.Ref != "" {
		if a, err = t.aim(ctx, in.Ref, true, in.Force); err != nil {
			return ports.InputResult{Hit: a.hit}, err
		}
	}
	res = ports.InputResult{X: a.x, Y: a.y, Hit: a.hit}
	switch in.Kind {
	case "click", "hover", "drag", "wheel":
		return res, t.pointer(ctx, in, a)
	case "keys":
		return res, t.keys(ctx, in)
	case "text":
		return res, t.text(ctx, in)
	}
	return res, ports.NewError(ports.CodeInvalidArgs, "no gesture "+cut(in.Kind, 20), "use click, hover, drag, text, keys or wheel")
}

// pointer does what a mouse does at a point.
func (t *Tab) pointer(ctx context.Context, in ports.Input, a aimed) error {
	if in.Ref != "" && !in.Force {
		var err error
		if a, err = t.hold(ctx, in.Ref, a); err != nil {
			return err
		}
	}
	switch in.Kind {
	case "click":
		return t.perform(ctx, t.id, mouse(clicks(a.x, a.y, button(in.Btn), max(in.Count, 1))))
	case "hover":
		return t.perform(ctx, t.id, mouse([]obj{move(a.x, a.y)}))
	case "drag":
		return t.drag(ctx, in, a)
	}
	return t.perform(ctx, t.id, obj{"type": "wheel", "id": "wheel", "actions": []obj{{"type": "scroll", "x": int(a.x), "y": int(a.y), "deltaX": int(in.DX), "deltaY": int(in.DY)}}})
}

// keys presses keys where the focus is, or first puts it.
func (t *Tab) keys(ctx context.Context, in ports.Input) error {
	acts, err := keyActions(in.Keys)
	if err != nil {
		return err
	}
	if in.Ref != "" {
		if _, err := t.script(ctx, ports.FrameOf(in.Ref), "act", "focus", ports.JSON(obj{"ref": in.Ref})); err != nil {
			return err
		}
	}
	return t.perform(ctx, t.id, obj{"type": "key", "id": "keyboard", "actions": acts})
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

func (t *Tab) drag(ctx context.Context, in ports.Input, a aimed) error {
	toX, toY := in.ToX, in.ToY
	if in.To != "" {
		to, err := t.aim(ctx, in.To, false, true)
		if err != nil {
			return err
		}
		toX, toY = to.x, to.y
	}
	steps := max(in.Steps, 10)
	acts := []obj{move(a.x, a.y), {"type": "pointerDown", "button": 0}}
	for i := 1; i <= steps; i++ {
		k := float64(i) / float64(steps)
		m := move(a.x+(toX-a.x)*k, a.y+(toY-a.y)*k)
		m["duration"] = 10
		acts = append(acts, m)
	}
	return t.perform(ctx, t.id, mouse(append(acts, obj{"type": "pointerUp", "button": 0})))
}

// inserting puts text at the caret of the frame that has the focus, as one trusted input event. A command sends no
// beforeinput, by which editors and masks refuse a text or take it in themselves; so it is sent first, and obeyed.
const inserting = `function(s){let d=document,e=d.activeElement;while(e&&e.shadowRoot&&e.shadowRoot.activeElement)e=e.shadowRoot.activeElement;if(!e)return "no";
const first=new InputEvent("beforeinput",{inputType:"insertText",data:s,bubbles:true,cancelable:true,composed:true});
if(!e.dispatchEvent(first))return "yes";
return d.execCommand("insertText",false,s)?"yes":"no"}`

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
