package cdp

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/runtime"
)

// What the page script cannot see from its world: which elements listen, what a framework keeps on them, and
// closed shadow roots. All of it only adds targets; a page that does not answer is looked at without.
const (
	hintTime   = 1500 * time.Millisecond
	maxHeard   = 600 // nodes handed over at once; the rest is left to cursor and class
	manyTypes  = 20  // a node that listens to this many types listens for others
	hintGroup  = "wb-hints"
	resolvers  = 24
	maxSuspect = 60
)

// pressing are the events that make an element a target.
var pressing = map[string]bool{"click": true, "mousedown": true, "mouseup": true, "pointerdown": true, "pointerup": true, "touchstart": true, "dblclick": true, "dragstart": true}

// heard is what a document's script has been told.
type heard struct {
	world string // the context that was told
	nodes map[cdp.BackendNodeID]bool
}

// hint tells the page script of a frame what listens. It never fails a look.
func (t *Tab) hint(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	f, _, err := t.enter(ctx, name)
	if err != nil {
		return
	}
	h := t.heardBy(f)
	if t.closedRoots(ctx, f) == nil && t.listeners(ctx, f, h) == nil {
		_ = t.framework(ctx, f) // the hints are that many less
	}
	_ = t.call(ctx, f.session, runtime.CommandReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: hintGroup}, nil) // or with the document
}

// heardBy is the record of a frame's present document.
func (t *Tab) heardBy(f frame) *heard {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	g := t.frames[f.id]
	if g == nil {
		return &heard{world: f.isolated, nodes: map[cdp.BackendNodeID]bool{}}
	}
	if g.heard == nil || g.heard.world != f.isolated {
		g.heard = &heard{world: f.isolated, nodes: map[cdp.BackendNodeID]bool{}}
	}
	return g.heard
}

// listeners hands over the nodes that listen and are new. The document and each shadow root are asked by
// themselves, in the page's own world, whose listeners they are: to pierce them all crashes Chromium 156.
func (t *Tab) listeners(ctx context.Context, f frame, h *heard) error {
	if f.main == "" {
		return nil
	}
	doc, err := t.object(ctx, f, f.main, "document")
	if err != nil {
		return err
	}
	tops := []runtime.RemoteObjectID{doc}
	roots, err := t.nodes(ctx, f, "roots")
	if err != nil {
		return err
	}
	var ids []cdp.BackendNodeID
	for _, n := range roots {
		ids = append(ids, n.BackendNodeID)
	}
	var all []*domdebugger.EventListener
	for _, o := range append(tops, t.resolve(ctx, f, ids, 0)...) {
		var r domdebugger.GetEventListenersResult
		if o == "" || t.call(ctx, f.session, domdebugger.CommandGetEventListeners, domdebugger.GetEventListenersParams{ObjectID: o, Depth: new(int64(-1))}, &r) != nil {
			continue // a root that has gone meanwhile
		}
		all = append(all, r.Listeners...)
	}
	types, press := map[cdp.BackendNodeID]map[string]bool{}, []cdp.BackendNodeID{}
	for _, l := range all {
		if types[l.BackendNodeID] == nil {
			types[l.BackendNodeID] = map[string]bool{}
		}
		if pressing[l.Type] && !types[l.BackendNodeID]["press"] {
			types[l.BackendNodeID]["press"] = true
			press = append(press, l.BackendNodeID)
		}
		types[l.BackendNodeID][l.Type] = true
	}
	var fresh []cdp.BackendNodeID
	t.b.mu.Lock()
	for _, id := range press {
		if id != 0 && !h.nodes[id] && len(types[id]) < manyTypes && len(fresh) < maxHeard {
			h.nodes[id] = true
			fresh = append(fresh, id)
		}
	}
	t.b.mu.Unlock()
	return t.tell(ctx, f, "hear", t.resolve(ctx, f, fresh, f.isolatedID))
}

// resolve makes objects of nodes in a world (0: the page's own), many at once. Those of other documents are left out.
func (t *Tab) resolve(ctx context.Context, f frame, ids []cdp.BackendNodeID, world runtime.ExecutionContextID) []runtime.RemoteObjectID {
	out := make([]runtime.RemoteObjectID, len(ids))
	var wg sync.WaitGroup
	free := make(chan struct{}, resolvers)
	for i, id := range ids {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			var r dom.ResolveNodeResult
			p := dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: world, ObjectGroup: hintGroup}
			if t.call(ctx, f.session, dom.CommandResolveNode, p, &r) == nil && r.Object != nil {
				out[i] = r.Object.ObjectID
			}
		})
	}
	wg.Wait()
	return out
}

// tell passes nodes to a function of the page script's that takes a list of them.
func (t *Tab) tell(ctx context.Context, f frame, what string, objects []runtime.RemoteObjectID) error {
	args := []*runtime.CallArgument{}
	for _, id := range objects {
		if id != "" {
			args = append(args, &runtime.CallArgument{ObjectID: id})
		}
	}
	p := runtime.CallFunctionOnParams{UniqueContextID: f.isolated, Arguments: args, ReturnByValue: new(true),
		FunctionDeclaration: `function(...n){if(Object.hasOwn(globalThis,"__wb"))__wb.` + what + `(n)}`}
	var r runtime.CallFunctionOnResult
	return t.call(ctx, f.session, runtime.CommandCallFunctionOn, p, &r)
}

// nodes describes the nodes that a function of the page script's lists.
func (t *Tab) nodes(ctx context.Context, f frame, what string) ([]*cdp.Node, error) {
	list, err := t.object(ctx, f, f.isolated, `Object.hasOwn(globalThis,"__wb")?__wb.`+what+`():[]`)
	if err != nil {
		return nil, err
	}
	var props runtime.GetPropertiesResult
	if err := t.call(ctx, f.session, runtime.CommandGetProperties, runtime.GetPropertiesParams{ObjectID: list, OwnProperties: new(true)}, &props); err != nil {
		return nil, err
	}
	var out []*cdp.Node
	for _, p := range props.Result {
		if _, err := strconv.Atoi(p.Name); err != nil || p.Value == nil || p.Value.ObjectID == "" || len(out) >= maxSuspect {
			continue
		}
		var d dom.DescribeNodeResult
		if t.call(ctx, f.session, dom.CommandDescribeNode, dom.DescribeNodeParams{ObjectID: p.Value.ObjectID, Depth: new(int64(1))}, &d) == nil && d.Node != nil {
			out = append(out, d.Node)
		}
	}
	return out, nil
}

// closedRoots shows the script the closed shadow roots of elements that draw something it cannot see.
func (t *Tab) closedRoots(ctx context.Context, f frame) error {
	hosts, err := t.nodes(ctx, f, "hosts")
	if err != nil {
		return err
	}
	var roots []cdp.BackendNodeID
	for _, n := range hosts {
		for _, s := range n.ShadowRoots {
			if s.ShadowRootType == cdp.ShadowRootTypeClosed {
				roots = append(roots, s.BackendNodeID)
			}
		}
	}
	if len(roots) == 0 {
		return nil
	}
	return t.tell(ctx, f, "learnAll", t.resolve(ctx, f, roots, f.isolatedID))
}

// pointing runs in the page's own world: it points at elements on which a framework keeps handlers that leave
// no listener. What it says is no more than a hint, and the page may say it too.
const pointing = `(name)=>{const end=performance.now()+80,on=/^on(Click|MouseDown|MouseUp|PointerDown|PointerUp|TouchStart|DoubleClick|KeyDown)$/;let n=0;
for(const el of document.querySelectorAll('*')){if((n++&255)===0&&performance.now()>end)break;let hit=false;
for(const k of Object.keys(el)){if(k.startsWith('__reactProps$')){const p=el[k];for(const q in p)if(on.test(q)&&typeof p[q]==='function'){hit=true;break}}else if(/^__(click|mousedown|pointerdown)$/.test(k))hit=true}
if(!hit)for(const s of Object.getOwnPropertySymbols(el))if(s.description==='events'&&el[s]&&Object.keys(el[s]).some((k)=>/^(click|mousedown|pointerdown|mouseup|pointerup|touchstart)$/.test(k)))hit=true;
if(hit)el.dispatchEvent(new CustomEvent(name))}}`

// framework lets the page's world point at what frameworks handle by delegation.
func (t *Tab) framework(ctx context.Context, f frame) error {
	if f.main == "" {
		return nil
	}
	name := "wb" + rand.Text()
	say := func(world, code string, args ...any) error {
		var r runtime.CallFunctionOnResult
		return t.call(ctx, f.session, runtime.CommandCallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: code, UniqueContextID: world,
			ReturnByValue: new(true), Arguments: arguments(args...)}, &r)
	}
	const point = `function(n){if(Object.hasOwn(globalThis,"__wb"))__wb.pointed(n)}`
	if err := say(f.isolated, point, name); err != nil {
		return err
	}
	err := say(f.main, pointing, name)
	return errors.Join(err, say(f.isolated, point, ""))
}

// object evaluates an expression to an object in one of a frame's worlds.
func (t *Tab) object(ctx context.Context, f frame, world, expression string) (runtime.RemoteObjectID, error) {
	var r runtime.EvaluateResult
	if err := t.call(ctx, f.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: expression, UniqueContextID: world, ObjectGroup: hintGroup}, &r); err != nil {
		return "", err
	}
	if r.Result == nil || r.Result.ObjectID == "" {
		return "", errors.New("no object")
	}
	return r.Result.ObjectID, nil
}
