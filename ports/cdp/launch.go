package cdp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Options of Launch and Attach. The zero value launches a headless browser with a temporary profile.
type Options struct {
	Path    string    // browser binary; "" finds one
	Profile string    // user data folder, kept; "" makes a temporary one that is removed at Close
	Headed  bool      // with a window
	Args    []string  // further switches
	Log     io.Writer // what the browser prints; nil drops it
}

// startTime bounds the start of a browser on a busy machine.
const startTime = 30 * time.Second

// Launch starts a browser that lives until Close, the end of this process, or a crash of either. ctx
// bounds the start only. CodeNoBrowser if it cannot be found or does not start.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	p, err := start(o)
	if err != nil {
		return nil, err
	}
	b, err := connect(ctx, p.pipe, p)
	if err != nil {
		p.kill()
		return nil, noStart(p.path, p.said(), err)
	}
	return b, nil
}

// profilePrefix begins the name of a temporary profile; the process id of its owner follows.
const profilePrefix = "wb-profile-"

// sweep removes the temporary profiles of owners that were killed before they could.
func sweep(dir string) {
	list, _ := filepath.Glob(filepath.Join(dir, profilePrefix+"*")) // the pattern is well formed
	for _, p := range list {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(p), profilePrefix), "-")
		if pid, err := strconv.Atoi(id); err == nil && pid > 0 && !running(pid) {
			_ = os.RemoveAll(p) // somebody else's stays
		}
	}
}

// process is a browser that we started.
type process struct {
	path, dir string
	temporary bool
	cmd       *exec.Cmd
	pipe      *pipe
	exited    chan struct{} // closed once it was waited for
	log       *tail
}

func start(o Options) (*process, error) {
	p := &process{path: o.Path, dir: o.Profile, exited: make(chan struct{}), log: &tail{to: o.Log}}
	var err error
	if p.path == "" {
		if p.path, err = Find(); err != nil {
			return nil, err
		}
	}
	if p.dir == "" {
		sweep(os.TempDir())
		if p.dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", profilePrefix, os.Getpid())); err != nil {
			return nil, noStart(p.path, "", err)
		}
		p.temporary = true
	}
	if err := p.exec(switches(o, p.dir)); err != nil {
		p.clean()
		return nil, noStart(p.path, "", err)
	}
	return p, nil
}

func (p *process) exec(args []string) error {
	childIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer childIn.Close()
	ourIn, childOut, err := os.Pipe()
	if err != nil {
		ourOut.Close()
		return err
	}
	defer childOut.Close()
	p.cmd = exec.Command(p.path, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	p.cmd.WaitDelay = 2 * time.Second // a grandchild may hold stderr open
	passPipe(p.cmd, childIn, childOut)
	started := make(chan error)
	go p.own(started)
	if err := <-started; err != nil {
		ourIn.Close()
		ourOut.Close()
		return err
	}
	p.pipe = newPipe(ourIn, ourOut)
	return nil
}

// own starts the process and waits for it on one thread: the signal that ends the browser with its parent
// is bound to the thread that started it.
func (p *process) own(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // the exit code of a browser says nothing
	close(p.exited)
}

// stop waits a while for a browser that was asked to close, then kills it and what it started.
func (p *process) stop(grace time.Duration) {
	t := time.NewTimer(grace)
	defer t.Stop()
	select {
	case <-p.exited:
	case <-t.C:
	}
	p.kill()
}

func (p *process) kill() {
	killGroup(p.cmd)
	<-p.exited
	p.pipe.Close()
	p.clean()
}

// clean removes a temporary profile; its last writers may be dying still.
func (p *process) clean() {
	if !p.temporary {
		return
	}
	for range 20 {
		if os.RemoveAll(p.dir) == nil {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}

func (p *process) said() string { return p.log.String() }

func switches(o Options, dir string) []string {
	args := []string{
		"--user-data-dir=" + dir, "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check", "--password-store=basic", "--use-mock-keychain",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--metrics-recording-only", "--disable-search-engine-choice-screen",
		"--disable-client-side-phishing-detection", "--disable-default-apps", "--disable-breakpad", "--noerrdialogs", "--disable-session-crashed-bubble", "--hide-crash-restore-bubble",
		"--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding", "--disable-background-timer-throttling", "--disable-ipc-flooding-protection",
		// A page restored from the back/forward cache, or rendered ahead of a click, sends no request that the fence could judge.
		"--disable-features=BackForwardCache,Prerender2,Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,InterestFeedContentSuggestions",
	}
	if !o.Headed {
		args = append(args, "--headless=new", "--disable-gpu", "--hide-scrollbars", "--mute-audio", "--window-size=1280,900")
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	return append(append(args, o.Args...), "about:blank")
}

func noStart(path, said string, err error) error {
	if code := ports.CodeOf(err); code == ports.CodeNoBrowser {
		return err
	}
	msg := "the browser " + filepath.Base(path) + " did not start"
	if said != "" {
		msg += "; it said: " + said
	}
	fix := "check that it starts by hand, or name another one with --browser PATH"
	if strings.Contains(said, "ProcessSingleton") || strings.Contains(said, "profile appears to be in use") || strings.Contains(said, "existing browser session") {
		fix = "another browser uses this profile: close it, or use another --profile"
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", startTime)
	}
	return &ports.Error{Code: ports.CodeNoBrowser, Msg: msg, Fix: fix, Err: err}
}

// tail passes output on and keeps the last of it for error messages.
type tail struct {
	mu   sync.Mutex
	to   io.Writer
	last []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if n := len(t.last); n > 600 {
		t.last = append([]byte(nil), t.last[n-600:]...)
	}
	if t.to != nil {
		_, _ = t.to.Write(b)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.last), ""))
}
