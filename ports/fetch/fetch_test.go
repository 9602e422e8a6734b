package fetch

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

func TestFetcher(t *testing.T) {
	portstest.Fetcher(t, func(t *testing.T, s ports.Secrets) ports.Fetcher { return opened(t, Options{Secrets: s}) })
}

func opened(t *testing.T, opt Options) *Fetcher {
	f := New(opt)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

type secrets map[string]ports.Secret

func (s secrets) Secret(_ context.Context, name string) (ports.Secret, error) { return s[name], nil }

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func read(t *testing.T, f *Fetcher, r ports.FetchRequest) (ports.FetchResponse, string, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), r)
	if err != nil {
		return res, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res, string(b), err
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if ports.CodeOf(err) != code {
		t.Errorf("got %v (%s), want %s", err, ports.CodeOf(err), code)
	}
}

func TestSecretsDoNotComeBack(t *testing.T) {
	const value = `p@ss "wörd"/+&1`
	url0 := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got := r.Header.Get("X-Key")
		w.Header().Set("X-Back", base64.StdEncoding.EncodeToString([]byte("user:"+got)))
		w.Header().Set("Content-Type", "text/plain")
		for _, s := range []string{got, url.QueryEscape(got), fmt.Sprintf("%q", got), base64.StdEncoding.EncodeToString([]byte("u:" + got)),
			base64.RawURLEncoding.EncodeToString([]byte(got)), strings.ToLower(url.QueryEscape(got))} {
			for i := range len(s) {
				io.WriteString(w, s[i:i+1])
				if i%3 == 0 {
					w.(http.Flusher).Flush()
				}
			}
			io.WriteString(w, "\n")
		}
	})
	var seen []string
	f := opened(t, Options{Secrets: secrets{"K": {Value: value, Origins: []string{url0}}}, Seen: func(v string) { seen = append(seen, v) }})
	res, body, err := read(t, f, ports.FetchRequest{URL: url0, Headers: map[string]string{"x-key": "{{secret:K}}"}, Local: []string{url0}, Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(body), "\n") {
		if !strings.Contains(line, redacted) || len(line) > len(redacted)+8 {
			t.Errorf("line %d leaks: %q", i, line)
		}
	}
	if !strings.Contains(res.Headers["X-Back"], redacted) || len(seen) != 1 || seen[0] != value {
		t.Errorf("header %q, seen %d", res.Headers["X-Back"], len(seen))
	}
}

func TestRedirects(t *testing.T) {
	var got []string
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Authorization"), r.Header.Get("Cookie"), "|", r.Header.Get("X-Other"))
	})
	url0 := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got = append(got, r.Method+" "+r.URL.Path+" "+string(b)+" "+r.Header.Get("Content-Type"))
		switch {
		case r.URL.Path == "/other":
			http.Redirect(w, r, other, http.StatusFound)
		case r.URL.Path == "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case r.URL.Path == "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case strings.HasPrefix(r.URL.Path, "/30"):
			var status int
			fmt.Sscan(r.URL.Path[1:], &status)
			w.Header().Set("Location", "/end")
			w.WriteHeader(status)
		}
	})
	f := opened(t, Options{})
	for _, tt := range []struct{ method, path, want string }{
		{"POST", "/301", "GET /end  "}, {"POST", "/302", "GET /end  "}, {"PUT", "/302", "PUT /end b t/x"}, {"PUT", "/303", "GET /end  "},
		{"POST", "/307", "POST /end b t/x"}, {"POST", "/308", "POST /end b t/x"}, {"HEAD", "/303", "HEAD /end  "},
	} {
		got = nil
		r := ports.FetchRequest{URL: url0 + tt.path, Method: tt.method, Local: []string{url0}}
		if tt.method != "HEAD" {
			r.Body, r.Headers = "b", map[string]string{"Content-Type": "t/x"}
		}
		res, _, err := read(t, f, r)
		if err != nil || len(got) != 2 || got[1] != tt.want || res.URL != url0+"/end" {
			t.Errorf("%s %s: %q %s %v", tt.method, tt.path, got, res.URL, err)
		}
	}
	got = nil
	_, _, err := read(t, f, ports.FetchRequest{URL: url0 + "/loop", Local: []string{url0}})
	wantCode(t, err, ports.CodeRefused)
	if len(got) != 6 {
		t.Errorf("%d requests, want 6", len(got))
	}
	_, _, err = read(t, f, ports.FetchRequest{URL: url0 + "/file", Local: []string{url0}})
	wantCode(t, err, ports.CodeRefused)
	_, body, err := read(t, f, ports.FetchRequest{URL: url0 + "/other", Local: []string{url0, other},
		Headers: map[string]string{"Authorization": "plain", "Cookie": "a=b", "X-Other": "x"}})
	if err != nil || body != "|x" {
		t.Errorf("credentials crossed origins: %q %v", body, err)
	}
}

func TestNoRebinding(t *testing.T) {
	lookups := 0
	f := opened(t, Options{lookup: func(context.Context, string) ([]netip.Addr, error) {
		lookups++
		if lookups > 1 {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::1")}, nil
	}})
	_, _, err := read(t, f, ports.FetchRequest{URL: "http://rebind.test/", Allow: []string{"http://rebind.test"}})
	wantCode(t, err, ports.CodeRefused)
	if lookups != 1 || !strings.Contains(ports.FixOf(err), "--allow-origin") {
		t.Errorf("%d look-ups, fix %q", lookups, ports.FixOf(err))
	}
}

func TestForbidden(t *testing.T) {
	url0 := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	f := opened(t, Options{Forbidden: func(a netip.AddrPort) bool { return strings.HasSuffix(url0, a.String()) }})
	_, _, err := read(t, f, ports.FetchRequest{URL: url0, Local: []string{url0}})
	wantCode(t, err, ports.CodeRefused)
}

func TestLocalConnectionsAreNotShared(t *testing.T) {
	url0 := serve(t, func(http.ResponseWriter, *http.Request) {})
	f := opened(t, Options{})
	if _, _, err := read(t, f, ports.FetchRequest{URL: url0, Local: []string{url0}}); err != nil {
		t.Fatal(err)
	}
	_, _, err := read(t, f, ports.FetchRequest{URL: url0, Allow: []string{url0}})
	wantCode(t, err, ports.CodeRefused)
}

func TestLimitsAndTimeouts(t *testing.T) {
	release := make(chan struct{})
	url0 := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/big":
			w.Write(make([]byte, 2000))
		case "/mute":
			<-release
		case "/stall":
			io.WriteString(w, "a")
			w.(http.Flusher).Flush()
			<-release
		case "/cut":
			w.Header().Set("Content-Length", "10")
			io.WriteString(w, "abc")
		}
	})
	defer close(release)
	f := opened(t, Options{Limit: 1000, Idle: 20 * time.Millisecond})
	for _, tt := range []struct {
		path, code string
		r          ports.FetchRequest
	}{
		{"/big", ports.CodeOversized, ports.FetchRequest{}}, {"/big", "", ports.FetchRequest{Stream: true}},
		{"/mute", ports.CodeTimeout, ports.FetchRequest{Timeout: 20}}, {"/stall", ports.CodeTimeout, ports.FetchRequest{Stream: true}},
		{"/cut", ports.CodeTruncated, ports.FetchRequest{}},
	} {
		t.Run(tt.path, func(t *testing.T) {
			tt.r.URL, tt.r.Local = url0+tt.path, []string{url0}
			_, _, err := read(t, f, tt.r)
			wantCode(t, err, tt.code)
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Fetch(ctx, ports.FetchRequest{URL: url0, Local: []string{url0}})
	wantCode(t, err, ports.CodeCancelled)
}

func TestCompressedSecretIsRefused(t *testing.T) {
	url0 := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Encoding", "br") })
	f := opened(t, Options{Secrets: secrets{"K": {Value: "value", Origins: []string{url0}}}})
	_, _, err := read(t, f, ports.FetchRequest{URL: url0, Headers: map[string]string{"A": "{{secret:K}}", "Accept-Encoding": "br"}, Local: []string{url0}})
	wantCode(t, err, ports.CodeRefused)
}
