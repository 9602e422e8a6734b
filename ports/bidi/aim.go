package bidi

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

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

// aimed is where a gesture goes: a point in the tab's viewport, and the same one in that of the target's frame.
type aimed struct {
	frame    string
	x, y     float64
	inX, inY float64
	hit      ports.Hit
	framed   bool
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

// aim brings an element into view, the frames around it first, and tests what lies there in each document. In a
// frame the pointer is then moved there: a press that its document would not get is never sent.
func (t *Tab) aim(ctx context.Context, ref string, scroll, force bool) (a aimed, err error) {
	a.frame = ports.FrameOf(ref)
	frames, err := t.chain(ctx, a.frame)
	if err != nil {
		return a, err
	}
	for _, f := range slices.Backward(frames) {
		if scroll && f.Owner != "" {
			if _, err := t.script(ctx, f.Parent, "act", "scroll", ports.JSON(obj{"direction": "into_view", "ref": f.Owner})); err != nil {
				return a, err
			}
		}
	}
	at, err := t.point(ctx, ref, scroll)
	if err != nil {
		return a, err
	}
	a.inX, a.inY, a.framed = at.X, at.Y, len(frames) > 0
	a.hit = ports.Hit{Ref: at.Hit.Ref, Role: at.Hit.Role, Name: at.Hit.Name, Covered: at.Covered}
	switch {
	case force:
	case slices.Contains(at.Facts.States, "disabled"):
		return a, ports.NewError(ports.CodeNotActionable, "it is disabled", "something else has to be filled in or chosen first")
	case at.Covered:
		return a, ports.NewError(ports.CodeNotActionable, ref+" is covered by "+describe(a.hit), "close or move what covers it, or scroll")
	}
	top, err := t.toTop(ctx, frames, at.X, at.Y, force)
	if err != nil {
		return a, err
	}
	a.x, a.y = top.X, top.Y
	return a, nil
}

// felt waits until the document of a frame has the pointer over what lies at a point of its viewport.
const felt = `async function(x,y){for(let i=0;i<20;i++){const h=document.elementFromPoint(x,y);if(h&&h.matches(":hover"))return "yes";await new Promise((r)=>setTimeout(r,15))}return ""}`

// hold moves the pointer to the target until it has stayed where it was aimed at, at most a few times: on a busy
// machine what is still moving looks still. It fails if the document of a frame does not feel the pointer there.
func (t *Tab) hold(ctx context.Context, ref string, a aimed) (aimed, error) {
	for range 5 {
		if err := t.perform(ctx, t.id, mouse([]obj{move(a.x, a.y)})); err != nil {
			return a, err
		}
		now, err := t.point(ctx, ref, false)
		if err != nil {
			return a, err
		}
		if math.Abs(now.X-a.inX)+math.Abs(now.Y-a.inY) < 1.5 {
			return a, t.reached(ctx, a)
		}
		if a, err = t.aim(ctx, ref, true, false); err != nil {
			return a, err
		}
	}
	return a, ports.NewError(ports.CodeNotActionable, ref+" does not stay in one place", "wait until it has stopped moving")
}

// reached fails if the document of a frame does not feel the pointer.
func (t *Tab) reached(ctx context.Context, a aimed) error {
	if !a.framed {
		return nil
	}
	f, _, err := t.enter(ctx, a.frame)
	if err != nil {
		return err
	}
	yes, err := t.function(ctx, f.id, sandbox, felt, a.inX, a.inY)
	if err != nil {
		return scriptError(err)
	}
	if yes == "" {
		return ports.NewError(ports.CodeNotActionable, "the pointer cannot be brought to it: the frame "+a.frame+" does not feel it there", "act by script, or scroll the frame into view")
	}
	return nil
}

func describe(h ports.Hit) string {
	s := h.Role
	if h.Name != "" {
		s += " " + strconv.Quote(h.Name)
	}
	if h.Ref != "" {
		s += " [" + h.Ref + "]"
	}
	return cmp.Or(s, "something else")
}
