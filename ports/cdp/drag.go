package cdp

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/input"

	"github.com/wb-agent/wb/ports"
)

// maxSteps bounds the moves of one drag.
const maxSteps = 200

type dragIntercepted struct {
	Data json.RawMessage `json:"data"`
}

// onDrag keeps what a page hands to the operating system when a drag begins: in a browser without a
// desktop nobody would carry it.
func (t *Tab) onDrag(_ string, e dragIntercepted) bool {
	t.dragged = e.Data
	return true
}

// dragEvent is one step of a drag that the page began itself.
type dragEvent struct {
	Type string          `json:"type"` // dragEnter, dragOver or drop
	X    float64         `json:"x"`
	Y    float64         `json:"y"`
	Data json.RawMessage `json:"data"`
}

// drag goes over the tab's own session, so that it can cross frames. Pages that use the HTML drag events
// get those, others the mouse alone.
func (t *Tab) drag(ctx context.Context, in ports.Input, from aim) error {
	from, to, err := t.dragEnds(ctx, in, from)
	if err != nil {
		return err
	}
	t.b.mu.Lock()
	t.dragged = nil
	t.b.mu.Unlock()
	if err := t.call(ctx, t.session, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{Enabled: true}, nil); err != nil {
		return err
	}
	defer t.b.conn.post(t.session, input.CommandSetInterceptDrags, input.SetInterceptDragsParams{}, nil)
	if err := t.event(ctx, t.session, mouseEvent(input.DispatchMouseEventTypeMouseMoved, from.top)); err != nil {
		return err
	}
	e := mouseEvent(input.DispatchMouseEventTypeMousePressed, from.top)
	e.Button, e.Buttons, e.ClickCount = input.MouseButtonLeft, 1, 1
	if err := t.event(ctx, t.session, e); err != nil {
		return err
	}
	if err := t.carry(ctx, in.Steps, from.top, to); err != nil {
		return err
	}
	if data := t.carried(); data != nil {
		return afterPress(t.call(ctx, t.session, input.CommandDispatchDragEvent, dragEvent{"drop", to.X, to.Y, data}, nil))
	}
	e.Type, e.Buttons, e.X, e.Y = input.DispatchMouseEventTypeMouseReleased, 0, to.X, to.Y
	return afterPress(t.event(ctx, t.session, e))
}

// dragEnds finds where a drag ends, and its start again if bringing the end into view has moved it.
func (t *Tab) dragEnds(ctx context.Context, in ports.Input, from aim) (aim, xy, error) {
	if in.To == "" {
		return from, xy{in.ToX, in.ToY}, nil
	}
	a, err := t.aimAt(ctx, in.To, true)
	if err == nil && in.Ref != "" {
		from, err = t.still(ctx, in.Ref, from)
	}
	return from, a.top, err
}

func (t *Tab) carried() json.RawMessage {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.dragged
}

// carry moves the pointer with the button held.
func (t *Tab) carry(ctx context.Context, steps int, from, to xy) error {
	if steps <= 0 {
		steps = 10
	}
	steps = min(steps, maxSteps)
	entered := false
	for i := 1; i <= steps; i++ {
		k := float64(i) / float64(steps)
		p := xy{from.X + (to.X-from.X)*k, from.Y + (to.Y-from.Y)*k}
		data := t.carried()
		if data == nil {
			e := mouseEvent(input.DispatchMouseEventTypeMouseMoved, p)
			e.Button, e.Buttons = input.MouseButtonLeft, 1
			if err := t.event(ctx, t.session, e); err != nil {
				return err
			}
			continue
		}
		kinds := []string{"dragOver"}
		if !entered {
			kinds, entered = []string{"dragEnter", "dragOver"}, true
		}
		for _, kind := range kinds {
			if err := t.call(ctx, t.session, input.CommandDispatchDragEvent, dragEvent{kind, p.X, p.Y, data}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// still measures an element again without scrolling.
func (t *Tab) still(ctx context.Context, ref string, was aim) (aim, error) {
	name, err := frameOf(ref)
	if err != nil {
		return was, err
	}
	return t.measure(ctx, name, ref, false)
}
