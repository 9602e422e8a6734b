package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/bidi"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/portstest"
	"github.com/wb-agent/wb/ports/primitive"
)

// documents are two long pages that Debian packages ship, and where.
var documents = map[string]string{
	"stdtypes.html":  "/usr/share/doc/python3-doc/html/library", // 707 KB, 17,000 elements
	"bookindex.html": "/usr/share/doc/postgresql-doc-15/html",   // 445 KB
}

// looker is a browser.read in a tab of its own.
type looker struct {
	read ports.Tool
	nav  ports.Tool
}

// pages measures what looking at a long page costs, in time and in tokens.
func (b *bench) pages(ctx context.Context) ([]figure, error) {
	mux := http.NewServeMux()
	for name, dir := range documents {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return nil, fmt.Errorf("%w: install python3-doc and postgresql-doc-15", err)
		}
		prefix := "/" + strings.TrimSuffix(name, ".html") + "/"
		mux.Handle(prefix, http.StripPrefix(prefix, http.FileServer(http.Dir(dir))))
	}
	mux.HandleFunc("/rows", rows)
	srv := httptest.NewServer(mux)
	defer srv.Close()
	path, err := cdp.Find()
	if err != nil {
		return nil, err
	}
	br, err := cdp.Launch(ctx, cdp.Options{Path: path, Profile: filepath.Join(b.dir, "pages")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = br.Close() }() // the figures stand
	pb := primitive.NewBrowser(func(context.Context) (ports.Browser, error) { return br, nil }, primitive.Vault{})
	var l looker
	for _, t := range pb.Tools() {
		switch t.Spec().Name {
		case "browser.read":
			l.read = t
		case "browser.nav":
			l.nav = t
		}
	}
	var out []figure
	for _, name := range []string{"stdtypes.html", "bookindex.html"} {
		f, err := l.document(ctx, name, srv.URL+"/"+strings.TrimSuffix(name, ".html")+"/"+name)
		if err != nil {
			return out, err
		}
		out = append(out, f...)
	}
	f, err := l.growth(ctx, srv.URL+"/rows?n=")
	return append(out, f...), err
}

// wptA11y are the Web Platform Tests for names and roles, where they lie beside the repository.
var wptA11y = filepath.Join("..", "shared", "cases", "wpt-a11y")

// names scores the page script on the Web Platform Tests, in both browsers.
func (b *bench) names(ctx context.Context) ([]figure, error) {
	if _, err := os.Stat(wptA11y); err != nil {
		return []figure{{name: "names and roles (Web Platform Tests)", target: "895", got: "not here", note: wptA11y}}, nil
	}
	chromium, err := cdp.Launch(ctx, cdp.Options{Profile: filepath.Join(b.dir, "names")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = chromium.Close() }() // the figures stand
	firefox, err := bidi.Launch(ctx, bidi.Options{Profile: filepath.Join(b.dir, "names-firefox")})
	if err != nil {
		return nil, err
	}
	defer func() { _ = firefox.Close() }() // the figures stand
	var out []figure
	for _, w := range []struct {
		name string
		b    ports.Browser
		goal int
	}{{"Chromium", chromium, 895}, {"Firefox", firefox, 880}} {
		tab, err := w.b.Open(ctx, "")
		if err != nil {
			return out, err
		}
		s, err := portstest.ScoreNames(ctx, tab, wptA11y)
		if err != nil {
			return out, err
		}
		got := s.Labels + s.Roles
		out = append(out, figure{name: "names and roles in " + w.name, target: fmt.Sprintf(">= %d", w.goal), got: strconv.Itoa(got), ok: got >= w.goal, note: fmt.Sprintf("of %d", s.OfLabels+s.OfRoles)})
	}
	return out, nil
}

// document measures the first look and the whole walk, each five times on the loaded page.
func (l looker) document(ctx context.Context, name, url string) ([]figure, error) {
	if err := l.open(ctx, url); err != nil {
		return nil, err
	}
	var first, whole []time.Duration
	tokens := 0.0
	for range 5 {
		d, res, err := l.look(ctx, map[string]any{})
		if err != nil {
			return nil, err
		}
		first, tokens = append(first, d), max(tokens, float64(len(res.Text()))/3.5)
		d, _, err = l.look(ctx, map[string]any{"page": 2, "maxLines": 100000, "unfold": true, "capMs": 20000})
		if err != nil {
			return nil, err
		}
		whole = append(whole, d)
	}
	f, w := median(first), median(whole)
	return []figure{
		{name: name + ": default snapshot", target: "150 ms", got: ms(f), ok: f <= 150*time.Millisecond},
		{name: name + ": its tokens", target: "2000", got: fmt.Sprintf("%.0f", tokens), ok: tokens <= 2000},
		{name: name + ": every element, names, hidden text", target: "600 ms", got: ms(w), ok: w <= 600*time.Millisecond},
	}, nil
}

// growth measures how the whole walk grows with the page, and that a page without end is answered in part.
func (l looker) growth(ctx context.Context, url string) ([]figure, error) {
	var out []figure
	var before time.Duration
	for _, n := range []int{25_000, 50_000, 100_000} {
		if err := l.open(ctx, url+strconv.Itoa(n)); err != nil {
			return out, err
		}
		var all []time.Duration
		for range 3 {
			d, _, err := l.look(ctx, map[string]any{"page": 2, "maxLines": 1_000_000, "unfold": true, "capMs": 15_000})
			if err != nil {
				return out, err
			}
			all = append(all, d)
		}
		d := median(all)
		if before > 0 {
			ratio := float64(d) / float64(before)
			out = append(out, figure{name: fmt.Sprintf("walk of %d elements, against half of them", n), target: "2.3 x", got: fmt.Sprintf("%.2f x", ratio), ok: ratio <= 2.3, note: ms(d)})
		}
		before = d
	}
	if err := l.open(ctx, url+"1000000"); err != nil {
		return out, err
	}
	d, res, err := l.look(ctx, map[string]any{"page": 2, "unfold": true})
	if err != nil {
		return out, err
	}
	partial := strings.Contains(res.Text(), "partial")
	return append(out, figure{name: "1,000,000 elements: a partial tree that says so", target: "partial", got: map[bool]string{true: "partial", false: "whole"}[partial], ok: partial, note: ms(d) + ", its layout included"}), nil
}

func (l looker) open(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	_, err := l.nav.Call(ctx, ports.Call{Run: "bench", Tool: "browser.nav", Args: ports.JSON(ports.Nav{URL: url})})
	if err != nil {
		return err
	}
	_, err = l.read.Call(ctx, ports.Call{Run: "bench", Args: ports.JSON(map[string]any{"op": "state"})})
	return err
}

func (l looker) look(ctx context.Context, args map[string]any) (time.Duration, ports.Result, error) {
	begun := time.Now()
	res, err := l.read.Call(ctx, ports.Call{Run: "bench", Args: ports.JSON(map[string]any{"op": "snapshot", "args": args})})
	return time.Since(begun), res, err
}

// rows is a page of n elements: rows of links and buttons.
func rows(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.URL.Query().Get("n")) // no number is an empty page
	w.Header().Set("Content-Type", "text/html")
	fmt.Fprint(w, "<!doctype html><title>Rows</title><h1>Rows</h1>")
	for i := range n / 4 {
		fmt.Fprintf(w, "<div><span>row %d</span> <a href='#%d'>open %d</a> <button>Buy</button></div>", i, i, i)
	}
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d)/1e6) }
