package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/scripted"
	"github.com/wb-agent/wb/ports/sqlite"
)

// lendFirefox starts a Firefox with the extension and returns it as the daemon sees it: every command goes through
// the relay and the page script.
func lendFirefox(t *testing.T) ports.Browser {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := relay.NewClient("test", "firefox", "", time.Now())
	if err := (clients{s}).Keep(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var h http.Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { h.ServeHTTP(w, q) }))
	t.Cleanup(srv.Close)
	host := strings.TrimPrefix(srv.URL, "http://")
	came := make(chan *relay.Extension, 1)
	server := relay.NewServer(relay.Options{Daemon: "test", Hosts: []string{host}, Clients: clients{s}, Now: time.Now, Extension: func(x *relay.Extension) { came <- x }}, newID())
	t.Cleanup(server.Close)
	h = server
	home := t.TempDir()
	answer := ports.JSON(nativeAnswer{URL: "ws://" + host + "/ws", Client: c.ID, Token: c.Token})
	reply := append(binary.NativeEndian.AppendUint32(nil, uint32(len(answer))), answer...)
	script := filepath.Join(home, "host.sh")
	for path, text := range map[string]string{filepath.Join(home, "answer"): string(reply), script: fmt.Sprintf("#!/bin/sh\ncat %s/answer\nexec cat >/dev/null\n", home)} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	openFirefox(t, home, script)
	select {
	case x := <-came:
		if err := x.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		b := scripted.Connect(x)
		t.Cleanup(func() { _ = b.Close() })
		return byScript{b}
	case <-time.After(time.Minute):
		t.Fatal("the extension has not connected")
		return nil
	}
}

// byScript clicks by script what the suite clicks by hand: as the page plugin does where there is no trusted input.
type byScript struct{ *scripted.Browser }

func (b byScript) Open(ctx context.Context, url string) (ports.Tab, error) {
	t, err := b.Browser.Open(ctx, url)
	return byScriptTab{t}, err
}

func (b byScript) Tab(ctx context.Context, id string) (ports.Tab, error) {
	t, err := b.Browser.Tab(ctx, id)
	if err != nil {
		return nil, err
	}
	return byScriptTab{t}, nil
}

type byScriptTab struct{ ports.Tab }

func (t byScriptTab) Input(ctx context.Context, in ports.Input) (ports.InputResult, error) {
	_, err := t.Tab.Input(ctx, in)
	if ports.CodeOf(err) != ports.CodeNoInput || in.Kind != "click" || in.Ref == "" || in.Count > 1 || in.Btn != "" {
		return ports.InputResult{}, err
	}
	_, err = t.Act(ctx, ports.FrameOf(in.Ref), "click", ports.JSON(obj{"ref": in.Ref}))
	return ports.InputResult{}, err
}

// A lent Firefox does what one of wb's own does, but for what no extension of it may do.
func TestLentFirefox(t *testing.T) {
	portstest.Browser(t, lendFirefox,
		"type", "keys", "pointer", "drag and drop", // there is no trusted input
		"click and settle", "frames", // they look for a trusted click; TestLentFirefoxFrames for one by script
		"covered",                                               // a click by script meets no cover
		"alert", "confirm", "prompt", "many dialogs", "unsaved", // extensions do not learn of dialogs
		"busy page", // nothing interrupts a script
		"crash",     // a lent tab does not go to about:crashcontent
	)
}
