package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/ports/panel"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
	"github.com/wb-agent/wb/testdata/shop"
)

// daemonRig is a daemon beside the sample shop and a scripted model.
type daemonRig struct {
	t    *testing.T
	cfg  *Config
	shop *shop.Shop
	url  string // of the shop
	mock *mockmodel.Server
	at   string // the daemon's address

	stop context.CancelFunc
	done chan error
}

// newDaemonRig starts both; book is the model's.
func newDaemonRig(t *testing.T, book string) *daemonRig {
	t.Helper()
	needBrowser(t)
	r := &daemonRig{t: t, cfg: testConfig(t), shop: shop.New()}
	site := httptest.NewServer(r.shop)
	t.Cleanup(site.Close)
	r.url = site.URL
	rules, err := mockmodel.Parse([]byte(book))
	if err != nil {
		t.Fatal(err)
	}
	r.mock = mockmodel.New(rules)
	model := httptest.NewServer(r.mock)
	t.Cleanup(model.Close)
	r.cfg.Provider, r.cfg.Providers = "mock", map[string]ModelEntry{"mock": {Family: "openai", BaseURL: model.URL + "/v1", Model: "m", Vision: true, PDF: true}}
	r.cfg.Listen = "127.0.0.1:0"
	r.start()
	t.Cleanup(func() { r.end() })
	return r
}

// start starts the daemon; a second time at the address that it had.
func (r *daemonRig) start() {
	r.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.done = stop, make(chan error, 1)
	ready := make(chan string, 1)
	go func() { r.done <- serveDaemon(ctx, r.cfg, func(at string) { ready <- at }) }()
	select {
	case r.at = <-ready:
		r.cfg.Listen = r.at
	case err := <-r.done:
		r.t.Fatal(err)
	}
}

func (r *daemonRig) end() {
	r.stop()
	if err := <-r.done; err != nil {
		r.t.Error(err)
	}
	r.done <- nil
}

// person is Chromium with the extension loaded, as somebody would use it. The test watches it from outside.
type personal struct {
	*cdp.Browser
	rig *daemonRig
}

// openBrowser starts a Chromium that knows wb by native messaging, with the extension in it.
func (r *daemonRig) openBrowser() *personal {
	r.t.Helper()
	profile, home := r.t.TempDir(), r.t.TempDir()
	ext := filepath.Join(home, "extension")
	if err := writeExtensionTo(ext); err != nil {
		r.t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	wb := filepath.Join(r.t.TempDir(), "wb") // the test binary is wb under this name
	if err := os.Symlink(self, wb); err != nil {
		r.t.Fatal(err)
	}
	script := filepath.Join(home, "host.sh")
	r.write(script, fmt.Sprintf("#!/bin/sh\nexport HOME=%s XDG_CONFIG_HOME=%s WB_DATA_DIR=%s\nexec %s native-host \"$@\"\n", home, home, r.cfg.DataDir, wb), 0o755)
	r.write(filepath.Join(profile, "NativeMessagingHosts", nativeName+".json"), string(nativeManifest(script, "chromium")), 0o644)
	b, err := cdp.Launch(r.t.Context(), cdp.Options{Profile: profile, Args: []string{"--load-extension=" + ext}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = b.Close() })
	return &personal{b, r}
}

func (r *daemonRig) write(path, text string, mode os.FileMode) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		r.t.Fatal(err)
	}
}

// paired waits until a browser has paired and returns its pairing.
func (r *daemonRig) paired() relay.Client {
	r.t.Helper()
	s, err := sqlite.Open(r.t.Context(), filepath.Join(r.cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var got relay.Client
	r.wait("a pairing", func() bool {
		keys, err := s.Keys(r.t.Context(), hostSpace, clientKey)
		if err != nil {
			r.t.Fatal(err)
		}
		i := slices.IndexFunc(keys, func(k string) bool { return k != clientKey+"terminal" && k != clientKey+"page" })
		if i < 0 {
			return false
		}
		got, _ = clients{s}.Client(r.t.Context(), keys[i][len(clientKey):])
		return true
	})
	return got
}

// wait polls; what it waits for lies in another process.
func (r *daemonRig) wait(what string, so func() bool) {
	r.t.Helper()
	await(r.t, what, so)
}

// await waits until something is so.
func await(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); {
		if time.Now().After(end) {
			t.Fatalf("no %s after a minute", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// own is the pairing of this computer's page.
func (r *daemonRig) own(c *relay.Client) {
	r.t.Helper()
	s, err := sqlite.Open(r.t.Context(), filepath.Join(r.cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if *c, err = ownClient(r.t.Context(), s, "page"); err != nil {
		r.t.Fatal(err)
	}
}

// onlooker is a panel without a page: it starts runs and hears what comes of them.
type onlooker struct {
	*relay.Peer
	t  *testing.T
	mu sync.Mutex
	ev []panel.Event
}

func (r *daemonRig) look(c relay.Client) *onlooker {
	r.t.Helper()
	o := &onlooker{t: r.t}
	origin := c.Origin
	if origin == "" {
		origin = "http://" + r.at
	}
	p, err := relay.Dial(r.t.Context(), "ws://"+r.at+"/ws", origin, c, relay.RolePanel, func(method string, params json.RawMessage) {
		var n struct{ Events []panel.Event }
		if method == "events" && json.Unmarshal(params, &n) == nil {
			o.mu.Lock()
			o.ev = append(o.ev, n.Events...)
			o.mu.Unlock()
		}
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { p.Close("") })
	o.Peer = p
	return o
}

func (o *onlooker) ask(method string, params any) map[string]json.RawMessage {
	o.t.Helper()
	var res map[string]json.RawMessage
	if err := o.Call(o.t.Context(), method, params, &res); err != nil {
		o.t.Fatalf("%s: %v", method, err)
	}
	return res
}

// events are those of a kind so far.
func (o *onlooker) events(kind string) (out []panel.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.ev {
		if e.Kind == kind {
			out = append(out, e)
		}
	}
	return out
}

// begin opens a new conversation, watches it and starts a run.
func (o *onlooker) begin(text, tab, mode string) (session string) {
	o.t.Helper()
	var s panel.Info
	if err := json.Unmarshal(o.ask("session.open", obj{})["session"], &s); err != nil {
		o.t.Fatal(err)
	}
	o.ask("session.watch", obj{"id": s.ID, "since": 0})
	o.ask("run.start", obj{"session": s.ID, "text": text, "mode": mode, "tab": tab})
	return s.ID
}

// outcome waits for the end of the n-th run.
func (r *daemonRig) outcome(o *onlooker, n int) (out struct{ Status, Summary, Reason string }) {
	r.t.Helper()
	r.wait("end of the run", func() bool { return len(o.events(ports.EventRunEnd)) >= n })
	if err := json.Unmarshal(o.events(ports.EventRunEnd)[n-1].Data, &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// tabNumber is the browser's own number of the tab that shows a page, as the extension sees it.
func (p *personal) tabNumber(url string) string {
	p.rig.t.Helper()
	t, err := p.Open(p.rig.t.Context(), "chrome-extension://"+extensionID+"/panel.html")
	if err != nil {
		p.rig.t.Fatal(err)
	}
	defer func() { _ = t.Close(p.rig.t.Context()) }()
	raw, err := t.(ports.Evaluator).Eval(p.rig.t.Context(), "f0", fmt.Sprintf("(await chrome.tabs.query({})).find(t => t.url.startsWith(%q)).id", url))
	if err != nil {
		p.rig.t.Fatal(err)
	}
	return strings.Trim(string(raw), `"`)
}

// A person's own tab: the run works there, with their cookies, and leaves it as it was.
func TestLentTab(t *testing.T) {
	t.Parallel()
	r := newDaemonRig(t, string(demoPlaybook))
	b := r.openBrowser()
	client := r.paired()
	if _, err := b.Open(t.Context(), r.url); err != nil {
		t.Fatal(err)
	}
	tab := b.tabNumber(r.url)
	o := r.look(client)
	o.begin("Order two red teapots for Ada", tab, "act")
	if out := r.outcome(o, 1); out.Status != "success" {
		t.Fatalf("%+v", out)
	}
	if n := r.shop.Posts(); n != 1 {
		t.Errorf("%d orders in the shop, want 1", n)
	}
}
