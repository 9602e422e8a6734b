package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
)

var (
	panelDist = filepath.Join("..", "..", "extension", "dist")
	panelFake = filepath.Join("..", "..", "testdata", "panel")
)

// panelCSP is what the manifest allows the panel, and what a daemon should that serves it.
const panelCSP = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'"

// panelBench is a browser with the panel in it, whose daemon is testdata/panel/fake.js.
type panelBench struct {
	*testing.T
	b   ports.Browser
	url string
	tab ports.Tab
}

// newPanel starts a browser and a server of the built panel.
func newPanel(t *testing.T, args ...string) *panelBench {
	t.Helper()
	needBrowser(t)
	if _, err := os.Stat(filepath.Join(panelDist, "panel.js")); err != nil {
		t.Fatalf("%v: run make panel first", err)
	}
	srv := httptest.NewServer(panelFiles(t))
	t.Cleanup(srv.Close)
	b, err := cdp.Launch(t.Context(), cdp.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return &panelBench{T: t, b: b, url: srv.URL}
}

// panelFiles serves the panel with the fake before its script, the cases, and a shell that shows it in a frame.
func panelFiles(t *testing.T) http.Handler {
	t.Helper()
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir(panelDist))
	for _, name := range []string{"/panel.html", "/settings.html"} {
		mux.HandleFunc(name, func(w http.ResponseWriter, _ *http.Request) {
			page, err := os.ReadFile(filepath.Join(panelDist, name))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			w.Header().Set("Content-Security-Policy", panelCSP)
			_, _ = w.Write([]byte(strings.Replace(string(page), "<script", "<script src=\"fake/fake.js\"></script>\n<script", 1)))
		})
	}
	mux.HandleFunc("/shell", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		_, _ = fmt.Fprintf(w, `<!doctype html><body style="margin:0"><iframe style="border:0;display:block;width:%spx;height:%spx;color-scheme:%s" src="%s.html?locale=%s#token=t&amp;client=c"></iframe>`,
			url.QueryEscape(q.Get("w")), url.QueryEscape(q.Get("h")), url.QueryEscape(q.Get("scheme")), url.QueryEscape(cmp.Or(q.Get("page"), "panel")), url.QueryEscape(q.Get("locale")))
	})
	mux.Handle("/fake/", http.StripPrefix("/fake/", http.FileServer(http.Dir(panelFake))))
	mux.Handle("/cases/", http.StripPrefix("/cases/", http.FileServer(http.Dir(panelFake))))
	mux.Handle("/axe.js", http.FileServer(http.Dir(filepath.Join("..", "..", "extension", "node_modules", "axe-core"))))
	mux.Handle("/", files)
	return mux
}

// open shows a page in a tab of its own: panel.html#token=t&client=c, or the shell.
func (p *panelBench) open(path string) {
	p.Helper()
	if p.tab != nil {
		_ = p.tab.Close(p.Context())
	}
	tab, err := p.b.Open(p.Context(), "")
	if err == nil {
		_, err = tab.Nav(p.Context(), ports.Nav{URL: p.url + "/" + path})
	}
	if err != nil {
		p.Fatal(err)
	}
	p.tab = tab
	if _, err := tab.Frames(p.Context()); err != nil { // gives the shell's frame its name
		p.Fatal(err)
	}
}

// paired opens the panel with a pairing in its address and waits until it has a session.
func (p *panelBench) paired() {
	p.Helper()
	p.open("panel.html#token=t&client=c")
	p.until(`document.querySelector('.welcome, .turn') !== null`)
}

// eval runs code in the panel and reads what it comes to.
func (p *panelBench) eval(code string, into any) {
	p.Helper()
	p.evalIn("f0", code, into)
}

func (p *panelBench) evalIn(frame, code string, into any) {
	p.Helper()
	raw, err := p.tab.(ports.Evaluator).Eval(p.Context(), frame, code)
	if err == nil && into != nil {
		err = json.Unmarshal(raw, into)
	}
	if err != nil {
		p.Fatalf("%s: %v (%s)", code, err, raw)
	}
}

// until waits inside the page, frame by frame, until code is true.
func (p *panelBench) until(code string) {
	p.Helper()
	p.untilIn("f0", code)
}

func (p *panelBench) untilIn(frame, code string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 30*time.Second)
	defer cancel()
	wait := `await new Promise((yes) => { const look = () => { let ok = false; try { ok = (` + code + `); } catch {} ok ? yes(true) : setTimeout(look, 10); }; look(); })`
	if _, err := p.tab.(ports.Evaluator).Eval(ctx, frame, wait); err != nil {
		raw, _ := p.tab.(ports.Evaluator).Eval(p.Context(), frame, "document.body?.innerText")
		p.Fatalf("never true: %s: %v\n%s", code, err, raw)
	}
}

func (p *panelBench) emit(events string) {
	p.Helper()
	p.eval("(fake.emit("+events+"), 0)", nil)
}

func (p *panelBench) load(name string) {
	p.Helper()
	p.eval("await fake.load('"+name+"'), 0", nil)
}

func (p *panelBench) keys(keys ...string) {
	p.Helper()
	if _, err := p.tab.Input(p.Context(), ports.Input{Kind: "keys", Keys: keys}); err != nil {
		p.Fatalf("keys %v: %v", keys, err)
	}
}

func (p *panelBench) typed(text string) {
	p.Helper()
	if _, err := p.tab.Input(p.Context(), ports.Input{Kind: "text", Text: text}); err != nil {
		p.Fatalf("text %q: %v", text, err)
	}
}

// shot writes a picture of the tab into the folder that PANEL_SHOTS names, if any, cut to w by h.
func (p *panelBench) shot(name string, w, h int) {
	p.Helper()
	dir := os.Getenv("PANEL_SHOTS")
	if dir == "" {
		return
	}
	img, err := p.tab.Capture(p.Context(), ports.Capture{Format: "png"})
	if err != nil {
		p.Fatal(err)
	}
	if err := writeCut(filepath.Join(dir, name+".png"), img.Data, w, h); err != nil {
		p.Fatal(err)
	}
}
