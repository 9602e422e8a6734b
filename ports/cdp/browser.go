package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/wb-agent/wb/extension"
	"github.com/wb-agent/wb/ports"
)

// Browser is a running Chromium. It implements ports.Browser and ports.Fenced; its tabs are *Tab.
type Browser struct {
	conn   *conn
	proc   *process // nil when it was attached
	script string   // the page script

	mu       sync.Mutex
	tabs     map[string]*Tab
	order    []string             // tab ids, oldest first
	sessions map[string]*attached // by session id
	refBase  int                  // see RefsAbove
	active   string               // tab that was shown last
	judge    func(ports.Navigation) error
	notices  []ports.Notice
	seq      int64
	changed  chan struct{} // closed and replaced at each change of state
	closing  bool
}

var (
	_ ports.Browser = (*Browser)(nil)
	_ ports.Fenced  = (*Browser)(nil)
)

// Attach connects to a browser that somebody else runs: a ws:// URL of its browser target, or the http://
// address of its debugging port. Close leaves the browser alone.
func Attach(ctx context.Context, url string) (*Browser, error) {
	if strings.HasPrefix(url, "http://") || strings.HasPrefix(url, "https://") {
		var err error
		if url, err = endpoint(ctx, url); err != nil {
			return nil, noEndpoint(url, err)
		}
	}
	s, err := dial(ctx, url)
	if err != nil {
		return nil, noEndpoint(url, err)
	}
	return Connect(ctx, s)
}

func noEndpoint(url string, err error) error {
	return &ports.Error{Code: ports.CodeNoBrowser, Msg: "no browser answers at " + url, Fix: "start it with --remote-debugging-port=9222 and give its ws:// or http:// address", Err: err}
}

// endpoint asks a debugging port for the URL of its browser target.
func endpoint(ctx context.Context, base string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(base, "/")+"/json/version", nil)
	if err != nil {
		return base, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return base, err
	}
	defer res.Body.Close()
	var v struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, res.Body, 1<<20)).Decode(&v); err != nil || v.URL == "" {
		return base, fmt.Errorf("%s is no debugging port", base)
	}
	return v.URL, nil
}

// Connect drives the browser at the other end of a transport, which it owns from now on.
func Connect(ctx context.Context, t Transport) (*Browser, error) {
	b, err := connect(ctx, t, nil)
	if err != nil {
		t.Close()
	}
	return b, err
}

func connect(ctx context.Context, t Transport, p *process) (*Browser, error) {
	script, err := extension.PageScript()
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeNoBrowser, Msg: err.Error(), Fix: "run `make generate`", Err: err}
	}
	b := &Browser{proc: p, script: script, tabs: map[string]*Tab{}, sessions: map[string]*attached{}, changed: make(chan struct{})}
	b.conn = newConn(t, b.handle)
	go b.watch()
	root := session{c: b.conn}
	if _, err := cdp.Call(ctx, root, browser.GetVersion, cdp.Empty{}); err != nil {
		return nil, err
	}
	b.conn.post("", browser.CommandSetDownloadBehavior, browser.SetDownloadBehaviorParams{Behavior: browser.SetDownloadBehaviorBehaviorDeny, EventsEnabled: new(true)}, nil)
	// From the browser's own session, so that popups are held before their first request.
	err = root.Call(ctx, target.CommandSetAutoAttach, autoAttach("page"), nil)
	if err != nil {
		return nil, err
	}
	return b, b.wait(ctx, func() (bool, error) { return len(b.tabs) > 0 || p == nil, nil })
}

func autoAttach(kind string) target.SetAutoAttachParams {
	return target.SetAutoAttachParams{AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: new(true), Filter: target.Filter{{Type: kind}}}
}

// watch tells everybody when the connection is lost.
func (b *Browser) watch() {
	<-b.conn.done
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.tabs {
		t.halt()
	}
	if !b.closing {
		b.note(ports.Notice{Kind: "gone", Text: "the browser is gone"})
	}
	b.notify()
}

// notify wakes who waits; with b.mu held.
func (b *Browser) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// wait returns when so, called with b.mu held, says true or an error, ctx ends, or the browser is gone.
func (b *Browser) wait(ctx context.Context, so func() (bool, error)) error {
	for {
		b.mu.Lock()
		ok, err := so()
		changed := b.changed
		b.mu.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return late(ctx, "the browser")
		case <-b.conn.done:
			return gone(b.conn.err)
		}
	}
}

// late turns the end of a context into an error of ours.
func late(ctx context.Context, who string) error {
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		return &ports.Error{Code: ports.CodeCancelled, Msg: "cancelled", Err: err}
	}
	return &ports.Error{Code: ports.CodeTimeout, Msg: who + " did not answer in time", Fix: "wait, or try again with a longer timeout", Err: err}
}

// maxNotices is how many notices are kept.
const maxNotices = 256

// note keeps a notice; with b.mu held.
func (b *Browser) note(n ports.Notice) {
	b.seq++
	n.Seq = b.seq
	n.Text, n.URL = cut(n.Text, 500), cut(n.URL, 2000)
	b.notices = append(b.notices, n)
	if len(b.notices) > maxNotices {
		b.notices = slices.Delete(b.notices, 0, len(b.notices)-maxNotices)
	}
}

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

// Notices implements ports.Browser.
func (b *Browser) Notices(since int64) []ports.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.notices, func(n ports.Notice) bool { return n.Seq > since })
	if i < 0 {
		return nil
	}
	return slices.Clone(b.notices[i:])
}

// Fence implements ports.Fenced. It judges from the next request on.
func (b *Browser) Fence(judge func(ports.Navigation) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.judge = judge
}

// Tabs implements ports.Browser.
func (b *Browser) Tabs(ctx context.Context) ([]ports.TabInfo, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	list := make([]*Tab, 0, len(b.order))
	for _, id := range b.order {
		list = append(list, b.tabs[id])
	}
	b.mu.Unlock()
	out := make([]ports.TabInfo, 0, len(list))
	for _, t := range list {
		info, err := t.Info(ctx)
		if ports.CodeOf(err) == ports.CodeTabGone {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	return out, nil
}

func (b *Browser) alive() error {
	select {
	case <-b.conn.done:
		return gone(b.conn.err)
	default:
		return nil
	}
}

// Tab implements ports.Browser.
func (b *Browser) Tab(ctx context.Context, id string) (ports.Tab, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	t := b.tabs[id]
	b.mu.Unlock()
	if t == nil {
		return nil, ports.NewError(ports.CodeTabGone, "no tab "+cut(id, 40), "list the tabs and use one of them")
	}
	return t, t.ready(ctx)
}

// Await returns a tab that is about to be attached, once it is set up.
func (b *Browser) Await(ctx context.Context, id string) (ports.Tab, error) {
	if err := b.wait(ctx, func() (bool, error) { return b.tabs[id] != nil, nil }); err != nil {
		return nil, err
	}
	return b.Tab(ctx, id)
}

// Open implements ports.Browser. It returns once the page has been committed; a page that cannot be
// loaded closes the tab again.
func (b *Browser) Open(ctx context.Context, url string) (ports.Tab, error) {
	res, err := cdp.Call(ctx, session{c: b.conn}, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		return nil, b.wrong(ctx, err)
	}
	id := string(res.TargetID)
	var t *Tab
	err = b.wait(ctx, func() (bool, error) { t = b.tabs[id]; return t != nil, nil })
	if err == nil {
		err = t.ready(ctx)
	}
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.active = id
	b.mu.Unlock()
	if url == "" {
		return t, nil
	}
	if _, err := t.navigate(ctx, ports.Nav{URL: url}, false); err != nil {
		_ = t.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return t, nil
}

// wrong gives a protocol or context error its code.
func (b *Browser) wrong(ctx context.Context, err error) error {
	switch {
	case err == nil || ports.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return late(ctx, "the browser")
	case b.alive() != nil:
		return b.alive()
	}
	return &ports.Error{Code: ports.CodeUnknown, Msg: "the browser refused", Err: err}
}

// closeTime is how long a browser may take to close politely.
const closeTime = 3 * time.Second

// Close implements ports.Browser.
func (b *Browser) Close() error {
	b.mu.Lock()
	again := b.closing
	b.closing = true
	b.mu.Unlock()
	if again {
		<-b.conn.idle
		return nil
	}
	if b.proc != nil {
		b.conn.post("", browser.CommandClose, nil, nil)
		b.proc.stop(closeTime)
	}
	b.conn.lose(errors.New("closed"))
	<-b.conn.idle
	return nil
}
