package cdp

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/wb-agent/wb/ports"
)

// scripted is a browser's end of a transport, played by a test.
type scripted struct {
	toUs   chan []byte
	fromUs chan message
	closed chan struct{}
	once   sync.Once
}

func newScripted() *scripted {
	return &scripted{toUs: make(chan []byte, 10000), fromUs: make(chan message, 10000), closed: make(chan struct{})}
}

func (s *scripted) Read() ([]byte, error) {
	select {
	case b := <-s.toUs:
		return b, nil
	case <-s.closed:
		return nil, io.EOF
	}
}

func (s *scripted) Write(b []byte) error {
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	select {
	case s.fromUs <- m:
		return nil
	case <-s.closed:
		return io.ErrClosedPipe
	}
}

func (s *scripted) Close() error { s.once.Do(func() { close(s.closed) }); return nil }

func TestCallAnswersAndErrors(t *testing.T) {
	s := newScripted()
	c := newConn(s, func(string, string, []byte) {})
	go func() {
		for m := range s.fromUs {
			switch m.Method {
			case "good":
				s.toUs <- []byte(`{"id":` + jsonInt(m.ID) + `,"result":{"v":7}}`)
			case "bad":
				s.toUs <- []byte(`{"id":` + jsonInt(m.ID) + `,"error":{"code":-1,"message":"no way","data":"why"}}`)
			}
		}
	}()
	root := session{c: c}
	var r struct {
		V int `json:"v"`
	}
	if err := root.Call(t.Context(), "good", nil, &r); err != nil || r.V != 7 {
		t.Errorf("good: %v %v", r, err)
	}
	if err := root.Call(t.Context(), "bad", nil, nil); err == nil || !strings.Contains(err.Error(), "bad: no way (why)") {
		t.Errorf("bad: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := root.Call(ctx, "silent", nil, nil); err == nil || ctx.Err() == nil {
		t.Errorf("silent: %v", err)
	}
	stop := make(chan struct{})
	close(stop)
	if err := root.call(t.Context(), stop, "silent", nil, nil); err != errStopped {
		t.Errorf("stopped: %v", err)
	}
	c.mu.Lock()
	if n := len(c.waiting); n != 0 {
		t.Errorf("%d calls are still waited for", n)
	}
	c.mu.Unlock()
	s.Close()
	<-c.done
	if err := root.Call(t.Context(), "good", nil, nil); ports.CodeOf(err) != ports.CodeBrowserGone {
		t.Errorf("after the end: %v", err)
	}
	<-c.idle
}

func jsonInt(n int64) string { b, _ := json.Marshal(n); return string(b) }

func TestPendingCallsFailAtOnceWhenTheBrowserDies(t *testing.T) {
	s := newScripted()
	c := newConn(s, func(string, string, []byte) {})
	failed := make(chan error, 50)
	for range 50 {
		go func() { failed <- session{c: c}.Call(context.Background(), "silent", nil, nil) }()
	}
	for range 50 {
		<-s.fromUs
	}
	s.Close()
	for range 50 {
		if err := <-failed; ports.CodeOf(err) != ports.CodeBrowserGone {
			t.Errorf("error %v", err)
		}
	}
}

func TestDropSessionFailsOnlyItsCalls(t *testing.T) {
	s := newScripted()
	defer s.Close()
	c := newConn(s, func(string, string, []byte) {})
	one, two := make(chan error, 1), make(chan error, 1)
	go func() { one <- session{c, "one"}.Call(context.Background(), "silent", nil, nil) }()
	go func() { two <- session{c, "two"}.Call(context.Background(), "silent", nil, nil) }()
	ids := map[string]int64{}
	for range 2 {
		m := <-s.fromUs
		ids[m.SessionID] = m.ID
	}
	c.dropSession("one")
	if err := <-one; !contextLost(err) {
		t.Errorf("one: %v", err)
	}
	s.toUs <- []byte(`{"id":` + jsonInt(ids["two"]) + `,"result":{}}`)
	if err := <-two; err != nil {
		t.Errorf("two: %v", err)
	}
}

// TestSubscribersLoseNothing lets 5,000 events pass before anybody reads.
func TestSubscribersLoseNothing(t *testing.T) {
	s := newScripted()
	handled := 0
	c := newConn(s, func(string, string, []byte) { handled++ })
	next := cdp.Events(t.Context(), session{c, "s"}, page.LifecycleEvent)
	const events = 5000
	for range events {
		s.toUs <- []byte(`{"sessionId":"s","method":"Page.lifecycleEvent","params":{"frameId":"f","loaderId":"l","name":"load","timestamp":1}}`)
	}
	s.toUs <- []byte(`{"sessionId":"s","method":"Page.lifecycleEvent","params":{"frameId":"f","loaderId":"l","name":"end","timestamp":1}}`)
	n := 0
	for e, err := range next {
		if err != nil {
			t.Fatal(err)
		}
		if e.Name == "end" {
			break
		}
		n++
	}
	if n != events {
		t.Errorf("%d of %d events", n, events)
	}
	s.Close()
	<-c.idle
	if handled != events+1 {
		t.Errorf("%d events handled", handled)
	}
}

// TestOrderedAnswers checks that a posted command's answer is handled between the events around it.
func TestOrderedAnswers(t *testing.T) {
	s := newScripted()
	var got []string
	done := make(chan struct{})
	c := newConn(s, func(_, method string, _ []byte) { got = append(got, method) })
	c.post("", "ask", nil, func([]byte, error) { got = append(got, "answer") })
	m := <-s.fromUs
	s.toUs <- []byte(`{"method":"before","params":{}}`)
	s.toUs <- []byte(`{"id":` + jsonInt(m.ID) + `,"result":{}}`)
	s.toUs <- []byte(`{"method":"after","params":{}}`)
	c.post("", "last", nil, func([]byte, error) { close(done) })
	m = <-s.fromUs
	s.toUs <- []byte(`{"id":` + jsonInt(m.ID) + `,"result":{}}`)
	<-done
	if strings.Join(got, " ") != "before answer after" {
		t.Errorf("order %v", got)
	}
	s.Close()
}

// FuzzEvents feeds events that no browser would send.
func FuzzEvents(f *testing.F) {
	for method := range tabEvents {
		f.Add(method, `{"frameId":"T","parentFrameId":"T","context":{"auxData":{"frameId":"T"}},"frame":{"id":"x","parentId":"x"},"type":"confirm","loaderId":"l","requestId":"r"}`)
	}
	f.Add("Fetch.requestPaused", `{"requestId":"1","request":{"url":"http://x/"},"frameId":"T"}`)
	f.Add("Target.attachedToTarget", `{"sessionId":"C","targetInfo":{"targetId":"F","type":"iframe","title":"","url":"","attached":true,"canAccessOpener":false},"waitingForDebugger":true}`)
	f.Add("Target.detachedFromTarget", `{"sessionId":"S"}`)
	f.Fuzz(func(t *testing.T, method, params string) {
		b := quietBrowser()
		defer b.conn.lose(io.EOF)
		b.handle("", "Target.attachedToTarget", []byte(`{"sessionId":"S","targetInfo":{"targetId":"T","type":"page","title":"","url":"","attached":true,"canAccessOpener":false},"waitingForDebugger":true}`))
		for range 2 {
			b.handle("S", method, []byte(params))
		}
	})
}

// quietBrowser is a Browser on a transport that never answers.
func quietBrowser() *Browser {
	b := &Browser{tabs: map[string]*Tab{}, sessions: map[string]*attached{}, changed: make(chan struct{})}
	b.conn = newConn(newScripted(), b.handle)
	return b
}
