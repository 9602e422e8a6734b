package cdp

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/wb-agent/wb/ports"
)

// frame is one document's place. All fields are guarded by Browser.mu.
type frame struct {
	id, parent cdp.FrameID
	n          int    // its name is f<n>
	session    string // "" while no process holds it
	url        string
	origin     string
	loader     cdp.LoaderID // of the document it shows
	ready      cdp.LoaderID // of the document whose DOM is there
	isolated   string       // unique id of our world's context
	isolatedID runtime.ExecutionContextID
	owner      string // ref of its element, as the context ownerIn knows it
	ownerIn    string
	heard      *heard // what its document's script was told of listeners
	main       string // of the page's own
	same       int    // same-document navigations
}

func (f *frame) name() string { return "f" + strconv.Itoa(f.n) }

// place makes or moves a frame; names are never given out twice in a tab.
func (t *Tab) place(id, parent cdp.FrameID, sid string) *frame {
	f := t.frames[id]
	if f == nil {
		f = &frame{id: id, parent: parent, n: t.nextFrame}
		t.nextFrame++
		t.frames[id] = f
	}
	if parent != "" {
		f.parent = parent
	}
	if f.session != sid {
		f.session, f.isolated, f.main = sid, "", ""
	}
	return f
}

// plant learns the frames that were there before us. What events have said since is newer.
func (t *Tab) plant(tree *page.FrameTree, sid string) {
	for stack := []*page.FrameTree{tree}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n == nil || n.Frame == nil {
			continue
		}
		f := t.frames[n.Frame.ID]
		if f == nil || f.loader == "" && (f.session == sid || f.session == "") {
			f = t.place(n.Frame.ID, n.Frame.ParentID, sid)
			f.loader, f.url, f.origin = n.Frame.LoaderID, n.Frame.URL+n.Frame.URLFragment, originOf(n.Frame.URL, n.Frame.SecurityOrigin)
		}
		stack = append(stack, n.ChildFrames...)
	}
}

// originOf names an origin as ports.Frame does.
func originOf(raw, said string) string {
	if strings.HasPrefix(said, "http://") || strings.HasPrefix(said, "https://") {
		return strings.TrimRight(said, "/")
	}
	if u, err := url.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") && said == "" {
		return u.Scheme + "://" + u.Host
	}
	return "null"
}

type frameAttached struct {
	FrameID       cdp.FrameID `json:"frameId"`
	ParentFrameID cdp.FrameID `json:"parentFrameId"`
}

func (t *Tab) onFrameAttached(sid string, e frameAttached) bool {
	if f := t.frames[e.FrameID]; f == nil || f.session == "" {
		t.place(e.FrameID, e.ParentFrameID, sid)
	}
	return true
}

type frameNavigated struct {
	Frame struct {
		ID          cdp.FrameID  `json:"id"`
		ParentID    cdp.FrameID  `json:"parentId"`
		LoaderID    cdp.LoaderID `json:"loaderId"`
		URL         string       `json:"url"`
		Fragment    string       `json:"urlFragment"`
		Origin      string       `json:"securityOrigin"`
		Unreachable string       `json:"unreachableUrl"`
	} `json:"frame"`
	Type string `json:"type"`
}

func (t *Tab) onFrameNavigated(sid string, e frameNavigated) bool {
	f := t.place(e.Frame.ID, e.Frame.ParentID, sid)
	f.loader, f.url, f.origin = e.Frame.LoaderID, e.Frame.URL+e.Frame.Fragment, originOf(e.Frame.URL, e.Frame.Origin)
	if e.Type == string(page.NavigationTypeBackForwardCacheRestore) {
		f.ready = f.loader
		t.b.judgeRestored(t, f)
	}
	if f.n == 0 {
		t.documents++
		t.dialogs = 0
		if t.crashed {
			t.crashed = false
			t.unhalt()
		}
	}
	return true
}

type sameDocument struct {
	FrameID cdp.FrameID `json:"frameId"`
	URL     string      `json:"url"`
}

func (t *Tab) onSameDocument(_ string, e sameDocument) bool {
	if f := t.frames[e.FrameID]; f != nil {
		f.url = e.URL
		f.same++
	}
	return true
}

type frameDetached struct {
	FrameID cdp.FrameID `json:"frameId"`
	Reason  string      `json:"reason"`
}

func (t *Tab) onFrameDetached(sid string, e frameDetached) bool {
	f := t.frames[e.FrameID]
	if f == nil || f.session != sid && f.session != "" {
		return false // it lives in another process by now
	}
	if e.Reason == string(page.FrameDetachedReasonSwap) {
		f.session, f.isolated, f.main = "", "", ""
	} else {
		t.removeFrame(f)
	}
	return true
}

// removeFrame forgets a frame and those in it.
func (t *Tab) removeFrame(f *frame) {
	for todo := []cdp.FrameID{f.id}; len(todo) > 0; todo = todo[1:] {
		delete(t.frames, todo[0])
		for id, g := range t.frames {
			if g.parent == todo[0] && g.n != 0 {
				todo = append(todo, id)
			}
		}
	}
}

// forgetSession takes the frames of a session that has ended out of it; the ones inside are gone.
func (t *Tab) forgetSession(sid string) {
	for _, f := range t.frames {
		if f.session == sid {
			f.session, f.isolated, f.main = "", "", ""
		}
	}
}

type lifecycle struct {
	FrameID  cdp.FrameID  `json:"frameId"`
	LoaderID cdp.LoaderID `json:"loaderId"`
	Name     string       `json:"name"`
}

func (t *Tab) onLifecycle(sid string, e lifecycle) bool {
	f := t.frames[e.FrameID]
	if f == nil || f.session != sid || e.Name != "DOMContentLoaded" && e.Name != "load" {
		return false
	}
	f.ready = e.LoaderID
	return true
}

type contextCreated struct {
	Context struct {
		ID       runtime.ExecutionContextID `json:"id"`
		UniqueID string                     `json:"uniqueId"`
		Name     string                     `json:"name"`
		Aux      struct {
			FrameID   cdp.FrameID `json:"frameId"`
			IsDefault bool        `json:"isDefault"`
		} `json:"auxData"`
	} `json:"context"`
}

func (t *Tab) onContext(sid string, e contextCreated) bool {
	f := t.frames[e.Context.Aux.FrameID]
	if f == nil {
		f = t.place(e.Context.Aux.FrameID, "", sid)
	}
	if f.session != sid {
		return false
	}
	switch {
	case e.Context.Aux.IsDefault:
		f.main = e.Context.UniqueID
	case e.Context.Name == world:
		f.isolated, f.isolatedID = e.Context.UniqueID, e.Context.ID
	}
	return true
}

type contextGone struct {
	UniqueID string `json:"executionContextUniqueId"`
}

func (t *Tab) onContextGone(_ string, e contextGone) bool {
	for _, f := range t.frames {
		if f.isolated == e.UniqueID {
			f.isolated = ""
		}
		if f.main == e.UniqueID {
			f.main = ""
		}
	}
	return false
}

func (t *Tab) clearContexts(sid string) {
	for _, f := range t.frames {
		if f.session == sid {
			f.isolated, f.main = "", ""
		}
	}
}

// top is the tab's main frame; with Browser.mu held.
func (t *Tab) top() *frame { return t.frames[cdp.FrameID(t.id)] }

// named finds a frame by its name, "" meaning f0; with Browser.mu held.
func (t *Tab) named(name string) *frame {
	if name == "" {
		name = "f0"
	}
	for _, f := range t.frames {
		if f.name() == name {
			return f
		}
	}
	return nil
}

func noFrame(name string) error {
	return ports.NewError(ports.CodeStaleRef, "no frame "+cut(name, 20)+" in this tab", "take a new snapshot: the frame is gone")
}

// Frames implements ports.Page.
func (t *Tab) Frames(ctx context.Context) ([]ports.Frame, error) {
	if err := t.ready(ctx); err != nil {
		return nil, err
	}
	if err := t.problem(); err != nil {
		return nil, err
	}
	t.b.mu.Lock()
	list := make([]frame, 0, len(t.frames))
	for _, f := range t.frames {
		if f.n == 0 || t.frames[f.parent] != nil {
			list = append(list, *f)
		}
	}
	t.b.mu.Unlock()
	slices.SortFunc(list, func(a, b frame) int { return cmp.Compare(a.n, b.n) })
	names := map[cdp.FrameID]string{}
	for _, f := range list {
		names[f.id] = f.name()
	}
	var out []ports.Frame
	for _, f := range parentsFirst(list) {
		pf := ports.Frame{ID: f.name(), URL: f.url, Origin: f.origin}
		if f.n != 0 {
			pf.Parent = names[f.parent]
			pf.Owner, _ = t.owner(ctx, f.id) // a frame without an element has no owner to name
		}
		out = append(out, pf)
	}
	return out, nil
}

// parentsFirst orders frames so that each comes after its parent.
func parentsFirst(list []frame) []frame {
	var out []frame
	seen := map[cdp.FrameID]bool{}
	for range list {
		for _, f := range list {
			if !seen[f.id] && (f.n == 0 || seen[f.parent]) {
				seen[f.id] = true
				out = append(out, f)
			}
		}
	}
	return out
}
