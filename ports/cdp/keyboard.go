package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/input"

	"github.com/wb-agent/wb/ports"
)

// maxText bounds one text input; maxKeys one list of keys.
const (
	maxText = 1 << 20
	maxKeys = 500
)

func (t *Tab) keyboard(ctx context.Context, in ports.Input) (ports.InputResult, error) {
	if len(in.Text) > maxText || len(in.Keys) > maxKeys {
		return ports.InputResult{}, ports.NewError(ports.CodeInvalidArgs, "too much to type at once", "type it in pieces")
	}
	keys, err := parseKeys(in.Keys)
	if err != nil {
		return ports.InputResult{}, err
	}
	name, res, err := t.focusFor(ctx, in.Ref)
	if err != nil {
		return res, err
	}
	f, _, _, err := t.up(name)
	if err != nil {
		return res, err
	}
	if in.Kind == "text" {
		return res, delivered(t.call(ctx, f.session, input.CommandInsertText, input.InsertTextParams{Text: in.Text}, nil))
	}
	for _, k := range keys {
		if err := t.press(ctx, f.session, k); err != nil {
			return res, delivered(afterPress(err))
		}
	}
	return res, nil
}

// focusFor focuses the element, or without one finds the frame that has the focus.
func (t *Tab) focusFor(ctx context.Context, ref string) (string, ports.InputResult, error) {
	var facts struct{ Ref, Role, Name string }
	if ref != "" {
		name, err := frameOf(ref)
		if err != nil {
			return "", ports.InputResult{}, err
		}
		err = t.ask(ctx, name, "act", "focus", map[string]any{"ref": ref}, &facts)
		if err == nil {
			err = t.stayed(ctx, name, facts.Ref)
		}
		return name, ports.InputResult{Hit: ports.Hit{Ref: facts.Ref, Role: facts.Role, Name: facts.Name}}, err
	}
	name := "f0"
	for range 32 {
		b, err := t.script(ctx, name, "read", "focus", json.RawMessage("{}"))
		if err != nil {
			return name, ports.InputResult{}, err
		}
		var r struct {
			Facts *struct {
				Ref, Role, Name string
				Frame           bool
			}
		}
		if err := json.Unmarshal(b, &r); err != nil || r.Facts == nil {
			return name, ports.InputResult{}, err
		}
		inner := ""
		if r.Facts.Frame {
			inner = t.owned(ctx, name, r.Facts.Ref)
		}
		if inner == "" {
			return name, ports.InputResult{Hit: ports.Hit{Ref: r.Facts.Ref, Role: r.Facts.Role, Name: r.Facts.Name}}, nil
		}
		name = inner
	}
	return name, ports.InputResult{}, nil
}

// stayed refuses to type where a page moved the focus at once: into another field or a frame, which nobody
// named. An element that passes its focus on to a part of its own, or takes none, is left alone.
func (t *Tab) stayed(ctx context.Context, frame, ref string) error {
	var now struct {
		Facts *struct {
			Ref, Role, Name, Tag string
			Frame                bool
		}
	}
	if err := t.ask(ctx, frame, "read", "focus", nil, &now); err != nil || now.Facts == nil || now.Facts.Ref == ref {
		return err
	}
	if f := now.Facts; f.Frame || slices.Contains([]string{"input", "textarea", "select", "button", "a"}, f.Tag) {
		return ports.NewError(ports.CodeNotActionable, fmt.Sprintf("the page moved the focus from %s to %s %q [%s]", ref, f.Role, f.Name, f.Ref),
			"act on that element, if it is what you mean")
	}
	return nil
}

// owned returns the name of the frame in an iframe element.
func (t *Tab) owned(ctx context.Context, parent, ref string) string {
	t.b.mu.Lock()
	p := t.named(parent)
	var kids []frame
	for _, f := range t.frames {
		if p != nil && f.parent == p.id && f.n != 0 {
			kids = append(kids, *f)
		}
	}
	t.b.mu.Unlock()
	for _, f := range kids {
		if o, err := t.owner(ctx, f.id); err == nil && o == ref {
			return f.name()
		}
	}
	return ""
}

// press sends one key with its modifiers held around it.
func (t *Tab) press(ctx context.Context, sid string, k chord) error {
	var held int64
	for _, m := range k.modifiers {
		held |= m.bit
		if err := t.key(ctx, sid, input.DispatchKeyEventTypeRawKeyDown, m.key, held); err != nil {
			return err
		}
	}
	down := input.DispatchKeyEventTypeRawKeyDown
	if k.key.text != "" {
		down = input.DispatchKeyEventTypeKeyDown
	}
	if err := t.key(ctx, sid, down, k.key, held); err != nil {
		return err
	}
	if err := t.key(ctx, sid, input.DispatchKeyEventTypeKeyUp, k.key, held); err != nil {
		return err
	}
	for i := len(k.modifiers) - 1; i >= 0; i-- {
		m := k.modifiers[i]
		held &^= m.bit
		if err := t.key(ctx, sid, input.DispatchKeyEventTypeKeyUp, m.key, held); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tab) key(ctx context.Context, sid string, kind input.DispatchKeyEventType, k key, held int64) error {
	e := input.DispatchKeyEventParams{
		Type: kind, Modifiers: held, Key: k.name, Code: k.code, WindowsVirtualKeyCode: k.vk, NativeVirtualKeyCode: k.vk, Location: k.location, Commands: k.commands,
	}
	if kind == input.DispatchKeyEventTypeKeyDown {
		e.Text, e.UnmodifiedText = k.text, k.text
	}
	if kind == input.DispatchKeyEventTypeKeyUp {
		e.Commands = nil
	}
	return t.call(ctx, sid, input.CommandDispatchKeyEvent, e, nil)
}
