package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
)

// page is a small page that says when its document is there.
const page = `<!doctype html><title>Start</title><h1>Hello</h1><button>Go</button><script>document.addEventListener('DOMContentLoaded', () => fetch('/loaded'))</script>`

// start: from the exec of a browser to the first snapshot, against the same browser without wb to the
// document of the same page. They take turns.
func (b *bench) start(ctx context.Context) ([]figure, error) {
	loaded := make(chan time.Time, 10)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/loaded":
			loaded <- time.Now()
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, page) // the browser may have gone
		}
	}))
	defer site.Close()
	var alone, driven []time.Duration
	for i := range b.n + 1 {
		a, err := b.alone(ctx, site.URL, i, loaded)
		if err != nil {
			return nil, err
		}
		d, err := b.driven(ctx, site.URL, i)
		if err != nil {
			return nil, err
		}
		<-loaded   // of the driven one
		if i > 0 { // the first reads the browser from the disk
			alone, driven = append(alone, a), append(driven, d)
		}
	}
	a, d := median(alone), median(driven)
	ratio := float64(d) / float64(a)
	return []figure{{"Chromium's start to the first snapshot, against it alone", "<= 1.30 x", fmt.Sprintf("%.2f x", ratio), ratio <= 1.3,
		fmt.Sprintf("%s against %s", short(d), short(a))}}, nil
}

// alone starts a browser on the page and waits until the page is there.
func (b *bench) alone(ctx context.Context, url string, i int, loaded chan time.Time) (time.Duration, error) {
	path, err := cdp.Find()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, bare(filepath.Join(b.dir, fmt.Sprint("alone-", i)), "--remote-debugging-port=0", url+"/")...)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	select {
	case at := <-loaded:
		return at.Sub(began), nil
	case <-time.After(time.Minute):
		return 0, fmt.Errorf("a browser alone did not load the page within a minute")
	}
}

// driven starts a browser as wb does and reads the page.
func (b *bench) driven(ctx context.Context, url string, i int) (time.Duration, error) {
	began := time.Now()
	br, err := cdp.Launch(ctx, cdp.Options{Profile: filepath.Join(b.dir, fmt.Sprint("driven-", i))})
	if err != nil {
		return 0, err
	}
	defer func() { _ = br.Close() }()
	tabs, err := br.Tabs(ctx)
	if err != nil {
		return 0, err
	}
	if len(tabs) == 0 {
		return 0, fmt.Errorf("the browser has no tab")
	}
	t, err := br.Tab(ctx, tabs[0].ID)
	if err != nil {
		return 0, err
	}
	if _, err := t.Nav(ctx, ports.Nav{URL: url + "/"}); err != nil {
		return 0, err
	}
	if _, err := t.Read(ctx, "f0", "snapshot", json.RawMessage(`{}`)); err != nil {
		return 0, err
	}
	return time.Since(began), nil
}
