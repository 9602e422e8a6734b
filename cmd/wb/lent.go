package main

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/scripted"
)

// lentBrowsers are the browsers whose extensions are paired, each driven only while a run needs it.
type lentBrowsers struct {
	mu      sync.Mutex
	all     map[string]*lentBrowser // by pairing
	tabs    map[string]lentTab      // by target
	changed chan struct{}           // closed and replaced when a browser comes for the first time
}

// lentTab is where a lent tab lives.
type lentTab struct {
	browser ports.Browser
	client  string
	number  string // the browser's own
}

func newLentBrowsers() *lentBrowsers {
	return &lentBrowsers{all: map[string]*lentBrowser{}, tabs: map[string]lentTab{}, changed: make(chan struct{})}
}

// lentBrowser is one of them.
type lentBrowser struct {
	x *relay.Extension

	mu      sync.Mutex
	browser lendable
	users   map[string][]*user // runs in a lent tab, by target
}

// user is a run that works in a lent tab.
type user struct {
	tab  int    // the browser's number
	stop func() // ends the run
}

// lendable is a browser of the person's, over whichever driver it allows.
type lendable interface {
	ports.Browser
	ports.Fenced
	// Lend takes a tab by the browser's own number and returns its id.
	Lend(ctx context.Context, number int) (string, error)
	// Return gives a tab back; it stays open.
	Return(id string)
	Lent() []string
}

var _ lendable = (*scripted.Browser)(nil)

// debugged is a Chromium: ports/cdp drives it through the extension's debugger.
type debugged struct {
	*cdp.Browser
	*relay.Transport
}

// Lend attaches to a tab and waits until the driver knows it.
func (d debugged) Lend(ctx context.Context, number int) (string, error) {
	id, err := d.Transport.Lend(ctx, number)
	if err != nil {
		return "", err
	}
	_, err = d.Await(ctx, id)
	return id, err
}

// Close ends the driver, and the transport with it.
func (d debugged) Close() error { return d.Browser.Close() }

// connect makes the driver for a browser.
func connect(ctx context.Context, x *relay.Extension) (lendable, error) {
	if x.Browser == "firefox" {
		return scripted.Connect(x), nil
	}
	t := relay.NewTransport(x)
	b, err := cdp.Connect(ctx, t)
	if err != nil {
		return nil, err
	}
	return debugged{b, t}, nil
}

// came hears of a browser that has connected for the first time.
func (l *lentBrowsers) came(x *relay.Extension) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := &lentBrowser{x: x, users: map[string][]*user{}}
	l.all[x.Client] = b
	x.OnStop(b.stop)
	close(l.changed)
	l.changed = make(chan struct{})
}

// reconnectTime is how long a run waits for a browser that went away: its background wakes within 30 s.
const reconnectTime = 40 * time.Second

// of waits for the browser of a pairing.
func (l *lentBrowsers) of(ctx context.Context, client string) (*lentBrowser, error) {
	ctx, cancel := context.WithTimeout(ctx, reconnectTime)
	defer cancel()
	for {
		l.mu.Lock()
		b, changed := l.all[client], l.changed
		l.mu.Unlock()
		if b != nil {
			return b, b.x.Await(ctx)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ports.NewError(ports.CodeNoBrowser, "the browser of this panel has not connected", "load the extension in it: wb extension path")
		}
	}
}

// lend attaches to a tab for a run and returns its id and what gives it back. stop ends the run when the person
// presses Stop in the tab.
func (l *lentBrowsers) lend(ctx context.Context, client, tab string, judge func(ports.Navigation) error, stop func()) (string, func(), error) {
	number, err := strconv.Atoi(tab)
	if err != nil {
		return "", nil, ports.NewError(ports.CodeInvalidArgs, "no tab "+tab, "")
	}
	b, err := l.of(ctx, client)
	if err != nil {
		return "", nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.browser == nil {
		if b.browser, err = connect(ctx, b.x); err != nil {
			return "", nil, err
		}
		b.browser.Fence(judge)
	}
	id, err := b.browser.Lend(ctx, number)
	if err != nil {
		return "", nil, err
	}
	u := &user{number, stop}
	b.users[id] = append(b.users[id], u)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tabs[id] = lentTab{b.browser, client, tab}
	return id, func() { b.giveBack(id, u) }, nil
}

// stop ends the runs that work in a tab, or that may have opened it: the person does not see which did.
func (b *lentBrowser) stop(tab int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var here, all []*user
	for _, list := range b.users {
		for _, u := range list {
			all = append(all, u)
			if u.tab == tab {
				here = append(here, u)
			}
		}
	}
	if len(here) == 0 {
		here = all
	}
	for _, u := range here {
		u.stop()
	}
}

// giveBack lets go of a tab, and of those that were opened from it, once no run works there.
func (b *lentBrowser) giveBack(id string, by *user) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.users[id] = slices.DeleteFunc(b.users[id], func(u *user) bool { return u == by })
	if len(b.users[id]) > 0 {
		return
	}
	delete(b.users, id)
	b.browser.Return(id)
	if len(b.users) > 0 {
		return
	}
	for _, other := range b.browser.Lent() { // what the run opened stays open, and is the person's
		b.browser.Return(other)
	}
}

// tab says where a lent tab lives.
func (l *lentBrowsers) tab(id string) (lentTab, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, ok := l.tabs[id]
	return t, ok
}

func (l *lentBrowsers) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	var errs []error
	for _, b := range l.all {
		if b.browser != nil {
			errs = append(errs, b.browser.Close())
		}
	}
	return errors.Join(errs...)
}

func (l *lentBrowsers) status() []browserStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := []browserStatus{}
	for id, b := range l.all {
		s := browserStatus{Name: b.x.Name, Client: id, Connected: b.x.Connected()}
		b.mu.Lock()
		if b.browser != nil {
			s.Lent = len(b.browser.Lent())
		}
		b.mu.Unlock()
		out = append(out, s)
	}
	return out
}
