package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/wb-agent/wb/ports"
)

// transport makes connections that are checked by address. Those to local origins never mix with the
// others, so that none is reused by a request that could not have opened it.
func (f *Fetcher) transport(local bool) *http.Transport {
	t := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return f.connect(ctx, network, address, local)
		},
		TLSClientConfig: f.opt.TLS.Clone(), ForceAttemptHTTP2: true, TLSHandshakeTimeout: 20 * time.Second,
		MaxIdleConns: 32, IdleConnTimeout: 90 * time.Second, MaxResponseHeaderBytes: 1 << 20,
	}
	if f.opt.Proxy != nil && !local {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return f.opt.Proxy, f.checkBehindProxy(r) }
	}
	return t
}

// connect resolves a name once, checks what it resolves to and dials exactly that: a second look-up
// could answer something else.
func (f *Fetcher) connect(ctx context.Context, network, address string, local bool) (net.Conn, error) {
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return nil, err
	}
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	local = local || f.isProxy(host, portText)
	var failed error
	for _, a := range addrs {
		to := netip.AddrPortFrom(a, uint16(port))
		if err := f.may(host, to, local); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		conn, err := f.opt.dial(ctx, network, to.String())
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

func (f *Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a.Unmap()}, nil
	}
	addrs, err := f.opt.lookup(ctx, host)
	if err == nil && len(addrs) == 0 {
		err = fmt.Errorf("%s has no address", host)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}

// may decides on one resolved address.
func (f *Fetcher) may(host string, to netip.AddrPort, local bool) error {
	if f.opt.Forbidden(to) {
		return ports.NewError(ports.CodeRefused, host+" is wb's own address", "")
	}
	if !local && isLocal(to.Addr()) {
		return ports.NewError(ports.CodeRefused, fmt.Sprintf("%s is a local or private address (%s)", host, to.Addr()),
			"name its exact origin with --allow-origin, or as base_url of a provider")
	}
	return nil
}

func (f *Fetcher) isProxy(host, port string) bool {
	p := f.opt.Proxy
	return p != nil && host == p.Hostname() && (port == p.Port() || p.Port() == "")
}

// checkBehindProxy checks a target that the proxy will dial, as far as this machine can resolve it. A
// name that only the proxy knows passes.
func (f *Fetcher) checkBehindProxy(r *http.Request) error {
	addrs, err := f.resolve(r.Context(), r.URL.Hostname())
	if err != nil {
		return nil
	}
	for _, a := range addrs {
		if err := f.may(r.URL.Hostname(), netip.AddrPortFrom(a, 0), false); err != nil {
			return err
		}
	}
	return nil
}
