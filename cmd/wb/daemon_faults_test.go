package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/panel"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
)

// cutter stands between the extension and the daemon and cuts every line once a frame to the extension holds the
// n-th occurrence of a word: before the frame has passed, or after.
type cutter struct {
	word   []byte
	before bool

	mu    sync.Mutex
	n     int
	conns map[net.Conn]bool
	cuts  int
}

// through puts a cutter in front of the daemon for the browsers that pair from now on.
func (r *daemonRig) through(word string, n int, before bool) *cutter {
	r.t.Helper()
	c := &cutter{word: []byte(word), n: n, before: before, conns: map[net.Conn]bool{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	to := &url.URL{Scheme: "http", Host: r.at}
	srv := &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(to); p.Out.Host = r.at }}}
	go func() { _ = srv.Serve(&cutListener{l, c}) }()
	r.t.Cleanup(func() { c.cut(); _ = srv.Close() })
	s, err := sqlite.Open(r.t.Context(), filepath.Join(r.cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Put(r.t.Context(), hostSpace, "serve", []byte(l.Addr().String())); err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
	c.conns = map[net.Conn]bool{}
}

// due counts the word and says whether the line is to be cut now.
func (c *cutter) due(b []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := bytes.Count(b, c.word)
	if c.n <= 0 || k == 0 {
		return false
	}
	c.n -= k
	if c.n > 0 {
		return false
	}
	c.cuts++
	return true
}

type cutListener struct {
	net.Listener
	c *cutter
}

func (l *cutListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err == nil {
		l.c.mu.Lock()
		l.c.conns[conn] = true
		l.c.mu.Unlock()
		conn = &cutConn{conn, l.c}
	}
	return conn, err
}

type cutConn struct {
	net.Conn
	c *cutter
}

func (c *cutConn) Write(b []byte) (int, error) {
	due := c.c.due(b)
	if due && c.c.before {
		c.c.cut()
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Write(b)
	if due {
		c.c.cut()
	}
	return n, err
}

// The line breaks while a click is on its way, before the browser has it or after: the run goes on, and what was
// clicked was clicked once.
func TestLineCutInAClick(t *testing.T) {
	for _, c := range []struct {
		word   string
		n      int
		before bool
	}{{`"mousePressed"`, 1, true}, {`"mousePressed"`, 1, false}, {`"mouseReleased"`, 1, true}, {`"mouseReleased"`, 3, false}, {"Page.getFrameTree", 1, false}, {"Input.insertText", 2, true}} {
		t.Run(fmt.Sprintf("%s-%d-%v", c.word, c.n, c.before), func(t *testing.T) {
			t.Parallel()
			r := newDaemonRig(t, string(demoPlaybook))
			cut := r.through(c.word, c.n, c.before)
			b := r.openBrowser()
			client := r.paired()
			if _, err := b.Open(t.Context(), r.url); err != nil {
				t.Fatal(err)
			}
			o := r.look(client)
			o.begin(demoTask, b.tabNumber(r.url), "act")
			if out := r.outcome(o, 1); out.Status != "success" {
				t.Errorf("%+v", out)
			}
			if cut.cuts != 1 {
				t.Errorf("the line was cut %d times, want once", cut.cuts)
			}
			if n := r.shop.Posts(); n != 1 {
				t.Errorf("%d orders were sent, want 1", n)
			}
		})
	}
}

// killWorker stops the extension's background as the browser does after 30 s of silence.
func (p *personal) killWorker(ctx context.Context) error {
	t, err := p.Open(ctx, "chrome-extension://"+extensionID+"/panel.html")
	if err != nil {
		return err
	}
	tab := t.(*cdp.Tab)
	if err := tab.Protocol(ctx, "ServiceWorker.enable", nil); err != nil {
		return err
	}
	if err := tab.Protocol(ctx, "ServiceWorker.stopAllWorkers", nil); err != nil {
		return err
	}
	_, err = tab.Eval(ctx, "f0", "chrome.runtime.sendMessage({kind:'paired'})") // an event wakes it
	return err
}

// The background is stopped in the middle of a run: the tab stays lent, the run goes on.
func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	r := newDaemonRig(t, string(demoPlaybook))
	b := r.openBrowser()
	client := r.paired()
	if _, err := b.Open(t.Context(), r.url); err != nil {
		t.Fatal(err)
	}
	o := r.look(client)
	o.begin(demoTask, b.tabNumber(r.url), "act")
	r.wait("third tool call", func() bool { return len(o.events(ports.EventToolEnd)) >= 3 })
	if err := b.killWorker(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := r.outcome(o, 1)
	// At most one call was under way, and its outcome is said to be unknown; nothing else is lost.
	lost := 0
	for _, e := range o.events(ports.EventToolEnd) {
		if strings.Contains(e.Text, "error (") {
			lost++
			if !strings.Contains(e.Text, "error (unknown)") {
				t.Errorf("%s: %s", e.Tool, e.Text)
			}
		}
	}
	if n := r.shop.Posts(); lost > 1 || n > 1 || lost == 0 && n != 1 {
		t.Errorf("%d calls lost, %d orders were sent, %+v", lost, n, out)
	}
}

// slowBook looks twice, slowly the second time, and opens a form.
const slowBook = `
- when: {turn: 1}
  reply: {calls: [{tool: get_accessibility_tree, args: {}}]}
- when: {turn: 2}
  fault: {delay: 3s}
  reply: {calls: [{tool: get_accessibility_tree, args: {}}]}
- when: {turn: 3}
  reply: {calls: [{tool: click_ax, args: {ref_id: '{{ref role="button" name="New order"}}'}}]}
- when: {turn: 4}
  reply: {calls: [{tool: get_accessibility_tree, args: {}}]}
- when: {turn: 5}
  reply: {calls: [{tool: done, args: {summary: The form is open., outcome: partial}}]}
`

// The daemon ends in the middle of a run and is started again: the run goes on by itself, in the same tab, which
// was not loaded again.
func TestDaemonRestarted(t *testing.T) {
	t.Parallel()
	r := newDaemonRig(t, slowBook)
	b := r.openBrowser()
	client := r.paired()
	page, err := b.Open(t.Context(), r.url)
	if err != nil {
		t.Fatal(err)
	}
	eval := func(code string) string {
		raw, err := page.(ports.Evaluator).Eval(t.Context(), "f0", code)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	eval("window.mark = 'still here'")
	o := r.look(client)
	id := o.begin("Open the form", b.tabNumber(r.url), "act")
	r.wait("second step", func() bool { return len(o.events(ports.EventStep)) == 2 })
	r.end()
	<-r.done
	r.start()
	again := r.look(client)
	again.ask("session.watch", obj{"id": id, "since": 0})
	if out := r.outcome(again, 1); out.Status != "partial" {
		t.Errorf("%+v", out)
	}
	if said := again.events(panel.EventUser); len(said) != 1 || said[0].Text != "Open the form" {
		t.Errorf("the conversation begins with %+v", said)
	}
	if got := eval("window.mark + ', ' + document.querySelector('dialog').open"); got != `"still here, true"` {
		t.Errorf("the page: %s", got)
	}
}

// Stop ends a run that waits for its model at once, and the panel may start another.
func TestStop(t *testing.T) {
	t.Parallel()
	r := newDaemonRig(t, "- fault: {delay: 1h}\n")
	c := relay.Client{}
	r.own(&c)
	o := r.look(c)
	id := o.begin("wait", "", "ask")
	r.wait("first step", func() bool { return len(o.events(ports.EventStep)) == 1 })
	o.ask("run.stop", obj{"session": id})
	if out := r.outcome(o, 1); out.Status != "stopped" {
		t.Errorf("%+v", out)
	}
}
