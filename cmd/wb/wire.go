package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wb-agent/wb/kernel"
	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/fetch"
	"github.com/wb-agent/wb/ports/primitive"
	"github.com/wb-agent/wb/ports/secret"
	"github.com/wb-agent/wb/ports/sqlite"
)

// app is wb put together: the only place where siblings meet.
type app struct {
	live    atomic.Pointer[Config] // replaced as a whole when the settings page changes something
	store   *sqlite.Store
	journal *journal.Journal
	redact  *journal.Redactor
	secrets *secret.Secrets
	runtime *host.Runtime
	plugins map[string]*host.Plugin
	tools   *kernel.Registry
	guard   *guard.Guard
	browser *primitive.Browser
	agent   *agent.Agent
	kernel  *kernel.Kernel
	asker   ports.Asker
	client  ports.Provider
	log     *slog.Logger

	installed []string  // ids of the plugins that a person added and that run
	leftOut   []leftOut // those that do not

	lent    func(tab string) (lentTab, bool) // tabs of the person's own browsers; nil: there are none
	leases  *leases
	resume  string // run whose profile the browser starts on
	closers []func() error

	changing sync.Mutex // one change of the settings at a time
	changed  func()     // told after each; nil: nobody

	mu      sync.Mutex
	root    string // the run that a page outside of any run is judged by
	profile string // folder of the browser's profile, once it is known
	refs    int    // highest ref number of the resumed run
}

// config is how things stand now; a caller that asks twice may be told two different things.
func (a *app) config() *Config { return a.live.Load() }

// parts are what a command brings itself.
type parts struct {
	asker  ports.Asker    // nil: nobody
	model  ports.Provider // speaks family "client"; nil: none
	resume string
	// own reports whether an address is a port that wb itself listens on; nil: none.
	own func(netip.AddrPort) bool
}

// build puts wb together. What it started is ended by close, also after an error.
func build(ctx context.Context, cfg *Config, p parts) (_ *app, err error) {
	a := &app{plugins: map[string]*host.Plugin{}, tools: &kernel.Registry{}, asker: p.asker, client: p.model, resume: p.resume, log: logger(cfg.Log)}
	a.live.Store(cfg)
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	if a.asker == nil {
		a.asker = nobody{}
	}
	if err := a.openStore(ctx); err != nil {
		return nil, err
	}
	fetcher, err := a.openFetch(p.own)
	if err != nil {
		return nil, err
	}
	a.browser = primitive.NewBrowser(a.startBrowser, primitive.Vault{Secrets: a.secrets, Seen: a.redact.Add})
	a.closers = append(a.closers, a.browser.Close)
	a.guard = guard.New(guard.Ground{Pages: a.browser}, a.grants)
	a.kernel = kernel.New(journaled{a.journal}, a.guard, a.tools)
	if err := a.loadPlugins(ctx); err != nil {
		return nil, err
	}
	a.agent = agent.New(a.agentOptions())
	return a, a.register(ctx, fetcher)
}

// journaled gives the kernel its journal: the same two steps, in the kernel's words.
type journaled struct{ *journal.Journal }

func (j journaled) Begin(ctx context.Context, c ports.Call) (ports.Call, kernel.End, error) {
	c, rec, err := j.Journal.Begin(ctx, c)
	if err != nil {
		return c, nil, err
	}
	return c, rec.End, nil
}

func (a *app) openStore(ctx context.Context) (err error) {
	if a.store, err = sqlite.Open(ctx, filepath.Join(a.config().DataDir, "wb.db"), sqlite.Options{Dead: ownerDead}); err != nil {
		return err
	}
	a.closers = append(a.closers, a.store.Close)
	a.redact = journal.NewRedactor()
	a.journal = journal.New(a.store, journal.Options{Clock: ports.ClockFunc(time.Now), NewID: newID, Mutates: a.tools.Mutates,
		Redact: a.redact, Metadata: a.config().Journal == "metadata", Log: a.log})
	a.leases = newLeases(a.store)
	a.closers = append(a.closers, a.leases.close)
	return nil
}

// openFetch makes the only way out to the network. A secret without origins of its own is bound to the
// base_url that names it, unless that stands in a project file, which somebody else may have written.
func (a *app) openFetch(own func(netip.AddrPort) bool) (ports.Fetcher, error) {
	bind, err := a.config().bindings()
	if err != nil {
		return nil, err
	}
	a.secrets = a.config().secrets(bind)
	return fetch.New(fetch.Options{Secrets: a.secrets, Seen: a.redact.Add, Version: version, Forbidden: own}), nil
}

// register fills the registry: primitives, the agent's tools, the plugins'.
func (a *app) register(ctx context.Context, fetcher ports.Fetcher) error {
	models := primitive.Models{All: a.endpoints, Provider: a.provider}
	own := []ports.Tool{primitive.HTTP(fetcher, a.reach), primitive.Ask(a.asker), primitive.Clock(ports.ClockFunc(time.Now))}
	own = append(own, primitive.KV(a.store)...)
	own = append(own, models.Tools()...)
	own = append(own, a.browser.Tools()...)
	for _, t := range own {
		if err := a.tools.Add("host", t); err != nil {
			return err
		}
	}
	for _, t := range a.agent.Tools() {
		if err := a.tools.Add("kernel", t); err != nil {
			return err
		}
	}
	if a.client != nil { // before any plugin can take the name
		if err := a.tools.Add("kernel", a.wbRun()); err != nil {
			return err
		}
	}
	return a.addPluginTools(ctx)
}

// close ends everything in the reverse order of its start.
func (a *app) close() {
	var errs []error
	for i := len(a.closers) - 1; i >= 0; i-- {
		errs = append(errs, a.closers[i]())
	}
	a.closers = nil
	if err := errors.Join(errs...); err != nil {
		a.log.Warn("closing", "err", err)
	}
}

// newID is unguessable, and sorts by time.
func newID() string {
	const digits = "0123456789abcdefghjkmnpqrstvwxyz"
	b := make([]byte, 0, 20)
	for ms, i := time.Now().UnixMilli(), 0; i < 9; i++ {
		b = append(b, digits[ms>>(40-5*i)&31])
	}
	return string(b) + rand.Text()[:10]
}

func logger(level string) *slog.Logger {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		l = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: l}))
}
