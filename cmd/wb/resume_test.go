//go:build linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/testdata/shop"
)

// resumeBook decides by what the page shows, as a careful model would, and so can go on from anywhere.
const resumeBook = `
- when: {last_tool: get_accessibility_tree, last_result: 'cell: Ada'}
  reply: {calls: [{tool: done, args: {summary: ordered, outcome: success}}]}
- when: {last_tool: get_accessibility_tree, last_result: 'button "Save order"'}
  reply:
    calls:
      - {tool: set_field, args: {ref_id: '{{ref role="textbox" name="Name"}}', text: Ada}}
      - {tool: set_field, args: {ref_id: '{{ref role="textbox" name="E-mail"}}', text: ada@example.org}}
      - {tool: click_ax, args: {ref_id: '{{ref role="combobox" name="Product"}}'}}
      - {tool: click, args: {text: Red teapot}}
      - {tool: click_ax, args: {ref_id: '{{ref role="button" name="Save order"}}', expect: [{kind: text_present, text: Order 2 saved}]}}
- when: {last_tool: get_accessibility_tree, last_result: 'button "New order"'}
  reply: {calls: [{tool: click_ax, args: {ref_id: '{{ref role="button" name="New order"}}'}}]}
- reply: {calls: [{tool: get_accessibility_tree}]}
`

// world is a shop, a model and a place for wb's files, and starts wb as a process of its own.
type world struct {
	t    *testing.T
	shop *shop.Shop
	url  string
	home string
	wb   string // the program: this one, under the name that makes it wb
	env  []string
	// onPost is called when an order arrives, before it is taken; nil does nothing.
	onPost func()
	model  atomic.Pointer[mockmodel.Server]
}

// newWorld makes a world; book is the model's playbook.
func newWorld(t *testing.T, book string) *world {
	t.Helper()
	if _, err := cdp.Find(); err != nil {
		t.Skip("no browser:", err)
	}
	w := &world{t: t, shop: shop.New(), home: t.TempDir()}
	w.play(book)
	model := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.model.Load().ServeHTTP(rw, r) }))
	t.Cleanup(model.Close)
	site := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && w.onPost != nil {
			w.onPost()
		}
		w.shop.ServeHTTP(rw, r)
	}))
	t.Cleanup(site.Close)
	w.url = site.URL
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.wb = filepath.Join(t.TempDir(), "wb")
	if err := os.Symlink(exe, w.wb); err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cfg := fmt.Sprintf("provider: mock\nproviders:\n  mock: {family: openai, base_url: %q, model: mock-1}\n", model.URL+"/v1")
	w.file("config.yaml", cfg)
	w.env = append(os.Environ(), "HOME="+w.home, "XDG_DATA_HOME="+w.home, "XDG_CONFIG_HOME="+filepath.Join(w.home, "config"), "XDG_CACHE_HOME="+cache, "NO_COLOR=1", "TMPDIR="+w.home)
	return w
}

// play gives the model a playbook, from the next request on.
func (w *world) play(book string) {
	w.t.Helper()
	p, err := mockmodel.Parse([]byte(book))
	if err != nil {
		w.t.Fatal(err)
	}
	w.model.Store(mockmodel.New(p))
}

func (w *world) file(name, text string) string {
	w.t.Helper()
	path := filepath.Join(w.home, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return path
}

// process is a wb that runs.
type process struct {
	*exec.Cmd
	lines *bufio.Scanner
	err   *strings.Builder
	seen  []string // its events, for messages
}

// start starts wb with its config, in a process group of its own.
func (w *world) start(args ...string) *process {
	w.t.Helper()
	return w.startWith(nil, args...)
}

// startWith is start with something to read.
func (w *world) startWith(in *os.File, args ...string) *process {
	w.t.Helper()
	p := &process{Cmd: exec.Command(w.wb, append(args, "--config", filepath.Join(w.home, "config.yaml"))...), err: &strings.Builder{}}
	p.Env = w.env
	if in != nil {
		p.Stdin = in
	}
	p.Stderr = p.err
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := p.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	p.lines = bufio.NewScanner(out)
	p.lines.Buffer(nil, 16<<20)
	if err := p.Start(); err != nil {
		w.t.Fatal(err)
	}
	return p
}

// next is the next event that is not a piece of the model's answer; false at the end of the output.
func (p *process) next() (e ports.Event, ok bool) {
	for p.lines.Scan() {
		e = ports.Event{}
		if json.Unmarshal(p.lines.Bytes(), &e) == nil && e.Kind != ports.EventDelta {
			p.seen = append(p.seen, e.Kind+" "+e.Tool+" "+clean(e.Text, 300))
			return e, true
		}
	}
	return e, false
}

// end reads to the end and returns the outcome, if there was one, and the exit code.
func (p *process) end() (out agent.Outcome, code int) {
	for e, ok := p.next(); ok; e, ok = p.next() {
		if e.Kind == ports.EventRunEnd {
			_ = json.Unmarshal(e.Data, &out) // an outcome that cannot be read has no status
		}
	}
	_ = p.Wait() // the code is what counts
	return out, p.ProcessState.ExitCode()
}

func (p *process) kill() {
	_ = syscall.Kill(p.Process.Pid, syscall.SIGKILL) // wb alone: what becomes of its browser is the question
	for p.lines.Scan() {
	}
	_ = p.Wait() // it was killed
}

// profiles lists the browser profiles that are left.
func (w *world) profiles() []string {
	list, err := filepath.Glob(filepath.Join(w.home, "wb", "profiles", "*"))
	if err != nil {
		w.t.Fatal(err)
	}
	return list
}

// TestResumeAfterKill kills wb at each event of a run, resumes it, and asks the shop what it was sent.
func TestResumeAfterKill(t *testing.T) {
	t.Parallel()
	step := 1
	if testing.Short() {
		step = 5
	}
	w := newWorld(t, resumeBook)
	whole := w.run("run", "Order a red teapot for Ada", "--url", w.url, "--json", "--max-steps", "20")
	events := strings.Count(whole.out, "\n")
	if whole.code != exitOK || events < 20 {
		t.Fatalf("the run without a kill: exit %d, %d events", whole.code, events)
	}
	for n := 1; n <= events; n += step {
		t.Run(fmt.Sprint("event ", n), func(t *testing.T) {
			t.Parallel()
			killAt(t, n)
		})
	}
}

// killAt kills at the nth event. A run that is quicker than the one counted ends before it, and is whole.
func killAt(t *testing.T, n int) {
	w := newWorld(t, resumeBook)
	p := w.start("run", "Order a red teapot for Ada", "--url", w.url, "--json", "--max-steps", "20")
	run, last := "", ""
	for range n {
		e, ok := p.next()
		if !ok {
			out, code := p.end()
			if code != exitOK || w.shop.Posts() != 1 {
				t.Fatalf("not killed: exit %d, posts %d, last %s\n%s %+v", code, w.shop.Posts(), last, p.err, out)
			}
			return
		}
		run, last = e.Run, e.Kind+" "+e.Tool
	}
	p.kill()
	if last != ports.EventRunEnd+" " && len(w.profiles()) == 0 && n > 4 {
		t.Errorf("killed at %s: the profile is gone before the run has ended", last)
	}
	w.resumed(run, last)
}

// resumed resumes a run once or, after a claim that cannot be checked, twice, and judges it by the shop.
func (w *world) resumed(run, last string) {
	w.t.Helper()
	before := w.shop.Posts()
	p := w.start("run", "--resume", run, "--json")
	out, code := p.end()
	// The outcome may have been stored between the last event that was read and the kill: there is nothing
	// to resume then, and the shop must hold the one order all the same.
	stored := code == exitUsage && strings.Contains(p.err.String(), "has ended with success")
	switch {
	case stored:
	case code != exitOK && code != exitPartial && out.Status != agent.StatusNeedsUser:
		w.t.Errorf("killed at %s: resume: exit %d, %+v\n%s", last, code, out, p.err)
	}
	if len(w.shop.Orders()) != 2 || w.shop.Posts() != 1 {
		w.t.Errorf("killed at %s, with %d posts: %d posts now, orders %+v", last, before, w.shop.Posts(), w.shop.Orders())
	}
	w.whole()
	if left := w.profiles(); len(left) != 0 && !stored {
		w.t.Errorf("killed at %s: the run has ended and its profile is left: %v", last, left)
	}
}
