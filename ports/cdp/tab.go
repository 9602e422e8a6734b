package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/settle"
)

// Tab is one tab. It implements ports.Tab and ports.Evaluator. Fields below b are guarded by Browser.mu.
type Tab struct {
	b       *Browser
	id      string // the target's
	session string
	opener  string

	frames    map[cdp.FrameID]*frame
	nextFrame int
	maxRef    int // highest ref number given out
	halted    chan struct{}
	stopped   bool // halted is closed
	closed    bool
	crashed   bool
	dialog    *dialog
	dialogs   int  // of the document since a person did something
	asked     bool // the page asked to stay when we navigated
	hops      hops
	documents int             // top documents so far
	downloads int             // files offered so far
	going     *ports.Nav      // our own navigation, while it runs
	blocked   error           // why the fence stopped the last navigation of the top frame
	dragged   json.RawMessage // what the page handed over when a drag began
	watch     *settle.Watch
	status    map[string]int // of documents' answers, by loader
}

var (
	_ ports.Tab       = (*Tab)(nil)
	_ ports.Evaluator = (*Tab)(nil)
)

// errStopped is what a call ends with when a dialog opened, the tab crashed or was closed.
var errStopped = errors.New("stopped")

// halt ends the calls that wait for the page; with Browser.mu held.
func (t *Tab) halt() {
	if !t.stopped {
		t.stopped = true
		close(t.halted)
	}
}

// unhalt lets calls wait again; with Browser.mu held.
func (t *Tab) unhalt() {
	if t.stopped && !t.closed && t.dialog == nil && !t.crashed {
		t.stopped = false
		t.halted = make(chan struct{})
	}
}

// problem says why the page cannot be asked, or nil.
func (t *Tab) problem() error {
	if err := t.b.alive(); err != nil {
		return err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return t.trouble()
}

func (t *Tab) trouble() error {
	switch {
	case t.closed:
		return ports.NewError(ports.CodeTabGone, "the tab is closed", "list the tabs and go on in another one")
	case t.crashed:
		return ports.NewError(ports.CodeTabCrashed, "the tab has crashed", "navigate to a page: that starts it again")
	case t.dialog != nil:
		return ports.NewError(ports.CodeDialogOpen, "a JavaScript "+t.dialog.kind+" is open: "+quoted(t.dialog.text), "accept or dismiss it first")
	}
	return nil
}

// ready waits until the tab is set up.
func (t *Tab) ready(ctx context.Context) error {
	return t.b.wait(ctx, func() (bool, error) {
		a := t.b.sessions[t.session]
		if t.closed {
			return false, t.trouble()
		}
		return a != nil && a.left == 0 || t.crashed || t.dialog != nil, nil
	})
}

// pause waits for a tick or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return late(ctx, "the page")
	}
}

// call sends a command to a session of the tab and gives its errors their codes. While one document takes
// another's place Chromium refuses some commands without having run them; those are sent again.
func (t *Tab) call(ctx context.Context, sid, method string, params, result any) error {
	for range 100 {
		err := t.callOnce(ctx, sid, method, params, result)
		if err == nil || !strings.Contains(err.Error(), "Not attached to an active page") {
			return err
		}
		if err := pause(ctx, 2*poll); err != nil {
			return err
		}
	}
	return ports.NewError(ports.CodeTimeout, "the tab is between two documents", "wait and try again")
}

func (t *Tab) callOnce(ctx context.Context, sid, method string, params, result any) error {
	t.b.mu.Lock()
	stop := t.halted
	t.b.mu.Unlock()
	err := session{c: t.b.conn, id: sid}.call(ctx, stop, method, params, result)
	if errors.Is(err, errStopped) {
		if p := t.problem(); p != nil {
			return p
		}
	}
	if err != nil && ctx.Err() == nil && ports.CodeOf(err) == "" {
		if p := t.problem(); p != nil {
			return p
		}
	}
	return err
}

// Info implements ports.Tab. It asks the browser, never the page.
func (t *Tab) Info(ctx context.Context) (ports.TabInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	res, err := cdp.Call(ctx, session{c: t.b.conn}, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: target.ID(t.id)})
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.closed {
		return ports.TabInfo{}, t.trouble()
	}
	if err != nil {
		return ports.TabInfo{}, t.b.wrong(ctx, err)
	}
	if t.top() == nil || res.TargetInfo == nil {
		return ports.TabInfo{}, noFrame("f0")
	}
	info := ports.TabInfo{ID: t.id, URL: t.top().url, Title: cut(res.TargetInfo.Title, 200), Active: t.b.active == t.id, Opener: t.opener}
	if info.URL == "" {
		info.URL = res.TargetInfo.URL
	}
	if t.crashed {
		info.State = "crashed"
	}
	return info, nil
}

// Activate implements ports.TabControl.
func (t *Tab) Activate(ctx context.Context) error {
	err := t.b.rootCall(ctx, target.CommandActivateTarget, target.ActivateTargetParams{TargetID: target.ID(t.id)})
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.closed {
		return t.trouble()
	}
	if err == nil {
		t.b.active = t.id
	}
	return err
}

// Close implements ports.TabControl. It does not ask the page, which may object.
func (t *Tab) Close(ctx context.Context) error {
	t.b.mu.Lock()
	if t.closed {
		t.b.mu.Unlock()
		return nil
	}
	last := len(t.b.order) == 1
	t.b.mu.Unlock()
	if last && t.b.proc != nil { // Chromium ends with its last tab
		if _, err := t.b.Open(ctx, ""); err != nil {
			return err
		}
	}
	for {
		err := t.b.rootCall(ctx, target.CommandCloseTarget, target.CloseTargetParams{TargetID: target.ID(t.id)})
		if err == nil || ports.CodeOf(err) == ports.CodeUnknown {
			err = t.awaitClosed(ctx)
		}
		if err != errStopped {
			return err
		}
	}
}

// awaitClosed waits for the end of the tab. Chromium forgets to close one whose document is just being
// replaced, so it is asked again after a while: errStopped.
func (t *Tab) awaitClosed(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	err := t.b.wait(short, func() (bool, error) { return t.closed, nil })
	if ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		return errStopped
	}
	return err
}

func (b *Browser) rootCall(ctx context.Context, method string, params any) error {
	return b.wrong(ctx, session{c: b.conn}.Call(ctx, method, params, nil))
}

// interrupt frees a busy page: without it every later call would hang as well.
func (t *Tab) interrupt(sid string) {
	t.b.conn.post(sid, runtime.CommandTerminateExecution, nil, nil)
}

// Protocol runs a command of the DevTools protocol that this package has no name for, and drops its result.
func (t *Tab) Protocol(ctx context.Context, method string, params any) error {
	return t.call(ctx, t.session, method, params, nil)
}
