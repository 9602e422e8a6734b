package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestTLS(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Header().Set("X-Proto", r.Proto) }))
	srv.EnableHTTP2 = true
	srv.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains about the client that leaves
	srv.StartTLS()
	t.Cleanup(srv.Close)
	r := ports.FetchRequest{URL: srv.URL, Local: []string{srv.URL}}
	_, _, err := read(t, opened(t, Options{}), r)
	wantCode(t, err, ports.CodeUnreachable)
	if err == nil || !strings.Contains(err.Error(), "certificate is not trusted") {
		t.Errorf("got %v", err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(srv.Certificate())
	res, _, err := read(t, opened(t, Options{TLS: &tls.Config{RootCAs: pool}}), r)
	if err != nil || res.Headers["X-Proto"] != "HTTP/2.0" {
		t.Errorf("got %v, %v", res.Headers, err)
	}
}

func TestProxy(t *testing.T) {
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked = append(asked, r.URL.String()) }))
	t.Cleanup(srv.Close)
	proxy, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	f := opened(t, Options{Proxy: proxy, lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
		if host == "inside.test" {
			return []netip.Addr{netip.MustParseAddr("192.168.0.9")}, nil
		}
		return nil, errors.New("only the proxy knows")
	}})
	for target, code := range map[string]string{"http://a.test": "", "http://10.0.0.1": ports.CodeRefused, "http://inside.test": ports.CodeRefused, srv.URL: ports.CodeRefused} {
		_, _, err := read(t, f, ports.FetchRequest{URL: target, Allow: []string{target}})
		wantCode(t, err, code)
	}
	if len(asked) != 1 || asked[0] != "http://a.test/" {
		t.Errorf("the proxy was asked for %q", asked)
	}
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	t.Setenv("http_proxy", "http://127.0.0.1:1")
	f := opened(t, Options{lookup: func(context.Context, string) ([]netip.Addr, error) {
		return nil, errors.New("asked for the name itself")
	}})
	_, _, err := read(t, f, ports.FetchRequest{URL: "http://a.test", Allow: []string{"http://a.test"}})
	if err == nil || !strings.Contains(err.Error(), "asked for the name itself") {
		t.Errorf("got %v", err)
	}
}

func TestRedirectWithTheSecret(t *testing.T) {
	url0 := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://"+r.Header.Get("X-Key")+".evil.test/")
		w.WriteHeader(http.StatusFound)
	})
	f := opened(t, Options{Secrets: secrets{"K": {Value: "SesameOpen", Origins: []string{url0}}}})
	_, _, err := read(t, f, ports.FetchRequest{URL: url0, Headers: map[string]string{"X-Key": "{{secret:K}}"}, Local: []string{url0}, Allow: []string{"https://*.evil.test"}})
	wantCode(t, err, ports.CodeRefused)
	if err != nil && strings.Contains(strings.ToLower(err.Error()), "sesame") {
		t.Errorf("the error tells it: %v", err)
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://a.test:443/x?y#z", "http://[::1%25eth0]:80", "HTTP://A.test", "http://a.test:", "https://a@b", "http:///x", "http://a.test:99999", "http://a\\b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := parseURL(s)
		if err != nil {
			if ports.CodeOf(err) == "" {
				t.Errorf("%q: %v has no code", s, err)
			}
			return
		}
		origin := originOf(u)
		again, err := parseURL(origin)
		if strings.Contains(origin, "%") {
			return // a zone, which is never reached: see isLocal
		}
		if err != nil || originOf(again) != origin || !covers(origin, origin) {
			t.Errorf("%q: origin %q does not stand for itself: %v", s, origin, err)
		}
	})
}
