package relay

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Transport speaks the DevTools protocol to the tabs that an Extension lends, as a browser does over its own
// pipe. chrome.debugger reaches tabs only, so what a browser's own session would answer is answered here: which
// targets there are, opening and closing one. Everything else goes to the tab.
//
// Sessions are named after the tab: "7" is tab 7's own, "7/ABC" its child session ABC.
type Transport struct {
	x *Extension

	mu     sync.Mutex
	queue  [][]byte
	wake   chan struct{} // buffered by one
	closed bool
	tabs   map[int]string // lent tabs and the id of their target
	held   map[int]bool   // popups that have not asked for their page yet
}

// NewTransport makes the transport of an extension's lent tabs. It has the extension's events to itself.
func NewTransport(x *Extension) *Transport {
	t := &Transport{x: x, wake: make(chan struct{}, 1), tabs: map[int]string{}, held: map[int]bool{}}
	x.Events(t.event)
	return t
}

// wire is one message of the DevTools protocol.
type wire struct {
	ID      int64           `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data,omitempty"`
}

// Read returns the next message; io.EOF once closed.
func (t *Transport) Read() ([]byte, error) {
	for {
		t.mu.Lock()
		if len(t.queue) > 0 {
			b := t.queue[0]
			t.queue = t.queue[1:]
			t.mu.Unlock()
			return b, nil
		}
		closed := t.closed
		t.mu.Unlock()
		if closed {
			return nil, io.EOF
		}
		<-t.wake
	}
}

func (t *Transport) put(m wire) {
	b, err := json.Marshal(m)
	if err != nil {
		return // hostile JSON inside a RawMessage: the answer is lost, and its caller times out
	}
	t.mu.Lock()
	t.queue = append(t.queue, b)
	t.mu.Unlock()
	t.rouse()
}

func (t *Transport) rouse() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// Close lets go of every tab.
func (t *Transport) Close() error {
	t.mu.Lock()
	again := t.closed
	t.closed = true
	tabs := make([]int, 0, len(t.tabs))
	for tab := range t.tabs {
		tabs = append(tabs, tab)
	}
	t.mu.Unlock()
	t.rouse()
	if again {
		return nil
	}
	for _, tab := range tabs {
		t.x.Post("debugger.detach", map[string]int{"tab": tab}, false, ignore)
	}
	return nil
}

func ignore(json.RawMessage, error) {}

// Write implements the sending half: a message for a tab goes there, one for the browser is answered here.
func (t *Transport) Write(b []byte) error {
	var m wire
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return errors.New("closed")
	}
	then := func(result json.RawMessage, err error) { t.put(response(m, result, err)) }
	if m.Session == "" {
		t.root(m, then)
		return nil
	}
	tab, child := splitSession(m.Session)
	if m.Method == "Runtime.runIfWaitingForDebugger" && child == "" && t.release(tab) {
		t.x.Post("popup.go", map[string]int{"tab": tab}, false, then)
		return nil
	}
	args := map[string]any{"tab": tab, "method": m.Method}
	if child != "" {
		args["session"] = child
	}
	if len(m.Params) > 0 {
		args["params"] = m.Params
	}
	t.x.Post("debugger.send", args, changing(m.Method), then)
	return nil
}

// codedError is the error code, out of the range that JSON-RPC 2.0 leaves to servers, of an error whose Data is
// one of ports' codes. ports/cdp knows it too.
const codedError = -32050

// release reports whether a tab was held, which it is no more.
func (t *Transport) release(tab int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	held := t.held[tab]
	delete(t.held, tab)
	return held
}

func response(m wire, result json.RawMessage, err error) wire {
	out := wire{ID: m.ID, Session: m.Session, Result: result}
	if err != nil {
		out.Result, out.Error = nil, &wireError{Code: serverError, Message: err.Error()}
		if code := ports.CodeOf(withCode(err)); code != "" {
			out.Error.Code, out.Error.Data = codedError, code
		}
	} else if len(result) == 0 || string(result) == "null" {
		out.Result = json.RawMessage("{}")
	}
	return out
}

// changing are the commands that do something in the page or to the tab, once.
func changing(method string) bool {
	switch method {
	case "Runtime.callFunctionOn", "Runtime.evaluate", "Page.navigate", "Page.navigateToHistoryEntry", "Page.reload", "Page.handleJavaScriptDialog", "DOM.setFileInputFiles":
		return true
	}
	return strings.HasPrefix(method, "Input.")
}

func splitSession(s string) (tab int, child string) {
	name, child, _ := strings.Cut(s, "/")
	tab, _ = strconv.Atoi(name) // ours; 0 is no tab
	return tab, child
}

// Lend attaches to a tab of the person's and returns the id of its target, the ports.Tab's. A tab that is lent
// already stays so.
func (t *Transport) Lend(ctx context.Context, tab int) (string, error) {
	t.mu.Lock()
	id := t.tabs[tab]
	t.mu.Unlock()
	if id != "" {
		return id, nil
	}
	var a attached
	if err := t.x.Do(ctx, "debugger.attach", map[string]int{"tab": tab}, false, &a); err != nil {
		return "", withCode(err)
	}
	t.adopt(tab, a, false)
	return a.Target, nil
}

// withCode gives a failure of the extension the code that it came with.
func withCode(err error) error {
	var f *Failure
	if errors.As(err, &f) && f.Data != nil && f.Data.Code != "" {
		return &ports.Error{Code: f.Data.Code, Msg: f.Message, Fix: f.Data.Fix}
	}
	return err
}

// Return lets go of a lent tab; one that wb opened stays open.
func (t *Transport) Return(target string) {
	t.mu.Lock()
	tab, ok := t.tabOf(target)
	delete(t.tabs, tab)
	t.mu.Unlock()
	if ok {
		t.detached(tab, target)
		t.x.Post("debugger.detach", map[string]int{"tab": tab}, false, ignore)
	}
}

// Lent lists the targets that are lent.
func (t *Transport) Lent() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]string, 0, len(t.tabs))
	for _, id := range t.tabs {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Number is the browser's own number of a lent tab, 0 if it is not lent.
func (t *Transport) Number(target string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, _ := t.tabOf(target)
	return tab
}

// tabOf finds a lent tab; with t.mu held.
func (t *Transport) tabOf(target string) (int, bool) {
	for tab, id := range t.tabs {
		if id == target {
			return tab, true
		}
	}
	return 0, false
}
