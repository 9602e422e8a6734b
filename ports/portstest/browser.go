package portstest

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

//go:embed site
var site embed.FS

// Browser tests a browser driver with trusted input. open starts a fresh browser that resolves every host
// below .test to 127.0.0.1; the suite closes it. Where no browser is installed open skips.
//
// without names the cases of what the browser itself cannot do.
func Browser(t *testing.T, open func(t *testing.T) ports.Browser, without ...string) {
	s := &browserSuite{browser: open(t), server: serve(t), without: without}
	t.Cleanup(func() { s.browser.Close() })
	for _, c := range []struct {
		name string
		run  func(t *testing.T, s *browserSuite)
	}{
		{"snapshot", snapshotCase}, {"hidden text", hiddenCase}, {"quarantine", quarantineCase}, {"secrets", secretsCase}, {"targets", targetsCase}, {"shadow roots", rootsCase}, {"click and settle", clickCase}, {"fill", fillCase}, {"type", typeCase}, {"keys", keysCase}, {"pointer", pointerCase}, {"drag and drop", dragCase}, {"stale ref", staleCase},
		{"frames", framesCase}, {"covered", coveredCase}, {"settle", settleCase}, {"expectations", expectCase}, {"navigate", navCase}, {"navigate errors", navErrorCase}, {"tabs", tabsCase},
		{"alert", alertCase}, {"confirm", confirmCase}, {"prompt", promptCase}, {"many dialogs", manyDialogsCase}, {"unsaved", unsavedCase}, {"popup", popupCase}, {"fence", fenceCase}, {"ways out", waysOutCase},
		{"busy page", busyCase}, {"capture", captureCase}, {"download", downloadCase}, {"crash", crashCase}, {"closed tab", closedTabCase},
	} {
		if !slices.Contains(without, c.name) {
			t.Run(c.name, func(t *testing.T) { c.run(t, s) })
		}
	}
	t.Run("closed browser", func(t *testing.T) { closedBrowserCase(t, s) })
}

type browserSuite struct {
	browser ports.Browser
	server  *server
	without []string
}

// server is the fixture site; it remembers what was asked of it.
type server struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func serve(t *testing.T) *server {
	files, err := fs.Sub(site, "site")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(files))
	mux.HandleFunc("/submit", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><title>Sent</title><div role=alert>Order of %d letters saved</div>", len(r.FormValue("email")))
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/keep", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.FormValue("to"), http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.FormValue("to"), http.StatusFound) })
	mux.HandleFunc("/gone", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "gone for good", http.StatusGone) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.bin"`)
		fmt.Fprint(w, "data")
	})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Host+r.URL.String())
		s.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) url(host, path string) string {
	return "http://" + host + ":" + s.URL[strings.LastIndexByte(s.URL, ':')+1:] + path
}

// asked counts requests whose host and path contain sub.
func (s *server) asked(sub string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, u := range s.seen {
		if strings.Contains(u, sub) {
			n++
		}
	}
	return n
}

// tab is a test's own tab with its context.
type tab struct {
	ports.Tab
	t   *testing.T
	ctx context.Context
}

func (s *browserSuite) open(t *testing.T, host, path string) tab {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	url := ""
	if path != "" {
		url = s.server.url(host, path)
	}
	tb, err := s.browser.Open(ctx, url)
	if err != nil {
		cancel()
		t.Fatal("open:", err)
	}
	t.Cleanup(func() {
		cancel()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = tb.Close(ctx)
	})
	return tab{tb, t, ctx}
}

// read and act run an operation that must work.
func (tb tab) read(frame, op string, args any, into any) {
	tb.t.Helper()
	tb.do(tb.Read, frame, op, args, into)
}
func (tb tab) act(frame, op string, args any, into any) {
	tb.t.Helper()
	tb.do(tb.Act, frame, op, args, into)
}

func (tb tab) do(f func(context.Context, string, string, json.RawMessage) (json.RawMessage, error), frame, op string, args any, into any) {
	tb.t.Helper()
	if args == nil {
		args = struct{}{}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		tb.t.Fatal(err)
	}
	b, err := f(tb.ctx, frame, op, raw)
	if err != nil {
		tb.t.Fatalf("%s %s: %v (%s)", op, raw, err, ports.FixOf(err))
	}
	if into != nil {
		if err := json.Unmarshal(b, into); err != nil {
			tb.t.Fatalf("%s: %v in %s", op, err, b)
		}
	}
}

type args map[string]any

// candidates is the answer of find and selector.
type candidates struct {
	Candidates []struct{ Ref, Role, Name, In string }
	Exact      int
	Total      int
	Scope      string
}

// ref finds one element by CSS.
func (tb tab) ref(frame, css string) string {
	tb.t.Helper()
	var c candidates
	tb.read(frame, "selector", args{"css": css}, &c)
	if len(c.Candidates) == 0 {
		tb.t.Fatalf("no %s in %s", css, frame)
	}
	return c.Candidates[0].Ref
}

func (tb tab) click(ref string) ports.InputResult {
	tb.t.Helper()
	r, err := tb.Input(tb.ctx, ports.Input{Kind: "click", Ref: ref})
	if err != nil {
		tb.t.Fatalf("click %s: %v (%s)", ref, err, ports.FixOf(err))
	}
	return r
}

// waitText waits until the frame shows a text.
func (tb tab) waitText(frame, text string) {
	tb.t.Helper()
	var r struct{ Found bool }
	tb.read(frame, "waitFor", args{"text": text, "timeout": 10000}, &r)
	if !r.Found {
		var page struct{ Text string }
		tb.read(frame, "text", nil, &page)
		tb.t.Fatalf("no %q in %s: %s", text, frame, page.Text)
	}
}

// outline is a snapshot as text.
func (tb tab) outline(frame string, a args) string {
	tb.t.Helper()
	var s struct {
		Lines []struct {
			D int
			T string
		}
	}
	tb.read(frame, "snapshot", a, &s)
	var b strings.Builder
	for _, l := range s.Lines {
		b.WriteString(strings.Repeat("  ", l.D) + l.T + "\n")
	}
	return b.String()
}

// notice waits for a notice of a kind after a sequence number.
func (s *browserSuite) notice(t *testing.T, since int64, kind string) ports.Notice {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		for _, n := range s.browser.Notices(since) {
			if n.Kind == kind {
				return n
			}
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Fatalf("no %s among %+v", kind, s.browser.Notices(since))
	return ports.Notice{}
}

func (s *browserSuite) last() int64 {
	n := s.browser.Notices(0)
	if len(n) == 0 {
		return 0
	}
	return n[len(n)-1].Seq
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if ports.CodeOf(err) != code {
		t.Fatalf("error %v has code %q, want %q", err, ports.CodeOf(err), code)
	}
}
