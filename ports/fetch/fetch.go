// Package fetch makes HTTP requests for those who may not: it checks every hop and every address, fills
// in secrets where they are bound to, and takes them out of what comes back. It decides nothing: which
// origins a caller may reach is in the request.
//
// Read fetch.go, then hop.go (one chain of redirects), dial.go (where a connection may go) and redact.go.
package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Options tunes a Fetcher; the zero value works and knows no secrets.
type Options struct {
	Secrets ports.Secrets
	// Seen is told each secret value before it is sent, so that journal and log can redact it.
	Seen func(value string)
	// Version is sent as User-Agent wb/VERSION.
	Version string
	// Proxy is used for everything but local origins. The environment is never asked.
	Proxy *url.URL
	// Forbidden reports addresses that are never reached, whatever a request allows: wb's own ports.
	Forbidden func(netip.AddrPort) bool
	// Limit is the size in bytes of a body that is not a stream [32 MiB].
	Limit int64
	// Idle is how long a body may send nothing [120 s].
	Idle time.Duration
	// TLS is the base configuration of connections, nil for the system's.
	TLS *tls.Config

	// lookup and dial take the network's place in tests.
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	dial   func(ctx context.Context, network, address string) (net.Conn, error)
}

// Fetcher is a ports.Fetcher. It keeps connections for reuse and may be used from many goroutines.
type Fetcher struct {
	opt    Options
	public *http.Transport // refuses local addresses
	local  *http.Transport // for origins that a request names as local
}

// New returns a Fetcher.
func New(opt Options) *Fetcher {
	if opt.Limit == 0 {
		opt.Limit = 32 << 20
	}
	if opt.Idle == 0 {
		opt.Idle = 120 * time.Second
	}
	if opt.Version == "" {
		opt.Version = "dev"
	}
	if opt.Forbidden == nil {
		opt.Forbidden = func(netip.AddrPort) bool { return false }
	}
	if opt.lookup == nil {
		opt.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if opt.dial == nil {
		opt.dial = (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext
	}
	f := &Fetcher{opt: opt}
	f.public, f.local = f.transport(false), f.transport(true)
	return f
}

// Close drops idle connections. Requests under way go on.
func (f *Fetcher) Close() error {
	f.public.CloseIdleConnections()
	f.local.CloseIdleConnections()
	return nil
}

// Fetch sends the request, again where r.Retry asks for it. See ports.Fetcher.
func (f *Fetcher) Fetch(ctx context.Context, r ports.FetchRequest) (ports.FetchResponse, error) {
	req, err := parse(r)
	if err != nil {
		return ports.FetchResponse{}, err
	}
	for attempt := 0; ; attempt++ {
		res, err := f.attempt(ctx, req)
		wait, again := retry(r.Retry, attempt, res, err)
		if !again {
			return res, f.explain(ctx, req, err)
		}
		if res.Body != nil {
			_ = res.Body.Close() // the answer that is not wanted
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ports.FetchResponse{}, f.explain(ctx, req, ctx.Err())
		}
	}
}

var _ ports.Fetcher = (*Fetcher)(nil)
