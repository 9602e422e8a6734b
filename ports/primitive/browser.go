// Package primitive is what the dotted names do: thin tools over the ports, one file a family.
//
// They hold no policy: when one of them runs, the kernel has recorded, checked and allowed the call. They
// add what every driver would otherwise repeat: which tab a run works in, one outline over all frames,
// and the shape of results.
//
// Read browser.go, then snapshot.go; http.go, model.go, kv.go and ask.go stand alone.
package primitive

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Browser offers browser.* over one browser, started at its first use. Safe for concurrent use.
type Browser struct {
	start func(ctx context.Context) (ports.Browser, error)
	vault Vault

	starting sync.Mutex // held while the browser starts, so that it starts once
	opening  sync.Mutex // held while a run gets a tab, so that no two take the same

	mu      sync.Mutex
	browser ports.Browser
	runs    map[string]*tabs
	echoes  []string // forms of the secrets that were typed by name
}

// tabs is what a run knows of tabs: the one it works in, and those it opened.
type tabs struct {
	current string
	own     []string
	parent  string        // run that this one works for, in its tab
	lent    ports.Browser // the person's own, nil for wb's
}

// NewBrowser makes the tools' state. start is called at the first use, and again after a failure.
func NewBrowser(start func(ctx context.Context) (ports.Browser, error), v Vault) *Browser {
	return &Browser{start: start, vault: v, runs: map[string]*tabs{}}
}

// Started returns the browser if it has been started.
func (b *Browser) Started() (ports.Browser, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.browser, b.browser != nil
}

// Close ends the browser if it was started.
func (b *Browser) Close() error {
	br, ok := b.Started()
	if !ok {
		return nil
	}
	return br.Close()
}

// RunOf returns the run that works in a tab or opened it, "" if none does.
func (b *Browser) RunOf(tab string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, r := range b.runs {
		if r.current == tab || slices.Contains(r.own, tab) {
			return id
		}
	}
	return ""
}

// Lend lets a run work in a browser that wb did not start, beginning in one of its tabs. Whoever lends it closes
// it.
func (b *Browser) Lend(run string, br ports.Browser, tab string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.run(run)
	r.lent, r.current = br, tab
}

// Share lets a run begin in the tab of the run that it works for.
func (b *Browser) Share(run, parent string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.run(run)
	p := b.run(parent)
	r.current, r.lent, r.parent = p.current, p.lent, parent
}

// EndRun forgets which tabs a run opened. The tabs stay; those of a run that worked for another one are the
// other's from now on, which goes on where it ended.
func (b *Browser) EndRun(run string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.run(run)
	delete(b.runs, run)
	p := b.runs[r.parent]
	if p == nil {
		return
	}
	for _, tab := range r.own {
		if !slices.Contains(p.own, tab) {
			p.own = append(p.own, tab)
		}
	}
	p.current = cmp.Or(r.current, p.current)
}

// get is the browser that a run works in.
func (b *Browser) get(ctx context.Context, run string) (ports.Browser, error) {
	b.mu.Lock()
	lent := b.run(run).lent
	b.mu.Unlock()
	if lent != nil {
		return lent, nil
	}
	b.starting.Lock()
	defer b.starting.Unlock()
	if br, ok := b.Started(); ok {
		return br, nil
	}
	br, err := b.start(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.browser = br
	return br, nil
}

func (b *Browser) run(id string) *tabs {
	if b.runs[id] == nil {
		b.runs[id] = &tabs{}
	}
	return b.runs[id]
}

// Page returns a tab: the named one, or with "" the run's current one. A run without a tab works in the
// first open one, or gets an empty one of its own.
func (b *Browser) Page(ctx context.Context, run, tab string) (ports.Tab, bool, error) {
	br, err := b.get(ctx, run)
	if err != nil {
		return nil, false, err
	}
	if tab == "" {
		b.mu.Lock()
		tab = b.run(run).current
		b.mu.Unlock()
	}
	if tab == "" {
		t, err := b.firstTab(ctx, br, run)
		return t, true, err
	}
	t, err := br.Tab(ctx, tab)
	b.mu.Lock()
	defer b.mu.Unlock()
	return t, slices.Contains(b.run(run).own, tab), err
}

// firstTab takes over a tab that no other run works in, or opens one.
func (b *Browser) firstTab(ctx context.Context, br ports.Browser, run string) (ports.Tab, error) {
	b.opening.Lock()
	defer b.opening.Unlock()
	infos, err := br.Tabs(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	free := slices.IndexFunc(infos, func(i ports.TabInfo) bool {
		for _, r := range b.runs {
			if r.current == i.ID || slices.Contains(r.own, i.ID) {
				return false
			}
		}
		return i.URL == "about:blank"
	})
	if free >= 0 {
		b.use(run, infos[free].ID, true)
		b.mu.Unlock()
		return br.Tab(ctx, infos[free].ID)
	}
	b.mu.Unlock()
	return b.openHeld(ctx, br, run)
}

func (b *Browser) open(ctx context.Context, br ports.Browser, run string) (ports.Tab, error) {
	b.opening.Lock()
	defer b.opening.Unlock()
	return b.openHeld(ctx, br, run)
}

// openHeld opens an empty tab for a run; b.opening is held.
func (b *Browser) openHeld(ctx context.Context, br ports.Browser, run string) (ports.Tab, error) {
	t, err := br.Open(ctx, "")
	if err != nil {
		return nil, err
	}
	info, err := t.Info(ctx)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.use(run, info.ID, true)
	return t, nil
}

// use makes a tab the run's current one; b.mu is held.
func (b *Browser) use(run, tab string, own bool) {
	r := b.run(run)
	r.current = tab
	if own && !slices.Contains(r.own, tab) {
		r.own = append(r.own, tab)
	}
}

// Tools are the browser.* primitives.
func (b *Browser) Tools() []ports.Tool {
	return []ports.Tool{
		primitive("browser.read", ports.RiskRead, "Look at a page.", readSchema, b.withoutSecrets(b.read)),
		primitive("browser.act", ports.RiskAct, "Act in a page by script.", readSchema, b.withoutSecrets(b.act)),
		primitive("browser.input", ports.RiskAct, "Send trusted input.", inputSchema, b.withoutSecrets(b.input)),
		primitive("browser.nav", ports.RiskAct, "Go to a URL, through history, or reload.", navSchema, b.withoutSecrets(b.nav)),
		primitive("browser.tabs", ports.RiskAct, "List, open, activate and close tabs; answer a dialog.", tabsSchema, b.withoutSecrets(b.tabs)),
		primitive("browser.capture", ports.RiskRead, "Take a picture.", captureSchema, b.capture),
		primitive("browser.eval", ports.RiskDangerous, "Run code in the page's own world.", evalSchema, b.withoutSecrets(b.eval)),
	}
}

// request is the arguments of browser.read and browser.act.
type request struct {
	Op    string          `json:"op"`
	Tab   string          `json:"tab"`
	Frame string          `json:"frame"`
	Args  json.RawMessage `json:"args"`
}

// frame is the one named, else the one whose ref is asked about, else the top one.
func (r request) frame() string {
	if r.Frame != "" {
		return r.Frame
	}
	var a struct {
		Ref  string `json:"ref"`
		Root string `json:"root"`
	}
	_ = json.Unmarshal(r.Args, &a) // refs that are not strings are the page script's to refuse
	if a.Ref == "" {
		a.Ref = a.Root
	}
	return ports.FrameOf(a.Ref)
}

func (b *Browser) read(ctx context.Context, c ports.Call) (ports.Result, error) {
	r, t, err := on[request](ctx, b, c, func(r request) string { return r.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	switch r.Op {
	case "snapshot":
		return snapshot(ctx, t, r)
	case "frames":
		frames, err := t.Frames(ctx)
		return data(frames, err)
	case "notices":
		return b.notices(ctx, c.Run, r)
	}
	raw, err := t.Read(ctx, r.frame(), r.Op, r.Args)
	return ports.Result{Data: raw}, err
}

func (b *Browser) act(ctx context.Context, c ports.Call) (ports.Result, error) {
	r, t, err := on[request](ctx, b, c, func(r request) string { return r.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	raw, err := t.Act(ctx, r.frame(), r.Op, r.Args)
	return ports.Result{Data: raw}, err
}

func (b *Browser) notices(ctx context.Context, run string, r request) (ports.Result, error) {
	var a struct {
		Since int64 `json:"since"`
	}
	if err := json.Unmarshal(orEmpty(r.Args), &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	b.mu.Lock()
	br := cmp.Or(b.run(run).lent, b.browser)
	b.mu.Unlock()
	if br == nil {
		return data([]ports.Notice{}, nil)
	}
	return data(br.Notices(a.Since), nil)
}

type inputArgs struct {
	ports.Input
	Tab string `json:"tab"`
}

func (b *Browser) input(ctx context.Context, c ports.Call) (ports.Result, error) {
	in, t, err := on[inputArgs](ctx, b, c, func(i inputArgs) string { return i.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	if in.Kind == "text" {
		if in.Text, err = b.typed(ctx, t, in.Input); err != nil {
			return ports.Result{}, err
		}
	}
	res, err := t.Input(ctx, in.Input)
	return data(res, err)
}

type navArgs struct {
	ports.Nav
	Tab string `json:"tab"`
}

func (b *Browser) nav(ctx context.Context, c ports.Call) (ports.Result, error) {
	n, t, err := on[navArgs](ctx, b, c, func(n navArgs) string { return n.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	res, err := arrive(ctx, t, n.Nav)
	return data(res, err)
}

func (b *Browser) capture(ctx context.Context, c ports.Call) (ports.Result, error) {
	type args struct {
		ports.Capture
		Tab string `json:"tab"`
	}
	a, t, err := on[args](ctx, b, c, func(a args) string { return a.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	img, err := t.Capture(ctx, a.Capture)
	if err != nil {
		return ports.Result{}, err
	}
	res, err := data(map[string]any{"width": img.Width, "height": img.Height, "bytes": len(img.Data), "mime": img.MIME}, nil)
	res.Content = []ports.Content{{Type: "image", MIME: img.MIME, Data: img.Data}}
	return res, err
}

func (b *Browser) eval(ctx context.Context, c ports.Call) (ports.Result, error) {
	type args struct {
		Tab   string `json:"tab"`
		Frame string `json:"frame"`
		Code  string `json:"code"`
	}
	a, t, err := on[args](ctx, b, c, func(a args) string { return a.Tab })
	if err != nil {
		return ports.Result{}, err
	}
	e, ok := t.(ports.Evaluator)
	if !ok {
		return ports.Result{}, ports.NewError(ports.CodeRefused, "this browser cannot run code in a page", "use a Chromium that wb started")
	}
	if a.Frame == "" {
		a.Frame = "f0"
	}
	raw, err := e.Eval(ctx, a.Frame, a.Code)
	return ports.Result{Data: raw}, err
}

// on decodes a call's arguments and finds its tab.
func on[T any](ctx context.Context, b *Browser, c ports.Call, tab func(T) string) (T, ports.Tab, error) {
	var a T
	if err := json.Unmarshal(orEmpty(c.Args), &a); err != nil {
		return a, nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%s: %v", c.Tool, err), "")
	}
	t, _, err := b.Page(ctx, c.Run, tab(a))
	return a, t, err
}
