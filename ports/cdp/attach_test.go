package cdp

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// TestAttach drives a browser that listens on a port, by both kinds of address, and leaves it alive.
func TestAttach(t *testing.T) {
	if _, err := Find(); err != nil {
		t.Skip("no browser:", err)
	}
	dir := t.TempDir()
	owner, err := Launch(t.Context(), Options{Profile: dir, Args: []string{"--remote-debugging-port=0"}})
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	port, path := devToolsPort(t, dir)
	for _, url := range []string{"http://127.0.0.1:" + port, "ws://127.0.0.1:" + port + path} {
		b, err := Attach(t.Context(), url)
		if err != nil {
			t.Fatal(url, err)
		}
		tb, err := b.Open(t.Context(), "data:text/html,<title>Here</title><button>Hi</button>")
		if err != nil {
			t.Fatal(url, err)
		}
		if o := outline(t, tb, `{}`); !strings.Contains(o, `button "Hi"`) {
			t.Errorf("%s: %s", url, o)
		}
		if err := tb.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if _, err := b.Tabs(t.Context()); ports.CodeOf(err) != ports.CodeBrowserGone {
			t.Errorf("after Close: %v", err)
		}
		if _, err := owner.Tabs(t.Context()); err != nil {
			t.Errorf("the browser was closed: %v", err)
		}
	}
}

func devToolsPort(t *testing.T, dir string) (port, path string) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); {
		b, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
		if lines := strings.Split(strings.TrimSpace(string(b)), "\n"); err == nil && len(lines) == 2 {
			return lines[0], lines[1]
		}
		<-time.After(10 * time.Millisecond)
	}
	t.Fatal("the browser does not listen")
	return "", ""
}

// TestKilledBrowser kills the browser under a waiting call.
func TestKilledBrowser(t *testing.T) {
	b := launch(t)
	tb, err := b.Open(t.Context(), "data:text/html,<p>x")
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := tb.Read(context.Background(), "f0", "waitFor", []byte(`{"text":"never","timeout":20000}`))
		failed <- err
	}()
	dir := b.proc.dir
	killGroup(b.proc.cmd)
	select {
	case err := <-failed:
		if c := ports.CodeOf(err); c != ports.CodeBrowserGone && c != ports.CodeTabGone {
			t.Errorf("error %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the call hangs")
	}
	if err := b.wait(t.Context(), func() (bool, error) { return false, nil }); ports.CodeOf(err) != ports.CodeBrowserGone {
		t.Errorf("wait: %v", err)
	}
	b.Close()
	if isThere(dir) {
		t.Error("the temporary profile is left")
	}
}
