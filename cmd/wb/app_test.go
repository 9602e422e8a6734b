package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/mockmodel"
)

// The app tests run wb as a person does, on applications that nobody here wrote: each is started on
// loopback, driven in a real browser by a scripted model, and judged by its own data.

// apps is where the playbooks and modules of these tests lie.
var apps = filepath.Join(root, "testdata", "apps")

// need skips where a thing is not installed. CI installs everything, so there its absence is a failure.
func need(t *testing.T, what string, err error) {
	t.Helper()
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("%s is needed here: %v", what, err)
	default:
		t.Skipf("no %s: %v", what, err)
	}
}

func needBrowser(t *testing.T) {
	t.Helper()
	_, err := cdp.Find()
	need(t, "Chromium", err)
}

// person is somebody with a home of their own and a scripted model.
type person struct {
	env    []string
	config string // file
	data   string // folder of wb's own data
	model  *mockmodel.Server
}

// newPerson configures wb for a model that plays testdata/apps/BOOK, with a window of so many tokens.
func newPerson(t *testing.T, book string, window int) *person {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(apps, book))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := mockmodel.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := &person{model: mockmodel.New(parsed), data: filepath.Join(home, "data", "wb"), config: filepath.Join(home, "config", "wb", "config.yaml")}
	srv := httptest.NewServer(p.model)
	t.Cleanup(srv.Close)
	cfg := fmt.Sprintf("provider: mock\nproviders:\n  mock: {family: openai, base_url: %q, model: mock-1, tier: full, context: %d}\n", srv.URL+"/v1", window)
	if err := os.MkdirAll(filepath.Dir(p.config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.config, []byte(cfg), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("what the model read last:\n%s", p.trouble())
		}
	})
	p.env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+filepath.Join(home, "config"), "XDG_DATA_HOME="+filepath.Join(home, "data"),
		"XDG_CACHE_HOME="+cache, "NO_COLOR=1")
	return p
}

// forgetProvider leaves the person with what wb comes with.
func (p *person) forgetProvider(t *testing.T) {
	t.Helper()
	if err := os.Remove(p.config); err != nil {
		t.Fatal(err)
	}
}

// wb runs a command line and returns what it printed; exit codes other than want fail the test.
func (p *person) wb(t *testing.T, want int, args ...string) (stdout string) {
	t.Helper()
	began := time.Now()
	cmd := exec.CommandContext(t.Context(), "wb", args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = p.env, t.TempDir(), 10*time.Second
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	var x *exec.ExitError
	if err != nil && !errors.As(err, &x) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Fatalf("wb %s: exit %d, want %d\n%s\n%s", args[0], got, want, out, errs.String())
	}
	t.Logf("wb %s: %.1f s, %d requests to the model", args[0], time.Since(began).Seconds(), len(p.model.Requests()))
	return string(out)
}

// trouble is what the model last read, for a failure's message.
func (p *person) trouble() string {
	asked := p.model.Requests()
	if len(asked) == 0 {
		return "the model was asked nothing"
	}
	var b strings.Builder
	for _, m := range asked[len(asked)-1].Conversation.Messages {
		fmt.Fprintf(&b, "[%s] %.1500s %v\n", m.Role, m.Text, m.Calls)
	}
	return b.String()
}

// server is an application that runs until the test ends.
func server(t *testing.T, cmd *exec.Cmd, ready string) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have died
		<-died
		_ = out.Close() // it was only written to
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", ready)
		if err == nil {
			_ = conn.Close() // it was only to see who answers
			return
		}
		select {
		case err := <-died:
			died <- err
			text, _ := os.ReadFile(out.Name()) // what there is
			t.Fatalf("%s died: %v\n%s", cmd.Path, err, text)
		case <-ctx.Done():
			t.Fatalf("%s does not listen on %s", cmd.Path, ready)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }() // it only had to be free
	return l.Addr().String()
}

// nowhereIn fails if any file of the folder holds the text.
func nowhereIn(t *testing.T, dir, text string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), text) {
			t.Errorf("%s holds %q", path, text)
		}
		files++
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files looked at in %s: %v", files, dir, err)
	}
}

// runID finds the run in a list of events.
func runID(t *testing.T, events string) string {
	t.Helper()
	m := regexp.MustCompile(`"kind":"run_start","run":"([^"]+)"`).FindStringSubmatch(events)
	if m == nil {
		t.Fatalf("no run in %.300s", events)
	}
	return m[1]
}
