package bidi

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/settle"
)

// Tab is one tab. It implements ports.Tab and ports.Evaluator. Fields below b are guarded by Browser.mu.
type Tab struct {
	b      *Browser
	id     string // of its top browsing context
	opener string
	n      int // in order of opening

	nextFrame int
	maxRef    int
	halted    chan struct{}
	stopped   bool
	closed    bool
	dialog    *prompt
	documents int
	downloads int
	going     string // navigation under way
	failed    string // navigation that failed
	ours      bool   // the navigation is ours
	refused   error  // why the fence stopped it
	status    int
	watch     *settle.Watch
}

var (
	_ ports.Tab       = (*Tab)(nil)
	_ ports.Evaluator = (*Tab)(nil)
)

func newTab(b *Browser, id, opener string) *Tab {
	t := &Tab{b: b, id: id, opener: opener, n: b.nextTab(), halted: make(chan struct{})}
	t.watch = settle.New(watched{t}, poll)
	return t
}

// halt ends the calls that wait for the page; with Browser.mu held.
func (t *Tab) halt() {
	if !t.stopped {
		t.stopped = true
		close(t.halted)
	}
}

// unhalt lets calls wait again; with Browser.mu held.
func (t *Tab) unhalt() {
	if t.stopped && !t.closed && t.dialog == nil {
		t.stopped = false
		t.halted = make(chan struct{})
	}
}

// trouble says why the page cannot be asked, or nil; with Browser.mu held.
func (t *Tab) trouble() error {
	switch {
	case t.closed:
		return ports.NewError(ports.CodeTabGone, "the tab is closed", "list the tabs and go on in another one")
	case t.dialog != nil:
		return ports.NewError(ports.CodeDialogOpen, "a JavaScript "+t.dialog.Type+" is open: "+cut(t.dialog.Message, 200), "accept or dismiss it first")
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

// call sends a command that waits for the page, and gives its errors their codes.
func (t *Tab) call(ctx context.Context, method string, params, result any) error {
	t.b.mu.Lock()
	stop := t.halted
	t.b.mu.Unlock()
	err := t.b.c.call(ctx, stop, method, params, result)
	if err == nil || ctx.Err() != nil || ports.CodeOf(err) != "" {
		return err
	}
	if p := t.problem(); p != nil {
		return p
	}
	return err
}

// Info implements ports.Tab. It never waits for the page.
func (t *Tab) Info(ctx context.Context) (ports.TabInfo, error) {
	if err := t.b.alive(); err != nil {
		return ports.TabInfo{}, err
	}
	t.b.mu.Lock()
	i := ports.TabInfo{ID: t.id, URL: t.top().url, Opener: t.opener, Active: t.b.active == t.id}
	gone, halted := t.closed, t.stopped
	t.b.mu.Unlock()
	if gone {
		return i, ports.NewError(ports.CodeTabGone, "the tab is closed", "list the tabs and go on in another one")
	}
	if !halted {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if s, err := t.evaluate(ctx, t.id, "document.title", sandbox); err == nil {
			i.Title = s
		}
	}
	return i, nil
}

// top is the main frame; with Browser.mu held.
func (t *Tab) top() *frame {
	if f := t.b.frames[t.id]; f != nil {
		return f
	}
	return &frame{}
}

const navTime = 30 * time.Second

// Nav implements ports.Tab.
func (t *Tab) Nav(ctx context.Context, n ports.Nav) (ports.NavResult, error) {
	ctx, cancel := context.WithTimeout(ctx, navTime)
	defer cancel()
	if err := t.problem(); err != nil {
		return ports.NavResult{}, err
	}
	if err := t.mayGo(n.URL); err != nil {
		return ports.NavResult{}, err
	}
	t.watch.Forget()
	t.b.mu.Lock()
	before := t.documents
	t.ours, t.refused, t.status = true, nil, 0
	t.b.mu.Unlock()
	defer func() {
		t.b.mu.Lock()
		t.ours = false
		t.b.mu.Unlock()
	}()
	err := t.travel(ctx, n)
	t.b.mu.Lock()
	refused, dialog := t.refused, t.dialog
	t.b.mu.Unlock()
	switch {
	case dialog != nil && dialog.Type == "beforeunload":
		if err := t.unsaved(ctx, n, before); err != nil {
			return ports.NavResult{}, err
		}
		return t.arrived(ctx, before)
	case refused != nil:
		return ports.NavResult{}, &ports.Error{Code: ports.CodeBlocked, Msg: refused.Error(), Fix: ports.FixOf(refused), Err: refused}
	case err != nil:
		return ports.NavResult{}, navError(err)
	}
	return t.arrived(ctx, before)
}

// mayGo judges an address that no request will show to the fence.
func (t *Tab) mayGo(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https" || raw == "about:blank"):
		return nil
	case err != nil || u.Scheme == "javascript" || u.Scheme == "":
		return ports.NewError(ports.CodeInvalidArgs, cut(raw, 60)+" is no place to go", "give an absolute http or https URL")
	}
	t.b.mu.Lock()
	judge, from := t.b.judge, t.top().url
	t.b.mu.Unlock()
	if judge == nil {
		return nil
	}
	if err := judge(ports.Navigation{Tab: t.id, Opener: t.opener, URL: raw, From: from, Method: "GET", User: true}); err != nil {
		return &ports.Error{Code: ports.CodeBlocked, Msg: err.Error(), Fix: ports.FixOf(err), Err: err}
	}
	return nil
}

func (t *Tab) travel(ctx context.Context, n ports.Nav) error {
	switch {
	case n.URL != "":
		return t.call(ctx, "browsingContext.navigate", obj{"context": t.id, "url": n.URL, "wait": "interactive"}, nil)
	case n.Reload:
		return t.call(ctx, "browsingContext.reload", obj{"context": t.id, "wait": "interactive"}, nil)
	}
	t.b.mu.Lock()
	before, at := t.documents, t.top().url
	t.b.mu.Unlock()
	if err := t.call(ctx, "browsingContext.traverseHistory", obj{"context": t.id, "delta": n.Delta}, nil); err != nil {
		return err
	}
	return t.b.until(ctx, func() (bool, error) {
		return t.dialog != nil || t.refused != nil || t.documents > before && t.top().ready || t.top().url != at && t.documents == before, t.goneNow()
	})
}

func (t *Tab) goneNow() error {
	if t.closed {
		return t.trouble()
	}
	return nil
}

// unsaved answers a page that asks to stay: with force it is left, else we stay.
func (t *Tab) unsaved(ctx context.Context, n ports.Nav, before int) error {
	if err := t.Dialog(ctx, n.Force, ""); err != nil {
		return err
	}
	if n.Force { // the navigation goes on by itself
		return t.b.until(ctx, func() (bool, error) { return t.documents > before && t.top().ready, t.goneNow() })
	}
	return ports.NewError(ports.CodeUnsaved, "the page holds unsaved input and asks to stay", "save it, or leave with force")
}

func navError(err error) error {
	var f *failure
	if !errors.As(err, &f) {
		return err
	}
	if f.code == "invalid argument" {
		return ports.NewError(ports.CodeInvalidArgs, "not a URL: "+cut(f.text, 100), "give an absolute http or https URL")
	}
	if strings.Contains(f.text, "NS_BINDING_ABORTED") {
		return ports.NewError(ports.CodeNavFailed, "the page did not load: it was given up, or it is a download", "look at where the tab is")
	}
	return ports.NewError(ports.CodeNavFailed, "the page did not load: "+cut(f.text, 200), "check the address, or try again later")
}

func (t *Tab) arrived(ctx context.Context, before int) (ports.NavResult, error) {
	i, err := t.Info(ctx)
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return ports.NavResult{URL: i.URL, Title: i.Title, Status: t.status, Same: t.documents == before}, err
}

// Activate implements ports.TabControl.
func (t *Tab) Activate(ctx context.Context) error {
	if err := t.b.c.call(ctx, nil, "browsingContext.activate", obj{"context": t.id}, nil); err != nil {
		return err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.b.active, t.b.front = t.id, t.id
	return nil
}

// front brings the tab to the front, where alone input reaches it.
func (t *Tab) front(ctx context.Context) error {
	t.b.mu.Lock()
	there := t.b.front == t.id
	t.b.mu.Unlock()
	if there {
		return nil
	}
	return t.Activate(ctx)
}

// Close implements ports.TabControl.
func (t *Tab) Close(ctx context.Context) error {
	if err := t.b.c.call(ctx, nil, "browsingContext.close", obj{"context": t.id, "promptUnload": false}, nil); err != nil && ports.CodeOf(err) != "" {
		return err
	}
	return t.b.until(ctx, func() (bool, error) { return t.closed, nil })
}

// Dialog implements ports.TabControl.
func (t *Tab) Dialog(ctx context.Context, accept bool, text string) error {
	t.b.mu.Lock()
	open := t.dialog != nil
	t.b.mu.Unlock()
	if !open {
		return ports.NewError(ports.CodeUsage, "no dialog is open", "look at the page")
	}
	p := obj{"context": t.id, "accept": accept}
	if text != "" {
		p["userText"] = text
	}
	if err := t.b.c.call(ctx, nil, "browsingContext.handleUserPrompt", p, nil); err != nil {
		return err
	}
	return t.b.until(ctx, func() (bool, error) { return t.dialog == nil || t.closed, nil })
}

// Capture implements ports.Tab. Secret fields are covered before it is taken.
func (t *Tab) Capture(ctx context.Context, c ports.Capture) (ports.Image, error) {
	if err := t.problem(); err != nil {
		return ports.Image{}, err
	}
	mime := "image/jpeg"
	format := obj{"type": mime, "quality": float64(orElse(c.Quality, 75)) / 100}
	if c.Format == "png" {
		mime, format = "image/png", obj{"type": "image/png"}
	}
	p := obj{"context": t.id, "format": format, "origin": "viewport"}
	if c.Full {
		p["origin"] = "document"
	}
	if c.Ref != "" {
		at, err := t.point(ctx, c.Ref, true)
		if err != nil {
			return ports.Image{}, err
		}
		p["clip"] = obj{"type": "box", "x": at.Rect.X, "y": at.Rect.Y, "width": at.Rect.W, "height": at.Rect.H}
	}
	t.b.mu.Lock()
	var names []string
	for _, f := range t.b.frames {
		if f.tab == t {
			names = append(names, frameName(f.n))
		}
	}
	t.b.mu.Unlock()
	for _, n := range names {
		if _, err := t.script(ctx, n, "act", "mask", nil); err != nil && n == "f0" {
			return ports.Image{}, err // a picture with secrets in it is none
		}
		defer func() { _, _ = t.script(ctx, n, "act", "unmask", nil) }() // the next document has no masks
	}
	var r struct {
		Data string `json:"data"`
	}
	if err := t.call(ctx, "browsingContext.captureScreenshot", p, &r); err != nil {
		return ports.Image{}, err
	}
	b, err := base64.StdEncoding.DecodeString(r.Data)
	if err != nil {
		return ports.Image{}, ports.NewError(ports.CodeFault, "the picture is not base64", "")
	}
	w, h := sizeOf(b)
	return ports.Image{MIME: mime, Data: b, Width: w, Height: h}, nil
}

func orElse(v, d int) int {
	if v == 0 {
		return d
	}
	return v
}
