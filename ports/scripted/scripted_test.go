package scripted

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// scriptedLine is an extension that answers what it was given, by command; what it was asked is told on asked.
type scriptedLine struct {
	mu      sync.Mutex
	answers map[string]any
	tell    func(string, json.RawMessage)
	asked   chan string
}

func (l *scriptedLine) Do(_ context.Context, method string, args any, _ bool, result any) error {
	l.mu.Lock()
	a := l.answers[method]
	l.mu.Unlock()
	l.asked <- method + " " + string(ports.JSON(args))
	if err, ok := a.(error); ok {
		return err
	}
	if result == nil || a == nil {
		return nil
	}
	return json.Unmarshal(ports.JSON(a), result)
}

func (l *scriptedLine) Events(f func(string, json.RawMessage)) { l.tell = f }

func (l *scriptedLine) event(method string, params any) { l.tell(method, ports.JSON(params)) }

// await waits for a command.
func (l *scriptedLine) await(t *testing.T, want string) {
	t.Helper()
	for {
		select {
		case got := <-l.asked:
			if got == want {
				return
			}
		case <-t.Context().Done():
			t.Fatal("never asked: " + want)
		}
	}
}

// lent is a browser with tab 7 lent, which shows a page with a frame.
func lent(t testing.TB) (*Browser, *scriptedLine, *Tab) {
	t.Helper()
	l := &scriptedLine{asked: make(chan string, 1000), answers: map[string]any{
		"tab.lend":    obj{"url": "http://a.test/", "title": "A"},
		"tabs.get":    obj{"url": "http://a.test/next", "title": "Next"},
		"frames.list": []obj{{"frame": 0, "parent": -1, "url": "http://a.test/"}, {"frame": 12, "parent": 0, "url": "http://b.test/x"}},
		"frame.op":    obj{"doc": "d", "text": `{"ok":{"title":"Next"},"maxRef":3}`},
	}}
	b := Connect(l)
	t.Cleanup(func() { _ = b.Close() })
	id, err := b.Lend(context.Background(), 7)
	if err != nil {
		t.Fatal(err)
	}
	tab, err := b.Tab(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return b, l, tab.(*Tab)
}

// What comes of a navigation is told by events; those of loads that it replaced do not count.
func TestNavigation(t *testing.T) {
	begun := func(id, url string) [2]any {
		return [2]any{"net.begun", obj{"tab": 7, "id": id, "type": "main_frame", "url": url}}
	}
	ended := func(id, text string, status int) [2]any {
		return [2]any{"net.ended", obj{"tab": 7, "id": id, "type": "main_frame", "status": status, "text": text}}
	}
	at := func(what, url string) [2]any { return [2]any{"frame." + what, obj{"tab": 7, "url": url}} }
	failed := func(text string) [2]any { return [2]any{"frame.failed", obj{"tab": 7, "url": "u", "text": text}} }
	const to = "http://a.test/next"
	for _, c := range []struct {
		name   string
		events [][2]any
		code   string
		status int
		same   bool
	}{
		{"loaded", [][2]any{begun("1", to), ended("1", "", 200), at("committed", to), at("loaded", to)}, "", 200, false},
		{"another page first", [][2]any{at("committed", "http://old.test/"), at("loaded", "http://old.test/"), begun("1", to), ended("1", "", 404), at("committed", to), at("loaded", to)}, "", 404, false},
		{"redirect", [][2]any{begun("1", to), begun("1", "http://b.test/"), at("committed", "http://b.test/"), at("loaded", "http://b.test/")}, "", 0, false},
		{"fragment", [][2]any{at("moved", to+"#x")}, "", 0, true},
		{"new process", [][2]any{begun("1", to), failed(aborted), at("committed", to), at("loaded", to)}, "", 0, false},
		{"refused connection", [][2]any{begun("1", to), ended("1", "NS_ERROR_CONNECTION_REFUSED", 0)}, ports.CodeNavFailed, 0, false},
		{"old request fails", [][2]any{begun("1", "http://old.test/"), begun("2", to), ended("1", "NS_ERROR_FAILURE", 0), at("committed", to), at("loaded", to)}, "", 0, false},
		{"error page", [][2]any{at("committed", to), at("loaded", "about:neterror?e=deniedPortAccess")}, ports.CodeNavFailed, 0, false},
		{"no document", [][2]any{begun("1", to), ended("1", "", 204)}, ports.CodeNavFailed, 0, false},
		{"download", [][2]any{begun("1", to), {"download", obj{"tab": 7, "text": "a.bin"}}}, ports.CodeNavFailed, 0, false},
		{"closed", [][2]any{{"tab.removed", obj{"tab": 7}}}, ports.CodeTabGone, 0, false},
		{"browser gone", [][2]any{{"over", nil}}, ports.CodeBrowserGone, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, l, tab := lent(t)
			type outcome struct {
				r   ports.NavResult
				err error
			}
			done := make(chan outcome, 1)
			go func() {
				r, err := tab.Nav(t.Context(), ports.Nav{URL: to})
				done <- outcome{r, err}
			}()
			l.await(t, `tab.nav {"tab":7,"url":"`+to+`"}`)
			l.event("tab.going", obj{"tab": 7})
			for _, e := range c.events {
				l.event(e[0].(string), e[1])
			}
			if got := <-done; ports.CodeOf(got.err) != c.code || got.r.Status != c.status || got.r.Same != c.same {
				t.Errorf("%+v, %v", got.r, got.err)
			}
		})
	}
}

// Every request for a document is judged; without a judgment nothing of an unknown tab is let through.
func TestFence(t *testing.T) {
	b, l, tab := lent(t)
	var seen ports.Navigation
	b.Fence(func(n ports.Navigation) error {
		seen = n
		if n.URL == "http://evil.test/" {
			return errors.New("not there")
		}
		return nil
	})
	ask := func(id, number int, url, kind string) {
		l.event("judge", obj{"id": id, "tab": number, "url": url, "type": kind, "method": "GET", "from": "http://b.test/x"})
	}
	ask(1, 7, "http://a.test/", "main_frame")
	l.await(t, `judge.answer {"allow":true,"id":1}`)
	ask(2, 7, "http://evil.test/", "sub_frame")
	l.await(t, `judge.answer {"allow":false,"id":2}`)
	if !seen.Frame || seen.From != "http://b.test/x" || seen.Tab != tab.id {
		t.Errorf("judged %+v", seen)
	}
	ask(3, 99, "http://a.test/", "main_frame")
	l.await(t, `judge.answer {"allow":false,"id":3}`)
	l.event("tab.opened", obj{"tab": 8, "opener": 7, "url": "http://evil.test/"})
	ask(4, 8, "http://evil.test/", "main_frame")
	l.await(t, `judge.answer {"allow":false,"id":4}`)
	if seen.Opener != tab.id || seen.Frame {
		t.Errorf("judged %+v", seen)
	}
	kinds := ""
	for _, n := range b.Notices(0) {
		kinds += n.Kind + " "
	}
	if kinds != "blocked popup blocked " {
		t.Errorf("notices: %s", kinds)
	}
}

// An act whose document goes away, or that takes too long, has an outcome that nobody knows; a look is repeated.
func TestLostDocument(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer any
		code   string
	}{
		{"lost", obj{"lost": true}, ports.CodeUnknown},
		{"timeout", ports.NewError(ports.CodeTimeout, "late", ""), ports.CodeUnknown},
		{"not JSON", obj{"doc": "d", "text": "<"}, ports.CodeFault},
		{"stale", obj{"doc": "d", "text": `{"error":{"code":"stale_ref","message":"gone"}}`}, ports.CodeStaleRef},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, l, tab := lent(t)
			l.mu.Lock()
			l.answers["frame.op"] = c.answer
			l.mu.Unlock()
			if _, err := tab.Act(t.Context(), "f0", "click", nil); ports.CodeOf(err) != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

// A background that has started anew is given its tabs again; one that was closed meanwhile is gone.
func TestBackgroundStartsAnew(t *testing.T) {
	b, l, tab := lent(t)
	l.event("tab.opened", obj{"tab": 8, "opener": 7})
	l.event("anew", nil)
	l.await(t, `tab.lend {"tab":7}`) // the first time
	l.await(t, `tab.lend {"tab":7}`)
	l.await(t, `tab.lend {"tab":8}`)
	l.mu.Lock()
	l.answers["tab.lend"] = ports.NewError(ports.CodeTabGone, "closed", "")
	l.mu.Unlock()
	l.event("anew", nil)
	if err := b.until(t.Context(), func() (bool, error) { return len(b.tabs) == 0, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Frames(t.Context()); ports.CodeOf(err) != ports.CodeTabGone {
		t.Error(err)
	}
}

// What a browser tells is never trusted to make sense.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{`{"tab":7,"frame":0,"url":"about:blank"}`, `{"tab":7,"frame":12,"url":"x"}`, `{"id":"1","tab":7,"type":"main_frame","status":204}`, `{"tab":8,"opener":7}`, `{"id":1}`, `[]`, `null`} {
		for i := range 13 {
			f.Add(i, []byte(s))
		}
	}
	methods := []string{"tab.opened", "tab.going", "frame.committed", "frame.loaded", "frame.moved", "frame.failed", "net.begun", "net.redirected", "net.ended", "download", "judge", "tab.removed", "else"}
	f.Fuzz(func(t *testing.T, n int, raw []byte) {
		b, l, tab := lent(t)
		for i := range 3 {
			l.tell(methods[(n&0xffff+i)%len(methods)], raw)
		}
		_, _ = tab.answer(string(raw))
		_ = b.Notices(0)
		if tab.frames[0] == nil {
			t.Fatal("the top frame is lost")
		}
	})
}
