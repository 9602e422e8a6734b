package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/wb-agent/wb/ports"
)

// xy is a point, CSS px.
type xy struct{ X, Y float64 }

// quad is the four corners of a box after all transforms, clockwise from its top left.
type quad [4]xy

// at maps a point of the unit square into the box.
func (q quad) at(u, v float64) xy {
	return xy{
		(1-v)*((1-u)*q[0].X+u*q[1].X) + v*((1-u)*q[3].X+u*q[2].X),
		(1-v)*((1-u)*q[0].Y+u*q[1].Y) + v*((1-u)*q[3].Y+u*q[2].Y),
	}
}

// viewport is the answer of the window operation, as far as geometry needs it.
type viewport struct {
	Width, Height, Ratio float64
}

func (t *Tab) viewport(ctx context.Context, f string) (v viewport, err error) {
	err = t.ask(ctx, f, "read", "window", nil, &v)
	if err == nil && (v.Width <= 0 || v.Height <= 0 || v.Ratio <= 0) {
		err = ports.NewError(ports.CodeNotActionable, "frame "+f+" has no size", "it is not shown; open what hides it")
	}
	return v, err
}

// ask runs an operation and decodes its answer.
func (t *Tab) ask(ctx context.Context, f, kind, op string, args map[string]any, into any) error {
	raw, err := json.Marshal(args)
	if err != nil || args == nil {
		raw = []byte("{}")
	}
	b, err := t.script(ctx, f, kind, op, raw)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(b, into)
}

// up returns the frame around a frame; ok is false for the top one.
func (t *Tab) up(name string) (f, parent frame, ok bool, err error) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	p := t.named(name)
	if p == nil {
		return f, parent, false, noFrame(name)
	}
	f = *p
	if f.n == 0 {
		return f, f, false, nil
	}
	g := t.frames[f.parent]
	if g == nil {
		return f, parent, false, noFrame(name)
	}
	return f, *g, true, nil
}

// ownerNode finds the element of a frame in the process of its parent.
func (t *Tab) ownerNode(ctx context.Context, parent frame, id cdp.FrameID) (cdp.BackendNodeID, error) {
	var r dom.GetFrameOwnerResult
	err := t.call(ctx, parent.session, dom.CommandGetFrameOwner, dom.GetFrameOwnerParams{FrameID: id}, &r)
	return r.BackendNodeID, err
}

// owner returns the ref of a frame's element, giving it one if it has none.
func (t *Tab) owner(ctx context.Context, id cdp.FrameID) (string, error) {
	t.b.mu.Lock()
	f := t.frames[id]
	if f == nil || t.frames[f.parent] == nil {
		t.b.mu.Unlock()
		return "", errors.New("no frame")
	}
	parent, cached, cachedIn, base := *t.frames[f.parent], f.owner, f.ownerIn, t.maxRef
	t.b.mu.Unlock()
	if cached != "" && cachedIn == parent.isolated {
		return cached, nil
	}
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	node, err := t.ownerNode(ctx, parent, id)
	if err != nil {
		return "", err
	}
	var obj dom.ResolveNodeResult
	if err := t.call(ctx, parent.session, dom.CommandResolveNode, dom.ResolveNodeParams{BackendNodeID: node, ExecutionContextID: parent.isolatedID}, &obj); err != nil {
		return "", err
	}
	var r runtime.CallFunctionOnResult
	err = t.call(ctx, parent.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: `function(f,b){return Object.hasOwn(globalThis,"__wb")?__wb.refOfNode(this,{frame:f,base:b}):""}`,
		ObjectID:            obj.Object.ObjectID, ReturnByValue: new(true), Arguments: arguments(parent.name(), base),
	}, &r)
	if err != nil {
		return "", err
	}
	ref, err := resultText(r.Result, r.ExceptionDetails)
	if err != nil {
		return "", err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if n, err := strconv.Atoi(ref[strings.LastIndexByte(ref, 'e')+1:]); err == nil && n > t.maxRef && n < 1<<30 {
		t.maxRef = n
	}
	if g := t.frames[id]; g != nil {
		g.owner, g.ownerIn = ref, parent.isolated
	}
	return ref, nil
}

// box returns the content box of a frame's element in its parent's viewport.
//
// Quads are in the viewport of the parent's session. Under CSS zoom above a frame of the same process they
// come out wrong by the ratio of the zooms (2026-11, Chromium 156), so they are scaled by it.
func (t *Tab) box(ctx context.Context, f, parent frame) (quad, error) {
	node, err := t.ownerNode(ctx, parent, f.id)
	if err != nil {
		return quad{}, err
	}
	var r dom.GetContentQuadsResult
	if err := t.call(ctx, parent.session, dom.CommandGetContentQuads, dom.GetContentQuadsParams{BackendNodeID: node}, &r); err != nil {
		return quad{}, ports.NewError(ports.CodeNotActionable, "frame "+f.name()+" has no box", "it is not shown; open what hides it")
	}
	if len(r.Quads) == 0 || len(r.Quads[0]) != 8 {
		return quad{}, ports.NewError(ports.CodeNotActionable, "frame "+f.name()+" has no box", "it is not shown; open what hides it")
	}
	var q quad
	for i := range q {
		q[i] = xy{r.Quads[0][2*i], r.Quads[0][2*i+1]}
	}
	root := t.sessionRoot(parent)
	if root.id == parent.id {
		return q, nil
	}
	pv, err := t.viewport(ctx, parent.name())
	if err != nil {
		return q, err
	}
	rv, err := t.viewport(ctx, root.name())
	if err != nil {
		return q, err
	}
	for i := range q {
		q[i].X, q[i].Y = q[i].X*pv.Ratio/rv.Ratio, q[i].Y*pv.Ratio/rv.Ratio
	}
	return q, nil
}

// sessionRoot is the topmost frame in the process of a frame.
func (t *Tab) sessionRoot(f frame) frame {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if a := t.b.sessions[f.session]; a != nil && t.frames[a.root] != nil {
		return *t.frames[a.root]
	}
	return f
}

// toRoot maps a point of a frame's viewport to the viewport of its session, where input is sent.
func (t *Tab) toRoot(ctx context.Context, f frame, p xy) (xy, error) {
	root := t.sessionRoot(f)
	if root.id == f.id {
		return p, nil
	}
	_, parent, ok, err := t.up(f.name())
	if err != nil || !ok {
		return p, err
	}
	return t.through(ctx, f, parent, p)
}

// through maps a point of a frame into its parent's session.
func (t *Tab) through(ctx context.Context, f, parent frame, p xy) (xy, error) {
	q, err := t.box(ctx, f, parent)
	if err != nil {
		return p, err
	}
	v, err := t.viewport(ctx, f.name())
	if err != nil {
		return p, err
	}
	return q.at(p.X/v.Width, p.Y/v.Height), nil
}

// toTop maps a point of a frame's viewport to the tab's.
func (t *Tab) toTop(ctx context.Context, f frame, p xy) (xy, error) {
	for range 32 {
		root := t.sessionRoot(f)
		if root.id != f.id {
			var err error
			if p, err = t.toRoot(ctx, f, p); err != nil {
				return p, err
			}
			f = root
		}
		_, parent, ok, err := t.up(f.name())
		if err != nil || !ok {
			return p, err
		}
		if p, err = t.through(ctx, f, parent, p); err != nil {
			return p, err
		}
		f = t.sessionRoot(parent)
	}
	return p, errors.New("frames nested too deep")
}

func near(a, b xy) bool { return math.Abs(a.X-b.X) < 0.5 && math.Abs(a.Y-b.Y) < 0.5 }
