package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// registry keeps what a script's commands share, by the script's folder.
type registry[T any] struct {
	mu sync.Mutex
	m  map[string]T
}

func (r *registry[T]) put(ts *testscript.TestScript, s T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[ts.Getenv("WORK")] = s
}

func (r *registry[T]) get(ts *testscript.TestScript) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[ts.Getenv("WORK")]
}

func fileReader(ts *testscript.TestScript, name string) io.Reader {
	return strings.NewReader(ts.ReadFile(name))
}

// visits are what a script's sites were asked, as METHOD path.
type visits struct {
	mu   sync.Mutex
	seen []string
}

// startSite: site NAME. Serves the folder NAME of the script; its address is $NAME in upper case. In pages,
// $OTHER stands for the address of the site other, wherever it is started.
func startSite(ts *testscript.TestScript, _ bool, args []string) {
	v := &visits{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.mu.Lock()
		v.seen = append(v.seen, r.Method+" "+r.URL.Path)
		v.mu.Unlock()
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "index.html"
		}
		b, err := os.ReadFile(filepath.Join(ts.Getenv("WORK"), args[0], filepath.Base(name)))
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, os.Expand(string(b), func(key string) string { return ts.Getenv(key) }))
	}))
	ts.Defer(srv.Close)
	ts.Setenv(strings.ToUpper(args[0]), srv.URL)
	sites.put(ts, v)
}

// sites finds the last site that a script started.
var sites = &registry[*visits]{m: map[string]*visits{}}

// checkVisits: [!] visited PATTERN. Whether the site that was started last was asked so.
func checkVisits(ts *testscript.TestScript, neg bool, args []string) {
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	v := sites.get(ts)
	v.mu.Lock()
	defer v.mu.Unlock()
	if found := slices.ContainsFunc(v.seen, re.MatchString); found == neg {
		ts.Fatalf("visits: %q", v.seen)
	}
}
