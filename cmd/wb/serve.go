package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/oklog/run"
	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/panel"
	"github.com/wb-agent/wb/ports/relay"
)

// extensionID follows from the key in extension/manifest.json; a Chromium-family browser gives the extension no
// other one.
const extensionID = "bbfmjgloffcogipkjeijpgfhohaipicb"

func serveCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the browser extension and the panel until stopped",
		Long: `Serve runs in the foreground; ` + "`wb up`" + ` starts it in the background.

It listens on the loopback address alone. A client shows a token from its pairing before it may ask anything.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			return serveDaemon(cmd.Context(), cfg, func(address string) { fmt.Println("wb listens on " + address) })
		},
	}
	c.Flags().String("listen", "", "loopback address and port")
	browserFlags(c.Flags())
	return c
}

// daemon is what serves panels and lent browsers.
type daemon struct {
	*app
	panel    *panel.Panel
	relay    *relay.Server
	clients  clients
	pairings *pairings
	lent     *lentBrowsers
	sample   sample
	moving   sync.Mutex // one export, import or deletion at a time
	address  string
	hosts    []string
	stop     context.CancelFunc // ends serveDaemon
}

// serveDaemon runs the daemon until ctx ends. ready is told its address once it listens.
func serveDaemon(ctx context.Context, cfg *Config, ready func(address string)) error {
	l, err := listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	d, err := newDaemon(ctx, cfg, l.Addr().(*net.TCPAddr).AddrPort())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer d.close()
	if err := d.leases.take(ctx, "serve"); err != nil {
		return errors.Join(&ports.Error{Code: ports.CodeBusy, Msg: "another wb serves these data already", Fix: "use it, or stop it with: wb down", Err: err}, l.Close())
	}
	if err := d.store.Put(ctx, hostSpace, "serve", []byte(l.Addr().String())); err != nil {
		return errors.Join(err, l.Close())
	}
	srv := &http.Server{Handler: d.routes(l.Addr().String()), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	var g run.Group
	ctx, cancel := context.WithCancel(ctx)
	d.stop = cancel
	g.Add(func() error { <-ctx.Done(); return nil }, func(error) { cancel() })
	g.Add(func() error { return srv.Serve(l) }, func(error) {
		d.relay.Close() // a WebSocket is not the server's any more
		_ = srv.Close() // it only closes
	})
	if err := d.resumeRuns(ctx); err != nil {
		d.log.Warn("runs of before", "err", err)
	}
	ready(l.Addr().String())
	err = g.Run()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// listen opens the loopback port and nothing else.
func listen(ctx context.Context, address string) (net.Listener, error) {
	a, err := netip.ParseAddrPort(address)
	if err != nil || !a.Addr().IsLoopback() {
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("listen: %q is no loopback address", address), "use 127.0.0.1:7717; wb is never served to a network")
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeUsage, Msg: "listen: " + err.Error(), Fix: "wb may be running already (wb status), or choose another port: listen: 127.0.0.1:7718", Err: err}
	}
	return l, nil
}

func newDaemon(ctx context.Context, cfg *Config, at netip.AddrPort) (*daemon, error) {
	d := &daemon{pairings: newPairings(), lent: newLentBrowsers()}
	d.panel = panel.New(panel.Options{Run: d.runMessage, History: history{d}, NewID: newID, Now: time.Now, Methods: d.methods()})
	a, err := build(ctx, cfg, parts{asker: d.panel, own: func(to netip.AddrPort) bool { return to.Port() == at.Port() && to.Addr().IsLoopback() }})
	if err != nil {
		return nil, err
	}
	d.app = a
	a.lent, a.changed = d.lent.tab, d.tellChanged
	d.hosts, d.address = hostNames(at), at.String()
	d.clients = clients{a.store}
	host := at.String()
	d.relay = relay.NewServer(relay.Options{
		Daemon: version, Hosts: d.hosts, Clients: d.clients, Now: time.Now, Pairing: d.pairings.ask,
		Origins:   []string{"chrome-extension://" + extensionID, "http://" + host, "http://localhost:" + fmt.Sprint(at.Port())},
		Extension: d.lent.came,
		Panel: func(p *relay.Peer, c relay.Client) (relay.Handler, func()) {
			d.pairings.watch(p)
			h, gone := d.panel.Handler(c.ID, p.Notify)
			return d.withOwn(c, h), func() { d.pairings.leave(p); gone() }
		},
	}, newID())
	a.closers = append(a.closers, d.sample.close, d.lent.close, d.panel.Close)
	return d, nil
}

// withOwn adds what only this computer's terminal may ask.
func (d *daemon) withOwn(c relay.Client, h relay.Handler) relay.Handler {
	if c.ID != "terminal" {
		return h
	}
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if method == "stop" {
			time.AfterFunc(50*time.Millisecond, d.stop) // once the answer is on its way
			return struct{}{}, nil
		}
		return h(ctx, method, params)
	}
}

// hostNames are what a browser may call this daemon.
func hostNames(at netip.AddrPort) []string {
	port := fmt.Sprint(at.Port())
	return []string{at.String(), "127.0.0.1:" + port, "localhost:" + port}
}

// tabOf and leftOf begin the names of what the host keeps of a run: the tab that it works in, and that a daemon
// ended before it did.
const (
	tabOf  = "tab:"
	leftOf = "left:"
)

// runMessage runs what a person said in a conversation: in the tab beside the panel where it says one, else in
// a browser of wb's own.
func (d *daemon) runMessage(ctx context.Context, s panel.Start, emit func(ports.Event)) error {
	task, attach := taskFor(d.config(), s)
	id := s.Resume
	c := ports.Call{From: ports.FromUser, Tool: "agent.run", Args: ports.JSON(task), Attach: attach, Emit: func(e ports.Event) {
		if e.Kind == ports.EventRunStart && id == "" {
			id = e.Run
		}
		emit(e)
	}}
	if s.Tab != "" {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		tab, back, err := d.lent.lend(ctx, s.Client, s.Tab, d.judge, stop)
		if err != nil {
			return err
		}
		defer back()
		c.Tab = tab
	}
	_, err := d.kernel.Call(ctx, c)
	if errors.Is(context.Cause(ctx), panel.ErrClosing) && id != "" {
		return errors.Join(err, d.store.Put(context.WithoutCancel(ctx), hostSpace, leftOf+id, nil))
	}
	return err
}

// resumeRuns picks up what an earlier daemon left: it was killed, or ended before the run did.
func (d *daemon) resumeRuns(ctx context.Context) error {
	runs, err := d.store.Runs(ctx, 200)
	if err != nil {
		return err
	}
	for _, r := range runs {
		t := taskOf(r)
		_, left, err := d.store.Get(ctx, hostSpace, leftOf+r.ID)
		if err != nil {
			return err
		}
		if t.Session == "" || r.Parent != "" || r.Status != "running" && !left {
			continue
		}
		s := panel.Start{Session: t.Session, Text: t.Goal, Resume: r.ID}
		b, ok, err := d.store.Get(ctx, hostSpace, tabOf+r.ID)
		if err != nil {
			return err
		}
		if ok {
			s.Client, s.Tab, _ = strings.Cut(string(b), " ")
		}
		err = errors.Join(d.panel.Resume(ctx, s), d.store.Delete(ctx, hostSpace, leftOf+r.ID))
		if err != nil {
			return err
		}
	}
	return nil
}

// address is where the daemon of these data listens.
func (c *Config) address(ctx context.Context, get func(ctx context.Context, space, key string) ([]byte, bool, error)) string {
	b, ok, err := get(ctx, hostSpace, "serve")
	if err != nil || !ok {
		return cmp.Or(c.Listen, os.Getenv("WB_LISTEN"))
	}
	return string(b)
}
