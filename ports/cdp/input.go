package cdp

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/wb-agent/wb/ports"
)

// inputTime bounds a gesture whose caller set no deadline.
const inputTime = 15 * time.Second

// Input implements ports.Page: trusted input, as from a person's mouse and keyboard.
func (t *Tab) Input(ctx context.Context, in ports.Input) (ports.InputResult, error) {
	ctx, cancel := context.WithTimeout(ctx, inputTime)
	defer cancel()
	if err := t.ready(ctx); err != nil {
		return ports.InputResult{}, err
	}
	if err := t.problem(); err != nil {
		return ports.InputResult{}, err
	}
	t.b.mu.Lock()
	t.dialogs = 0 // a person did something
	t.b.mu.Unlock()
	var res ports.InputResult
	var err error
	switch in.Kind {
	case "click", "hover", "drag", "wheel":
		res, err = t.mouse(ctx, in)
	case "text", "keys":
		res, err = t.keyboard(ctx, in)
	default:
		return res, ports.NewError(ports.CodeInvalidArgs, "input kind "+quoted(in.Kind), "use click, hover, drag, text, keys or wheel")
	}
	return res, t.inputError(ctx, err)
}

func (t *Tab) inputError(ctx context.Context, err error) error {
	switch {
	case err == nil || ports.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		t.interrupt(t.session)
		return late(ctx, "the page")
	case contextLost(err):
		return &ports.Error{Code: ports.CodeUnknown, Msg: "the document went away during the gesture", Fix: "look at the page before doing it again", Err: err}
	}
	return t.b.wrong(ctx, err)
}

func (t *Tab) mouse(ctx context.Context, in ports.Input) (ports.InputResult, error) {
	a, err := t.target(ctx, in.Ref, xy{in.X, in.Y}, in)
	if err != nil {
		return ports.InputResult{X: a.top.X, Y: a.top.Y, Hit: a.hit}, err
	}
	res := ports.InputResult{X: a.top.X, Y: a.top.Y, Hit: a.hit}
	switch in.Kind {
	case "hover":
		err = t.event(ctx, a.sid, mouseEvent(input.DispatchMouseEventTypeMouseMoved, a.at))
	case "wheel":
		err = t.call(ctx, a.sid, input.CommandDispatchMouseEvent, wheel{input.DispatchMouseEventTypeMouseWheel, a.at.X, a.at.Y, in.DX, in.DY}, nil)
	case "drag":
		err = t.drag(ctx, in, a)
	default:
		err = t.click(ctx, in, a)
	}
	return res, delivered(err)
}

// wheel is a wheel event; cdproto's leaves out a delta of 0, which the browser insists on.
type wheel struct {
	Type input.DispatchMouseEventType `json:"type"`
	X    float64                      `json:"x"`
	Y    float64                      `json:"y"`
	DX   float64                      `json:"deltaX"`
	DY   float64                      `json:"deltaY"`
}

// delivered drops the error of a gesture that a dialog interrupted: the dialog is its effect.
func delivered(err error) error {
	if ports.CodeOf(err) == ports.CodeDialogOpen {
		return nil
	}
	return err
}

func (t *Tab) target(ctx context.Context, ref string, p xy, in ports.Input) (aim, error) {
	if ref != "" {
		return t.aimAt(ctx, ref, in.Force || in.Kind == "wheel")
	}
	if in.Kind == "wheel" && p == (xy{}) {
		v, err := t.viewport(ctx, "f0")
		if err != nil {
			return aim{}, err
		}
		p = xy{v.Width / 2, v.Height / 2}
	}
	hit, err := t.look(ctx, p)
	return aim{sid: t.session, at: p, top: p, hit: hit}, err
}

func mouseEvent(kind input.DispatchMouseEventType, p xy) input.DispatchMouseEventParams {
	return input.DispatchMouseEventParams{Type: kind, X: p.X, Y: p.Y, PointerType: input.DispatchMouseEventPointerTypeMouse}
}

func (t *Tab) event(ctx context.Context, sid string, e input.DispatchMouseEventParams) error {
	return t.call(ctx, sid, input.CommandDispatchMouseEvent, e, nil)
}

func button(name string) (input.MouseButton, int64, error) {
	switch name {
	case "", "left":
		return input.MouseButtonLeft, 1, nil
	case "right":
		return input.MouseButtonRight, 2, nil
	case "middle":
		return input.MouseButtonMiddle, 4, nil
	}
	return "", 0, ports.NewError(ports.CodeInvalidArgs, "mouse button "+quoted(name), "use left, right or middle")
}

func (t *Tab) click(ctx context.Context, in ports.Input, a aim) error {
	btn, bit, err := button(in.Btn)
	if err != nil {
		return err
	}
	if err := t.event(ctx, a.sid, mouseEvent(input.DispatchMouseEventTypeMouseMoved, a.at)); err != nil {
		return err
	}
	for n := range max(1, min(in.Count, 3)) {
		e := mouseEvent(input.DispatchMouseEventTypeMousePressed, a.at)
		e.Button, e.Buttons, e.ClickCount = btn, bit, int64(n+1)
		if err := t.event(ctx, a.sid, e); err != nil {
			return err
		}
		e.Type, e.Buttons = input.DispatchMouseEventTypeMouseReleased, 0
		if err := t.event(ctx, a.sid, e); err != nil {
			return afterPress(err)
		}
	}
	return nil
}

// afterPress forgives a document that went away between press and release: the press did that.
func afterPress(err error) error {
	if contextLost(err) || ports.CodeOf(err) == ports.CodeTabGone {
		return nil
	}
	return err
}
