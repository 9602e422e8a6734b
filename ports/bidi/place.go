package bidi

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"

	"github.com/wb-agent/wb/ports"
)

//go:embed place.js
var placing string

// place is a point of a document's viewport. met: nothing lies over the frame that it was a point of.
type place struct {
	X, Y float64
	Met  bool
}

// chain are the frames from a named one outwards, the top one left out.
func (t *Tab) chain(ctx context.Context, name string) ([]ports.Frame, error) {
	if name == "f0" || name == "" {
		return nil, nil
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return nil, err
	}
	known := map[string]ports.Frame{}
	for _, f := range frames {
		known[f.ID] = f
	}
	var out []ports.Frame
	for range 32 {
		f, ok := known[name]
		if !ok || name == "f0" {
			break
		}
		out = append(out, f)
		name = f.Parent
	}
	return out, nil
}

// toTop carries a point outwards through frames to the tab's viewport. Firefox's own reckoning leaves out the
// transforms around a frame of the same process. It fails with CodeNotActionable if something lies over a frame
// there, unless forced.
func (t *Tab) toTop(ctx context.Context, frames []ports.Frame, x, y float64, force bool) (place, error) {
	at := place{X: x, Y: y, Met: true}
	for _, f := range frames {
		var view struct{ Width, Height float64 }
		if err := t.ask(ctx, f.ID, "window", obj{}, &view); err != nil {
			return at, err
		}
		parent, _, err := t.enter(ctx, f.Parent)
		if err != nil {
			return at, err
		}
		text, err := t.function(ctx, parent.id, sandbox, placing, f.Owner, at.X, at.Y, view.Width, view.Height)
		if err == nil && text == "" {
			err = errors.New("its element is not known")
		}
		if err == nil {
			err = json.Unmarshal([]byte(text), &at)
		}
		if err != nil {
			return at, ports.NewError(ports.CodeNotActionable, "frame "+f.ID+" cannot be aimed at: "+cut(err.Error(), 200), "take a new snapshot, or act by script")
		}
		if !at.Met && !force {
			return at, t.coveredAt(ctx, f.Parent, at)
		}
	}
	return at, nil
}

// coveredAt is the error that says what lies over a frame.
func (t *Tab) coveredAt(ctx context.Context, in string, at place) error {
	var over struct {
		Target *struct{ Ref, Role, Name string }
	}
	if err := t.ask(ctx, in, "at", obj{"x": at.X, "y": at.Y}, &over); err != nil {
		return err
	}
	if over.Target == nil {
		return ports.NewError(ports.CodeNotActionable, "the frame it is in is covered by the edge of the viewport there", "scroll the frame into view")
	}
	h := ports.Hit{Ref: over.Target.Ref, Role: over.Target.Role, Name: over.Target.Name}
	return ports.NewError(ports.CodeNotActionable, "the frame it is in is covered by "+describe(h), "close or move what covers it, or scroll")
}
