package cdp

import (
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/settle"
)

// world is the name of our isolated world in every frame.
const world = "wb page script"

// attached is a session: of a tab, or of one of its out-of-process frames.
type attached struct {
	tab  *Tab
	root cdp.FrameID // its topmost frame
	left int         // answers of the set-up that are still to come
}

// onAttached takes a new target in. It is paused until its set-up has been sent.
func (b *Browser) onAttached(parent string, params []byte) {
	var e target.EventAttachedToTarget
	if jsonv2.Unmarshal(params, &e) != nil || e.TargetInfo == nil {
		return
	}
	sid := string(e.SessionID)
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e.TargetInfo.Type {
	case "page":
		t := b.addTab(sid, e.TargetInfo)
		b.sessions[sid] = &attached{tab: t, root: cdp.FrameID(e.TargetInfo.TargetID)}
	case "iframe":
		up := b.sessions[parent]
		if up == nil {
			b.conn.post(sid, runtime.CommandRunIfWaitingForDebugger, nil, nil)
			return
		}
		root := cdp.FrameID(e.TargetInfo.TargetID)
		b.sessions[sid] = &attached{tab: up.tab, root: root}
		up.tab.place(root, e.TargetInfo.ParentFrameID, sid)
	default:
		b.conn.post(sid, runtime.CommandRunIfWaitingForDebugger, nil, nil)
		return
	}
	b.setUp(sid)
	b.notify()
}

func (b *Browser) addTab(sid string, info *target.Info) *Tab {
	id := string(info.TargetID)
	t := &Tab{b: b, id: id, session: sid, opener: string(info.OpenerID), maxRef: b.refBase, frames: map[cdp.FrameID]*frame{}, halted: make(chan struct{}), status: map[string]int{}}
	t.watch = settle.New(watched{t}, poll)
	t.place(cdp.FrameID(id), "", sid)
	b.tabs[id] = t
	b.order = append(b.order, id)
	if t.opener != "" && b.tabs[t.opener] != nil {
		b.active = id
		b.note(ports.Notice{Kind: "popup", Tab: id, Text: "a page opened a new tab", URL: info.URL})
	}
	return t
}

// setUp sends everything a session needs and lets its target run. Nothing is awaited in between: a popup
// that waits for answers before it runs may stay stuck. With b.mu held.
func (b *Browser) setUp(sid string) {
	a := b.sessions[sid]
	top := a.tab.session == sid
	send := func(method string, params any, then func([]byte)) {
		a.left++
		b.conn.post(sid, method, params, func(res []byte, err error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			if err == nil && then != nil {
				then(res)
			}
			if a.left--; a.left == 0 {
				b.notify()
			}
		})
	}
	send(fetch.CommandEnable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument, RequestStage: fetch.RequestStageRequest}}}, nil)
	send(target.CommandSetAutoAttach, autoAttach("iframe"), nil)
	send(page.CommandEnable, page.EnableParams{}, nil)
	send(page.CommandAddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: b.script, WorldName: world, RunImmediately: new(true)}, nil)
	send(page.CommandSetLifecycleEventsEnabled, page.SetLifecycleEventsEnabledParams{Enabled: true}, nil)
	send(network.CommandEnable, network.EnableParams{MaxTotalBufferSize: new(int64(1)), MaxResourceBufferSize: new(int64(1)), MaxPostDataSize: new(int64(0))}, nil)
	send(runtime.CommandEnable, nil, nil)
	send(inspector.CommandEnable, nil, nil)
	send(page.CommandGetFrameTree, nil, func(res []byte) {
		var r page.GetFrameTreeResult
		if jsonv2.Unmarshal(res, &r) == nil {
			a.tab.plant(r.FrameTree, sid)
		}
	})
	if top {
		send(emulation.CommandSetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}, nil)
		send(page.CommandSetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true}, nil)
	}
	send(runtime.CommandRunIfWaitingForDebugger, nil, nil)
}

// onDetached forgets a session: its tab was closed, or its frame went or changed its process.
func (b *Browser) onDetached(params []byte) {
	var e target.EventDetachedFromTarget
	if jsonv2.Unmarshal(params, &e) != nil {
		return
	}
	sid := string(e.SessionID)
	b.conn.dropSession(sid)
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.sessions[sid]
	if a == nil {
		return
	}
	delete(b.sessions, sid)
	if a.tab.session == sid {
		b.dropTab(a.tab)
	} else {
		a.tab.forgetSession(sid)
	}
	b.notify()
}

func (b *Browser) dropTab(t *Tab) {
	t.closed = true
	t.dialog = nil
	t.halt()
	delete(b.tabs, t.id)
	b.order = slices.DeleteFunc(b.order, func(id string) bool { return id == t.id })
	if b.active == t.id && len(b.order) > 0 {
		b.active = b.order[len(b.order)-1]
	}
}
