package scripted

import (
	"context"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/settle"
)

// Tab is one lent tab. It implements ports.Tab. Fields below number are guarded by Browser.mu.
type Tab struct {
	b      *Browser
	id     string
	number int // the browser's own
	opener string
	n      int // in order of opening

	title     string
	frames    map[int]*frame // by the browser's number; 0 is the top one
	nextFrame int
	maxRef    int
	closed    bool
	documents int // of the top frame
	downloads int
	landings  int      // of those, the ones that the last navigation led to
	going     string   // the latest request for the top document
	hops      []string // addresses asked for since the last navigation began, without fragments
	failedWhy string
	goal      string // address that Nav goes to
	start     place  // where the tab was when its navigation began
	failures  int
	ours      bool  // a navigation that was asked for is under way
	refused   error // why the fence stopped it
	status    int
	loads     map[string]bool // requests for the top document that are under way
	watch     *settle.Watch
}

var _ ports.Tab = (*Tab)(nil)

// trouble says why the page cannot be asked, or nil; with Browser.mu held.
func (t *Tab) trouble() error {
	if t.closed {
		return ports.NewError(ports.CodeTabGone, "the tab is closed, or not lent any more", "list the tabs and go on in another one")
	}
	return nil
}

func (t *Tab) problem() error {
	if err := t.b.alive(); err != nil {
		return err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.trouble()
}

// url is where the top frame is; with Browser.mu held.
func (t *Tab) url() string {
	if f := t.frames[0]; f != nil {
		return f.url
	}
	return ""
}

// Info implements ports.Tab. It never waits for the page.
func (t *Tab) Info(ctx context.Context) (ports.TabInfo, error) {
	if err := t.problem(); err != nil {
		return ports.TabInfo{}, err
	}
	var i tabSeen
	if err := t.b.do(ctx, "tabs.get", obj{"tab": t.number}, false, &i); err != nil {
		return ports.TabInfo{}, t.explain(err)
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.title = cut(i.Title, 300)
	return ports.TabInfo{ID: t.id, URL: i.URL, Title: t.title, Opener: t.opener, Active: t.b.active == t.number}, nil
}

// Activate implements ports.TabControl.
func (t *Tab) Activate(ctx context.Context) error {
	if err := t.problem(); err != nil {
		return err
	}
	if err := t.b.do(ctx, "tabs.activate", obj{"tab": t.number}, true, nil); err != nil {
		return t.explain(err)
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.b.active = t.number
	return nil
}

// Close implements ports.TabControl.
func (t *Tab) Close(ctx context.Context) error {
	if err := t.problem(); err != nil {
		return err
	}
	if err := t.b.do(ctx, "tabs.close", obj{"tab": t.number}, true, nil); err != nil && t.problem() == nil {
		return err
	}
	return t.b.until(ctx, func() (bool, error) { return t.closed, nil })
}

// Dialog implements ports.TabControl. Extensions do not learn of dialogs: the person answers them.
func (t *Tab) Dialog(context.Context, bool, string) error {
	if err := t.problem(); err != nil {
		return err
	}
	return ports.NewError(ports.CodeUsage, "no dialog that wb can answer is open", "ask the person to look at the tab")
}

// frameSeen is a frame as the extension lists it.
type frameSeen struct {
	Frame  int    `json:"frame"`
	Parent int    `json:"parent"`
	URL    string `json:"url"`
}

// refresh looks which frames there are.
func (t *Tab) refresh(ctx context.Context) error {
	var list []frameSeen
	if err := t.b.do(ctx, "frames.list", obj{"tab": t.number}, false, &list); err != nil {
		return t.explain(err)
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	defer t.b.bump()
	there := map[int]bool{0: true}
	for _, s := range list {
		there[s.Frame] = true
		if f := t.frames[s.Frame]; f != nil {
			f.url, f.parent = s.URL, s.Parent
			continue
		}
		t.frames[s.Frame] = &frame{number: s.Frame, parent: s.Parent, n: t.nextFrame, url: s.URL, ready: true}
		t.nextFrame++
	}
	for n := range t.frames {
		if !there[n] {
			delete(t.frames, n)
		}
	}
	return t.trouble()
}

// Frames implements ports.Page.
func (t *Tab) Frames(ctx context.Context) ([]ports.Frame, error) {
	if err := t.problem(); err != nil {
		return nil, err
	}
	if err := t.refresh(ctx); err != nil {
		return nil, err
	}
	t.b.mu.Lock()
	holders := map[int]bool{}
	for _, f := range t.frames {
		holders[f.parent] = holders[f.parent] || f.owner == "" && f.number != 0
	}
	t.b.mu.Unlock()
	for n, asks := range holders {
		if asks {
			t.owners(ctx, n)
		}
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	var out []ports.Frame
	for _, f := range t.sorted() {
		p := ports.Frame{ID: frameName(f.n), URL: f.url, Origin: originOf(f.url), Owner: f.owner}
		if g := t.frames[f.parent]; g != nil && f.number != 0 {
			p.Parent = frameName(g.n)
		}
		out = append(out, p)
	}
	return out, nil
}

// owners learns the refs of the elements that hold a frame's children.
func (t *Tab) owners(ctx context.Context, parent int) {
	t.b.mu.Lock()
	f, base := t.frames[parent], t.maxRef
	if f == nil {
		t.b.mu.Unlock()
		return
	}
	name := frameName(f.n)
	t.b.mu.Unlock()
	var list []struct {
		Ref   string `json:"ref"`
		Frame int    `json:"frame"`
	}
	if t.b.do(ctx, "frame.owners", obj{"tab": t.number, "frame": parent, "name": name, "base": base}, false, &list) != nil {
		return // they have no owner then
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, o := range list {
		f := t.frames[o.Frame]
		n, ok := refNumber(o.Ref, name)
		if f == nil || !ok || f.parent != parent {
			continue
		}
		f.owner = o.Ref
		t.maxRef = max(t.maxRef, n)
	}
}
