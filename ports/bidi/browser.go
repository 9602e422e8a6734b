package bidi

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wb-agent/wb/extension"
	"github.com/wb-agent/wb/ports"
)

// Browser is one Firefox. It implements ports.Browser and ports.Fenced. Safe for concurrent use.
type Browser struct {
	p      *process
	c      *conn
	script string // of every frame's sandbox
	secret string // by which the hook in the page's world is asked

	mu      sync.Mutex
	changed chan struct{} // closed and made anew at each change
	tabs    map[string]*Tab
	frames  map[string]*frame // by browsing context, top ones too
	opened  int
	active  string // tab that is shown
	front   string // tab that was activated, and so has the keyboard
	seq     int64
	notices []ports.Notice
	judge   func(ports.Navigation) error
	closing bool
}

var (
	_ ports.Browser = (*Browser)(nil)
	_ ports.Fenced  = (*Browser)(nil)
)

// sandbox is the world of the page script.
const sandbox = "wb"

// maxNotices is how many notices are kept.
const maxNotices = 256

var subscriptions = []string{"browsingContext", "network.beforeRequestSent", "network.responseCompleted", "network.fetchError", "script.message"}

func connect(ctx context.Context, url string, p *process) (*Browser, error) {
	script, err := extension.PageScript()
	if err != nil {
		return nil, err
	}
	hook, err := extension.Hook()
	if err != nil {
		return nil, err
	}
	c, err := dial(ctx, url)
	if err != nil {
		return nil, err
	}
	b := &Browser{p: p, c: c, script: script, secret: "wb" + rand.Text(), changed: make(chan struct{}), tabs: map[string]*Tab{}, frames: map[string]*frame{}}
	go c.read(b.event)
	steps := []struct {
		method string
		params obj
	}{
		{"session.new", obj{"capabilities": obj{"alwaysMatch": obj{"unhandledPromptBehavior": obj{"default": "ignore"}}}}},
		{"session.subscribe", obj{"events": subscriptions}},
		{"script.addPreloadScript", obj{"functionDeclaration": "()=>{" + script + "}", "sandbox": sandbox}},
		{"script.addPreloadScript", obj{"functionDeclaration": "()=>{(" + hook + ")(\"" + b.secret + "\")}"}},
		{"script.addPreloadScript", obj{"functionDeclaration": printing, "arguments": []obj{{"type": "channel", "value": obj{"channel": printChannel}}}}},
		{"browser.setDownloadBehavior", obj{"downloadBehavior": obj{"type": "denied"}}},
	}
	for i, s := range steps {
		if err := c.call(ctx, nil, s.method, s.params, nil); err != nil && i < len(steps)-1 { // an older Firefox asks before a download
			return nil, err
		}
	}
	var tree struct {
		Contexts []contextInfo `json:"contexts"`
	}
	if err := c.call(ctx, nil, "browsingContext.getTree", obj{}, &tree); err != nil {
		return nil, err
	}
	b.mu.Lock()
	for _, i := range tree.Contexts {
		b.plant(i)
	}
	b.mu.Unlock()
	return b, nil
}

// alive fails once the browser has ended.
func (b *Browser) alive() error {
	select {
	case <-b.c.gone:
		return browserGone()
	default:
		return nil
	}
}

// bump wakes those who wait for a change; b.mu is held.
func (b *Browser) bump() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// until waits for what ready says, asked under b.mu after each change.
func (b *Browser) until(ctx context.Context, ready func() (bool, error)) error {
	for {
		b.mu.Lock()
		ok, err := ready()
		wake := b.changed
		b.mu.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-wake:
		case <-b.c.gone:
			return browserGone()
		case <-ctx.Done():
			return late(ctx, "the page")
		}
	}
}

// notice remembers what happened; b.mu is held.
func (b *Browser) notice(n ports.Notice) {
	b.seq++
	n.Seq = b.seq
	b.notices = append(b.notices[max(0, len(b.notices)-maxNotices+1):], n)
}

// Notices implements ports.Browser.
func (b *Browser) Notices(since int64) []ports.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []ports.Notice{}
	for _, n := range b.notices {
		if n.Seq > since {
			out = append(out, n)
		}
	}
	return out
}

// Tabs implements ports.Browser.
func (b *Browser) Tabs(ctx context.Context) ([]ports.TabInfo, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	list := make([]*Tab, 0, len(b.tabs))
	for _, t := range b.tabs {
		list = append(list, t)
	}
	b.mu.Unlock()
	slices.SortFunc(list, func(x, y *Tab) int { return cmp.Compare(x.n, y.n) })
	out := []ports.TabInfo{}
	for _, t := range list {
		if i, err := t.Info(ctx); err == nil {
			out = append(out, i)
		}
	}
	return out, b.alive()
}

// Open implements ports.Browser.
func (b *Browser) Open(ctx context.Context, url string) (ports.Tab, error) {
	var r struct {
		Context string `json:"context"`
	}
	if err := b.c.call(ctx, nil, "browsingContext.create", obj{"type": "tab"}, &r); err != nil {
		return nil, err
	}
	var t *Tab
	err := b.until(ctx, func() (bool, error) { t = b.tabs[r.Context]; return t != nil, nil })
	if err != nil {
		return nil, err
	}
	if url != "" {
		return t, b.c.call(ctx, nil, "browsingContext.navigate", obj{"context": t.id, "url": url, "wait": "none"}, nil)
	}
	return t, nil
}

// Tab implements ports.Browser.
func (b *Browser) Tab(_ context.Context, id string) (ports.Tab, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.tabs[id]; t != nil {
		return t, nil
	}
	return nil, ports.NewError(ports.CodeTabGone, "no tab "+cut(id, 60), "list the tabs and go on in another one")
}

// RefsAbove makes refs of tabs that are opened from now on begin above n.
func (b *Browser) RefsAbove(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		t.maxRef = max(t.maxRef, n)
	}
}

// Fence implements ports.Fenced. While a judge is set every request waits for us.
func (b *Browser) Fence(judge func(ports.Navigation) error) {
	b.mu.Lock()
	b.judge = judge
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if judge != nil {
		_ = b.c.call(ctx, nil, "network.addIntercept", obj{"phases": []string{"beforeRequestSent"}}, nil) // a browser that is gone is told of elsewhere
	}
}

// Close implements ports.Browser.
func (b *Browser) Close() error {
	b.mu.Lock()
	again := b.closing
	b.closing = true
	b.mu.Unlock()
	if again {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	_ = b.c.call(ctx, nil, "browser.close", obj{}, nil) // it is killed if it does not
	b.p.stop(2 * time.Second)
	_ = b.c.ws.CloseNow() // the other side is gone
	return nil
}

// event takes in what Firefox tells.
func (b *Browser) event(method string, raw json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if f := handlers[method]; f != nil {
		f(b, raw)
		b.bump()
	}
}

func (b *Browser) nextTab() int { b.opened++; return b.opened }

func frameName(n int) string { return "f" + strconv.Itoa(n) }
