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
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/portstest"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
)

// lendBrowser starts a Chromium with the extension and returns it as the daemon sees it: every command goes
// through the relay and chrome.debugger.
func lendBrowser(t *testing.T) ports.Browser {
	t.Helper()
	needBrowser(t)
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	c := relay.NewClient("test", "chromium", "chrome-extension://"+extensionID, time.Now())
	if err := (clients{s}).Keep(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	var h http.Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { h.ServeHTTP(w, q) }))
	t.Cleanup(srv.Close)
	host := strings.TrimPrefix(srv.URL, "http://")
	came := make(chan *relay.Extension, 1)
	server := relay.NewServer(relay.Options{Daemon: "test", Hosts: []string{host}, Origins: []string{c.Origin}, Clients: clients{s}, Now: time.Now,
		Extension: func(x *relay.Extension) { came <- x }}, newID())
	t.Cleanup(server.Close)
	h = server
	profile, home := t.TempDir(), t.TempDir()
	if err := writeExtensionTo(filepath.Join(home, "extension")); err != nil {
		t.Skip(err)
	}
	answer := ports.JSON(nativeAnswer{URL: "ws://" + host + "/ws", Client: c.ID, Token: c.Token})
	reply := append(binary.NativeEndian.AppendUint32(nil, uint32(len(answer))), answer...)
	script := filepath.Join(home, "host.sh")
	for path, text := range map[string]string{filepath.Join(home, "answer"): string(reply), script: fmt.Sprintf("#!/bin/sh\ncat %s/answer\n", home),
		filepath.Join(profile, "NativeMessagingHosts", nativeName+".json"): string(nativeManifest(script, "chromium"))} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	person, err := cdp.Launch(t.Context(), cdp.Options{Profile: profile, Args: []string{"--load-extension=" + filepath.Join(home, "extension"),
		"--host-resolver-rules=MAP *.test 127.0.0.1", "--site-per-process", "--silent-debugger-extension-api"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	tab, err := person.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	// A browser that wb started denies downloads; a person's saves them.
	if err := tab.(*cdp.Tab).Protocol(t.Context(), "Browser.setDownloadBehavior", obj{"behavior": "allow", "downloadPath": t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	select {
	case x := <-came:
		if err := x.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
		b, err := cdp.Connect(t.Context(), relay.NewTransport(x))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = b.Close() })
		return b
	case <-time.After(time.Minute):
		t.Fatal("the extension has not connected")
		return nil
	}
}

// A lent browser does what one of wb's own does.
func TestLentBrowser(t *testing.T) {
	t.Parallel()
	portstest.Browser(t, lendBrowser,
		"busy page", // Runtime.terminateExecution is not allowed to extensions
		"crash",     // nor is a page that ends its own process
	)
}
