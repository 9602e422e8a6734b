//go:build linux

package main

import (
	"io"
	"os"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// TestNoOrphansOfWb kills wb itself, in each way it drives a browser, while the browser is up; nothing of
// the browser may be left. The browser's driver has the many kills (ports/cdp), this has the whole program.
func TestNoOrphansOfWb(t *testing.T) {
	t.Run("run", func(t *testing.T) {
		w := newWorld(t, "- fault: {hang: true}")
		p := w.start("run", "Look", "--url", w.url, "--json")
		for e, ok := p.next(); ok && e.Kind != ports.EventStep; e, ok = p.next() {
		}
		w.killed(p)
	})
	t.Run("call", func(t *testing.T) {
		asked := make(chan struct{})
		hold := make(chan struct{})
		w := newWorld(t, lookBook)
		w.onPost = func() { close(asked); <-hold }
		page := serve(t, html(`<script>fetch('`+w.url+`/api/orders', {method: 'POST', mode: 'no-cors', body: '{}'})</script>`))
		p := w.start("call", "wait_for_element", `{"selector":"#never","timeout":20000}`, "--url", page)
		<-asked
		w.killed(p)
		close(hold)
	})
	t.Run("mcp", func(t *testing.T) {
		w := newWorld(t, lookBook)
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		defer out.Close()
		p := w.startWith(in, "mcp", "--url", w.url)
		for _, line := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_tabs","arguments":{}}}`,
		} {
			if _, err := io.WriteString(out, line+"\n"); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 { // answers
			if !p.lines.Scan() {
				t.Fatal("no answer: ", p.err)
			}
		}
		w.killed(p)
	})
}

// killed kills a wb whose browser is up, and waits until nothing is left of it.
func (w *world) killed(p *process) {
	w.t.Helper()
	if len(w.processes()) == 0 {
		w.t.Fatalf("no browser is up: %s", p.err)
	}
	p.kill()
	w.noneLeft()
}
