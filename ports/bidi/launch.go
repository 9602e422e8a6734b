package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Options of Launch. The zero value launches a headless Firefox with a temporary profile.
type Options struct {
	Path    string         // browser binary; "" finds one
	Profile string         // kept; "" makes a temporary one that is removed at Close
	Headed  bool           // with a window
	Prefs   map[string]any // further preferences
	Log     io.Writer      // what the browser prints; nil drops it
}

const startTime = 60 * time.Second

// quiet are preferences that keep a fresh profile from asking, updating and reporting.
var quiet = map[string]any{
	"browser.shell.checkDefaultBrowser": false, "browser.startup.homepage": "about:blank", "browser.startup.page": 0, "browser.startup.homepage_override.mstone": "ignore",
	"browser.aboutwelcome.enabled": false, "trailhead.firstrun.didSeeAboutWelcome": true, "termsofuse.bypassNotification": true, "browser.newtabpage.enabled": false,
	"datareporting.policy.dataSubmissionEnabled": false, "datareporting.policy.dataSubmissionPolicyBypassNotification": true, "datareporting.healthreport.uploadEnabled": false,
	"toolkit.telemetry.enabled": false, "toolkit.telemetry.server": "", "app.normandy.enabled": false, "app.update.enabled": false, "extensions.update.enabled": false,
	"extensions.getAddons.cache.enabled": false, "network.captive-portal-service.enabled": false, "network.connectivity-service.enabled": false,
	"browser.safebrowsing.malware.enabled": false, "browser.safebrowsing.phishing.enabled": false, "browser.safebrowsing.update.enabled": false,
	"services.settings.server": "data:,#remote-settings-dummy/v1", "media.gmp-manager.updateEnabled": false, "browser.topsites.contile.enabled": false, "geo.provider.network.url": "",
	"dom.push.connection.enabled": false, "network.prefetch-next": false, "network.dns.disablePrefetch": true, "network.http.speculative-parallel-limit": 0,
	// A page restored from the back/forward cache sends no request that the fence could judge.
	"browser.sessionhistory.max_total_viewers": 0, "fission.bfcacheInParent": false, "browser.tabs.unloadOnLowMemory": false, "dom.ipc.processPrelaunch.enabled": false,
	// A page that prints opens a window that nobody can close here, and every later call waits for it.
	"print.enabled": false,
	// Input goes through the whole browser, which finds the process whose frame lies there, as a person's does.
	"remote.events.async.mouse.enabled": true, "remote.events.async.wheel.enabled": true,
}

// Find returns the path of a Firefox, the binary rather than a distribution's wrapper.
func Find() (string, error) {
	for _, p := range []string{"/usr/lib/firefox-esr/firefox-esr", "/usr/lib/firefox/firefox", "/usr/lib64/firefox/firefox", "/Applications/Firefox.app/Contents/MacOS/firefox"} {
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() {
			return p, nil
		}
	}
	for _, name := range []string{"firefox-esr", "firefox"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", ports.NewError(ports.CodeNoBrowser, "no Firefox found", "install one (Debian: apt install firefox-esr)")
}

// process is a Firefox that we started.
type process struct {
	path, dir string
	temporary bool
	cmd       *exec.Cmd
	exited    chan struct{}
}

// Launch starts a Firefox that lives until Close, the end of this process, or a crash of either. ctx bounds
// the start only. CodeNoBrowser if it cannot be found or does not start.
func Launch(ctx context.Context, o Options) (*Browser, error) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	p, err := start(o)
	if err != nil {
		return nil, err
	}
	url, err := p.endpoint(ctx)
	if err == nil {
		var b *Browser
		if b, err = connect(ctx, url, p); err == nil {
			return b, nil
		}
	}
	p.kill()
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no answer within %s", startTime)
	}
	return nil, &ports.Error{Code: ports.CodeNoBrowser, Msg: "the browser " + filepath.Base(p.path) + " did not start", Fix: "check that it starts by hand", Err: err}
}

const (
	profilePrefix = "wb-firefox-"
	portFile      = "WebDriverBiDiServer.json"
)

func start(o Options) (*process, error) {
	p := &process{path: o.Path, dir: o.Profile, exited: make(chan struct{})}
	var err error
	if p.path == "" {
		if p.path, err = Find(); err != nil {
			return nil, err
		}
	}
	if p.dir == "" {
		sweep(os.TempDir())
		if p.dir, err = os.MkdirTemp("", fmt.Sprintf("%s%d-", profilePrefix, os.Getpid())); err != nil {
			return nil, ports.NewError(ports.CodeNoBrowser, "no profile: "+err.Error(), "")
		}
		p.temporary = true
	}
	if err := p.exec(o); err != nil {
		p.clean()
		return nil, ports.NewError(ports.CodeNoBrowser, "Firefox: "+err.Error(), "check that it starts by hand")
	}
	return p, nil
}

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

func (p *process) exec(o Options) error {
	prefs := maps.Clone(quiet)
	maps.Copy(prefs, o.Prefs)
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(prefs)) {
		v, err := json.Marshal(prefs[k])
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "user_pref(%q, %s);\n", k, v)
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "user.js"), []byte(b.String()), 0o600); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(p.dir, portFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	args := []string{"--no-remote", "--profile", p.dir, "--remote-debugging-port=0"}
	if !o.Headed {
		args = append(args, "--headless", "--width=1280", "--height=900")
	}
	p.cmd = exec.Command(p.path, append(args, "about:blank")...)
	p.cmd.Stdout, p.cmd.Stderr = o.Log, o.Log
	p.cmd.Env = append(os.Environ(), "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_HEADLESS_WIDTH=1280", "MOZ_HEADLESS_HEIGHT=900")
	p.cmd.WaitDelay = 2 * time.Second // a grandchild may hold stderr open
	ownGroup(p.cmd)
	started := make(chan error)
	go p.own(started)
	return <-started
}

// own starts the process and waits for it on one thread: the signal that ends the browser with its parent is
// bound to the thread that started it.
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

// endpoint waits for the file in which Firefox says where it listens.
func (p *process) endpoint(ctx context.Context) (string, error) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		var at struct {
			Port int `json:"ws_port"`
		}
		if b, err := os.ReadFile(filepath.Join(p.dir, portFile)); err == nil && json.Unmarshal(b, &at) == nil && at.Port > 0 {
			return fmt.Sprintf("ws://127.0.0.1:%d/session", at.Port), nil
		}
		select {
		case <-p.exited:
			return "", errors.New("it ended at once")
		case <-ctx.Done():
			return "", ctx.Err()
		case <-tick.C:
		}
	}
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
	p.clean()
}

// clean removes a temporary profile; its last writers may be dying still.
func (p *process) clean() {
	if !p.temporary {
		return
	}
	for range 50 {
		if os.RemoveAll(p.dir) == nil {
			return
		}
		<-time.After(20 * time.Millisecond)
	}
}
