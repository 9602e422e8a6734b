//go:build linux

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// faultTime is far more than any fault may take, on the slowest machine: what takes longer hangs.
const faultTime = 2 * time.Minute

// ended is a wb that has run to its end.
type ended struct {
	out, err string
	code     int
	took     time.Duration
}

// run runs wb to its end, and fails where it hangs or leaves anything running.
func (w *world) run(args ...string) ended {
	w.t.Helper()
	return w.wait(w.start(args...))
}

// wait waits for a wb that was started.
func (w *world) wait(p *process) ended {
	w.t.Helper()
	began := time.Now()
	hung := time.AfterFunc(faultTime, func() { _ = syscall.Kill(-p.Process.Pid, syscall.SIGKILL) })
	var out strings.Builder
	for p.lines.Scan() {
		out.WriteString(p.lines.Text() + "\n")
	}
	_ = p.Wait() // the code is what counts
	if !hung.Stop() {
		w.t.Fatalf("wb hangs; it said:\n%s%s", &out, p.err)
	}
	w.noneLeft()
	return ended{out: out.String(), err: p.err.String(), code: p.ProcessState.ExitCode(), took: time.Since(began)}
}

// noneLeft waits until no process that names this world's folder is left.
func (w *world) noneLeft() {
	w.t.Helper()
	var left []string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); <-time.After(50 * time.Millisecond) {
		if left = w.processes(); len(left) == 0 {
			return
		}
	}
	w.t.Errorf("left running:\n%s", strings.Join(left, "\n"))
}

// processes are those that run on this world's folder, as "pgid args", but for wb itself.
func (w *world) processes() []string {
	out, err := exec.Command("ps", "-eo", "pgid=,stat=,args=").Output()
	if err != nil {
		w.t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) > 2 && strings.Contains(line, "--user-data-dir="+w.home) && !strings.HasPrefix(f[1], "Z") {
			found = append(found, f[0]+" "+strings.Join(f[2:min(len(f), 6)], " "))
		}
	}
	return found
}

// says fails unless wb ended with a code and said each of the words, on either stream.
func (e ended) says(t *testing.T, code int, words ...string) {
	t.Helper()
	if e.code != code {
		t.Errorf("exit %d, want %d", e.code, code)
	}
	for _, word := range words {
		if !strings.Contains(e.out+e.err, word) {
			t.Errorf("nothing says %q", word)
		}
	}
	if t.Failed() {
		t.Logf("after %v:\n%s%s", e.took, e.out, e.err)
	}
}

// serve serves one page, and fails nothing.
func serve(t *testing.T, page http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(page)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections) // a page that still loads would hold the server up
	return s.URL
}

// html is a page with a body.
func html(body string) http.HandlerFunc {
	return func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(rw, "<!doctype html><title>A page</title>"+body) // the browser has gone
	}
}

// provider replaces the world's model by an address.
func (w *world) provider(base, more string) {
	w.file("config.yaml", fmt.Sprintf("provider: mock\nproviders:\n  mock: {family: openai, base_url: %q, model: mock-1%s}\n", base, more))
}

// closedPort is an address where nothing listens.
func closedPort(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	return s.URL
}
