package cdp

import (
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"

	"github.com/wb-agent/wb/ports"
)

// handle takes one event in; it runs on the connection's goroutine and never waits.
func (b *Browser) handle(sid, method string, params []byte) {
	switch method {
	case "Target.attachedToTarget":
		b.onAttached(sid, params)
		return
	case "Target.detachedFromTarget":
		b.onDetached(params)
		return
	case "Browser.downloadWillBegin":
		b.onDownload(params)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.sessions[sid]
	if a == nil {
		return
	}
	if method == "Fetch.requestPaused" {
		b.onPaused(a.tab, sid, params)
		return
	}
	if f, ok := tabEvents[method]; ok && f(a.tab, sid, params) {
		b.notify()
	}
}

// tabEvents handle what happens in a tab, with Browser.mu held; true wakes who waits.
var tabEvents = map[string]func(t *Tab, sid string, params []byte) bool{
	"Page.frameAttached":                on((*Tab).onFrameAttached),
	"Page.frameNavigated":               on((*Tab).onFrameNavigated),
	"Page.navigatedWithinDocument":      on((*Tab).onSameDocument),
	"Page.frameDetached":                on((*Tab).onFrameDetached),
	"Page.lifecycleEvent":               on((*Tab).onLifecycle),
	"Runtime.executionContextCreated":   on((*Tab).onContext),
	"Runtime.executionContextDestroyed": on((*Tab).onContextGone),
	"Runtime.executionContextsCleared":  func(t *Tab, sid string, _ []byte) bool { t.clearContexts(sid); return true },
	"Page.javascriptDialogOpening":      on((*Tab).onDialog),
	"Page.javascriptDialogClosed":       on((*Tab).onDialogClosed),
	"Inspector.targetCrashed":           func(t *Tab, sid string, _ []byte) bool { return t.onCrash(sid) },
	"Page.fileChooserOpened":            func(t *Tab, _ string, _ []byte) bool { return t.onFileChooser() },
	"Input.dragIntercepted":             on((*Tab).onDrag),
	"Network.requestWillBeSent":         on((*Tab).onRequest),
	"Network.responseReceived":          on((*Tab).onResponse),
	"Network.dataReceived":              on((*Tab).onData),
	"Network.loadingFinished":           on((*Tab).onLoaded),
	"Network.loadingFailed":             on((*Tab).onLoaded),
}

// on decodes an event for its handler; one that does not decode is dropped.
func on[E any](f func(t *Tab, sid string, e E) bool) func(*Tab, string, []byte) bool {
	return func(t *Tab, sid string, params []byte) bool {
		var e E
		return json.Unmarshal(params, &e) == nil && f(t, sid, e)
	}
}

func (b *Browser) onDownload(params []byte) {
	var e struct {
		FrameID cdp.FrameID `json:"frameId"`
		URL     string      `json:"url"`
		Name    string      `json:"suggestedFilename"`
		Saved   bool        `json:"saved"` // only a lent browser says so
	}
	if json.Unmarshal(params, &e) != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	n := ports.Notice{Kind: "download", Text: "the page offered the file " + cut(e.Name, 200) + "; it was not saved", URL: e.URL}
	if e.Saved {
		n.Text = "the browser downloads the file " + cut(e.Name, 200)
	}
	for _, t := range b.tabs {
		if t.frames[e.FrameID] != nil {
			n.Tab = t.id
			t.downloads++
		}
	}
	b.note(n)
	b.notify()
}

// onCrash marks a dead renderer. A dead frame of another process takes only its own frames with it.
func (t *Tab) onCrash(sid string) bool {
	if sid != t.session {
		t.forgetSession(sid)
		t.b.note(ports.Notice{Kind: "crashed", Tab: t.id, Text: "a frame of the page crashed"})
		return true
	}
	t.crashed = true
	t.dialog = nil
	t.halt()
	t.clearContexts(sid)
	t.b.note(ports.Notice{Kind: "crashed", Tab: t.id, Text: "the tab crashed; navigate starts it again", URL: t.top().url})
	return true
}

func (t *Tab) onFileChooser() bool {
	t.b.note(ports.Notice{Kind: "file_chooser", Tab: t.id, Text: "the page asked for a file; no chooser was shown"})
	return true
}
