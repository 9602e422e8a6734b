//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/sqlite"
)

func (w *world) size(name string) int64 {
	w.t.Helper()
	info, err := os.Stat(filepath.Join(w.home, name))
	if err != nil {
		w.t.Fatal(err)
	}
	return info.Size()
}

// TestFaultAddress: addresses that lead nowhere.
func TestFaultAddress(t *testing.T) {
	w := newWorld(t, lookBook)
	for url, c := range map[string]struct {
		code  int
		words []string
	}{
		"ftp://example.org/":            {exitUsage, []string{"not a web address", "http://"}},
		"file:///etc/passwd":            {exitUsage, []string{"not a web address"}},
		"javascript:alert(1)":           {exitUsage, []string{"not a web address"}},
		"http://user:secret@localhost/": {exitUsage, []string{"not a web address"}},
		"http://nosuchhost.invalid/":    {exitFailed, []string{"nosuchhost.invalid", "why:"}},
		closedPort(t) + "/":             {exitFailed, []string{"127.0.0.1", "why:"}},
	} {
		t.Run(strings.NewReplacer("/", "_").Replace(url), func(t *testing.T) {
			w.t = t
			e := w.run("run", "Look", "--url", url)
			e.says(t, c.code, c.words...)
			if strings.Contains(e.out+e.err, "secret@") {
				t.Error("the password of an address is shown")
			}
			if c.code == exitFailed {
				w.run("call", "read_page", "--url", url).says(t, exitFailed, "error:")
			}
		})
	}
}

// TestFaultBrowser: a browser that is none.
func TestFaultBrowser(t *testing.T) {
	w := newWorld(t, lookBook)
	script := w.file("not-a-browser", "#!/bin/sh\necho I am a teapot >&2\nexit 3\n")
	if err := os.Chmod(script, 0o700); err != nil {
		t.Fatal(err)
	}
	deaf := w.file("deaf-browser", "#!/bin/sh\nexec sleep 600\n")
	for path, words := range map[string][]string{
		"/nonexistent/chromium": {"/nonexistent/chromium", "--browser"},
		script:                  {"I am a teapot", "--browser"},
		w.file("plain.txt", ""): {"plain.txt", "--browser"},
		closedWS(t):             {"no browser answers", "--remote-debugging-port"},
	} {
		w.run("run", "Look", "--url", w.url, "--browser", path).says(t, exitFailed, words...)
		w.run("call", "read_page", "--browser", path).says(t, exitFailed, append(words, "fix:")...)
	}
	if err := os.Chmod(deaf, 0o700); err != nil || testing.Short() {
		return // waits the whole start time
	}
	w.run("run", "Look", "--url", w.url, "--browser", deaf).says(t, exitFailed, "did not start", "--browser")
}

func closedWS(t *testing.T) string {
	return strings.Replace(closedPort(t), "http:", "ws:", 1) + "/devtools"
}

// TestFaultStorage: a journal that cannot be written stops wb before anything happens in the world.
func TestFaultStorage(t *testing.T) {
	db := func(w *world) string { return filepath.Join(w.home, "wb", "wb.db") }
	for name, c := range map[string]struct {
		spoil func(t *testing.T, w *world)
		words []string
	}{
		"corrupt": {func(t *testing.T, w *world) {
			if err := os.WriteFile(db(w), []byte(strings.Repeat("not a database at all ", 1000)), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"damaged", "wb doctor", "move"}},
		"locked":   {func(t *testing.T, w *world) { lockFile(t, db(w)) }, []string{"another process holds", "wait"}},
		"a folder": {func(t *testing.T, w *world) { _ = os.MkdirAll(db(w), 0o700) }, []string{"wb.db", "fix:"}},
		"a file in the way": {func(t *testing.T, w *world) {
			if err := os.Remove(filepath.Join(w.home, "wb")); err != nil {
				t.Fatal(err)
			}
			w.file("wb", "")
		}, []string{"fix:"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, resumeBook)
			if err := os.MkdirAll(filepath.Join(w.home, "wb"), 0o700); err != nil {
				t.Fatal(err)
			}
			c.spoil(t, w)
			e := w.run("run", "Order a red teapot for Ada", "--url", w.url)
			e.says(t, exitFailed, c.words...)
			if w.shop.Posts() != 0 {
				t.Error("something was sent that nobody wrote down")
			}
		})
	}
}

// lockFile holds the file as another database program would.
func lockFile(t *testing.T, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	const pending = 0x40000000 // the bytes that SQLite locks in place of the whole file
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK, Start: pending, Len: 512}); err != nil {
		t.Fatal(err)
	}
}

// TestFaultDiskFull fills the disk under the journal while a run goes on.
func TestFaultDiskFull(t *testing.T) {
	w := newWorld(t, "- reply: {calls: [{tool: read_page}, {tool: get_accessibility_tree}]}")
	small := filepath.Join(w.home, "wb")
	if err := os.MkdirAll(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=700k"); err != nil {
		t.Skip("a small disk needs the right to mount one:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(small, syscall.MNT_DETACH) })
	var lines []string
	for i := range 400 {
		lines = append(lines, strings.Repeat(string(rune('a'+i%26)), 70))
	}
	page := serve(t, html("<p>"+strings.Join(lines, "<p>")))
	e := w.run("run", "Look", "--url", page, "--profile", filepath.Join(w.home, "profile"))
	e.says(t, exitFailed, "the disk is full", "free some disk space")
}

// TestFaultBrowserDies kills the browser while a click is under way.
func TestFaultBrowserDies(t *testing.T) {
	w := newWorld(t, resumeBook)
	died := make(chan time.Time, 1)
	w.onPost = func() {
		for _, p := range w.processes() {
			var group int
			if _, err := fmt.Sscan(p, &group); err == nil {
				_ = syscall.Kill(-group, syscall.SIGKILL) // several of one group
			}
		}
		died <- time.Now()
	}
	p := w.start("run", "Order a red teapot for Ada", "--url", w.url, "--json", "--max-steps", "20")
	out, code := p.end()
	if code != exitFailed || out.Code != ports.CodeBrowserGone || out.Status != agent.StatusFailed {
		t.Errorf("exit %d, %+v\n%s", code, out, p.err)
	}
	if took := time.Since(<-died); took > 10*time.Second {
		t.Errorf("the run went on for %v without a browser", took)
	}
	w.noneLeft()
	w.whole()
	if n := w.shop.Posts(); n != 1 {
		t.Errorf("%d posts", n)
	}
}

// whole fails unless the journal is undamaged and its chain unbroken.
func (w *world) whole() {
	w.t.Helper()
	s, err := sqlite.Open(w.t.Context(), filepath.Join(w.home, "wb", "wb.db"), sqlite.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	defer s.Close()
	if err := s.Check(w.t.Context()); err != nil {
		w.t.Error(err)
	}
	if _, err := s.Verify(w.t.Context()); err != nil {
		w.t.Error(err)
	}
}

// TestFaultInterrupt stops a run with Ctrl-C while its model thinks: cleanly, and it can be resumed.
func TestFaultInterrupt(t *testing.T) {
	w := newWorld(t, "- fault: {hang: true}")
	p := w.start("run", "Order a red teapot for Ada", "--url", w.url, "--json", "--max-steps", "20")
	run := ""
	for e, ok := p.next(); ok && e.Kind != ports.EventStep; e, ok = p.next() {
		run = e.Run
	}
	if err := p.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	out, code := p.end()
	if code != exitFailed || out.Status != agent.StatusStopped || !strings.Contains(out.Reason, "--resume "+run) {
		t.Errorf("exit %d, %+v\n%s", code, out, p.err)
	}
	w.noneLeft()
	w.play(resumeBook)
	w.resumed(run, "Ctrl-C")
}
