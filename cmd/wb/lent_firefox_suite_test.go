package main

import (
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
		return b
	case <-time.After(time.Minute):
		t.Fatal("the extension has not connected")
		return nil
	}
}

// A lent Firefox does what one of wb's own does, but for what no extension of it may do.
func TestLentFirefox(t *testing.T) {
	portstest.Browser(t, lendFirefox)
}
