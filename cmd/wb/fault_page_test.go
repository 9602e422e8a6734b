//go:build linux

package main

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// lookBook reads the page in a few ways and is done, whatever it saw.
const lookBook = `
- when: {turn: 1}
  reply: {calls: [{tool: get_accessibility_tree}, {tool: read_page}, {tool: find_text, args: {text: needle}}]}
- reply: {calls: [{tool: done, args: {summary: looked, outcome: success}}]}
`

// TestFaultPage: pages that do their worst. The run ends, in time, and its transcript stays small.
func TestFaultPage(t *testing.T) {
	dialogs := `<p>needle</p><script>for (let i = 0; i < 50; i++) { [alert, confirm, prompt][i % 3]('dialog ' + i) }</script>`
	for name, c := range map[string]struct {
		page  http.HandlerFunc
		codes []int
		words []string
	}{
		"fifty dialogs":  {html(dialogs), []int{exitOK, exitPartial}, []string{"looked"}},
		"never settles":  {html(`<p id=p>needle</p><script>setInterval(() => { p.textContent = 'needle ' + Math.random(); fetch('/' + Math.random()) }, 5)</script>`), []int{exitOK}, []string{"looked"}},
		"never ends":     {endless, []int{exitOK, exitPartial, exitFailed}, nil},
		"never answers":  {silent, []int{exitFailed, exitPartial}, []string{"time"}},
		"hangs":          {html(`<p>needle</p><script>setTimeout(() => { while (true); }, 50)</script>`), []int{exitOK, exitPartial, exitFailed}, nil},
		"hangs at once":  {html(`<p>needle</p><script>while (true);</script>`), []int{exitOK, exitPartial, exitFailed}, nil},
		"100 MB of text": {huge, []int{exitOK, exitPartial}, []string{"looked"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, lookBook)
			e := w.run("run", "Look at the page", "--url", serve(t, c.page), "--timeout", "60s")
			ok := false
			for _, code := range c.codes {
				ok = ok || e.code == code
			}
			if !ok {
				t.Errorf("exit %d, want one of %v", e.code, c.codes)
			}
			e.says(t, e.code, append(c.words, "trace: wb trace show")...)
			if n := len(e.out); n > 20_000 {
				t.Errorf("%d bytes of progress", n)
			}
			t.Logf("%s: exit %d after %v", name, e.code, e.took.Round(time.Millisecond))
			if info := w.size("wb/wb.db"); info > 40<<20 {
				t.Errorf("the journal holds %d MB", info>>20)
			}
		})
	}
}

// endless never finishes its document.
func endless(rw http.ResponseWriter, r *http.Request) {
	rw.Header().Set("Content-Type", "text/html")
	_, _ = io.WriteString(rw, "<!doctype html><title>Endless</title><p>needle</p>") // the browser may go
	_ = http.NewResponseController(rw).Flush()
	<-r.Context().Done()
}

// silent takes a request and never answers it.
func silent(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// huge is a page with 100 MB of text.
func huge(rw http.ResponseWriter, _ *http.Request) {
	rw.Header().Set("Content-Type", "text/html")
	line := "<p>" + strings.Repeat("many words ", 1000) + "</p>\n"
	for n := 0; n < 100<<20; n += len(line) {
		if _, err := io.WriteString(rw, line); err != nil {
			return
		}
	}
	_, _ = io.WriteString(rw, "<p>needle</p>") // the browser may have gone
}

// TestFaultDialogOnClick: a dialog that a click opens is in its receipt, and does not hold the run up.
func TestFaultDialogOnClick(t *testing.T) {
	w := newWorld(t, `
- when: {turn: 1}
  reply: {calls: [{tool: click, args: {text: Ask me}}]}
- reply: {calls: [{tool: done, args: {summary: asked, outcome: success}}]}
`)
	e := w.run("run", "Click it", "--url", serve(t, html(`<button onclick="alert('really?')">Ask me</button>`)), "--timeout", "60s")
	e.says(t, exitOK, "really?", "accepted")
}
