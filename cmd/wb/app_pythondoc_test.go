package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A question is answered from a page of 700 KB within a window of 16,000 tokens, whatever the model asks
// to see of it on the way.
func TestAppPythonDoc(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const html, window, charsPerToken = "/usr/share/doc/python3-doc/html", 16_384, 3.5
	page, err := os.Stat(filepath.Join(html, "library", "stdtypes.html"))
	need(t, "Debian's python3-doc", err)
	if page.Size() < 600_000 {
		t.Fatalf("the page has only %d bytes", page.Size())
	}
	srv := httptest.NewServer(http.FileServer(http.Dir(html)))
	t.Cleanup(srv.Close)

	p := newPerson(t, "pythondoc.yaml", window)
	out := p.wb(t, exitOK, "run", "What does str.removeprefix return if the string starts with the prefix?", "--url", srv.URL+"/library/stdtypes.html", "--mode", "ask")

	if quote := "If the string starts with the prefix string, return string[len(prefix):]."; !strings.Contains(out, quote) {
		t.Errorf("the answer does not quote the page:\n%s", out)
	}
	largest := 0
	for _, r := range p.model.Requests() {
		largest = max(largest, len(r.Body))
		for _, tool := range r.Conversation.Tools {
			if tool == "click_ax" || tool == "set_field" {
				t.Fatalf("ask mode offers %s", tool)
			}
		}
	}
	t.Logf("%d requests, the largest of %d bytes, which is %.0f tokens", len(p.model.Requests()), largest, float64(largest)/charsPerToken)
	if float64(largest)/charsPerToken > window {
		t.Errorf("a request has %d bytes, more than %d tokens", largest, window)
	}
}
