package fetch

import (
	"bytes"
	"io"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/wb-agent/wb/ports"
)

func TestIsLocal(t *testing.T) {
	for _, a := range []string{"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0",
		"fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1", "fec0::1"} {
		if !isLocal(netip.MustParseAddr(a)) {
			t.Errorf("%s passes as public", a)
		}
	}
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::808:808", "::ffff:8.8.8.8", "2002:808:808::"} {
		if isLocal(netip.MustParseAddr(a)) {
			t.Errorf("%s passes as local", a)
		}
	}
}

func TestOrigins(t *testing.T) {
	for _, tt := range []struct {
		url, entry string
		want       bool
	}{
		{"https://a.test/x", "https://a.test", true}, {"https://A.test:443", "https://a.test/", true}, {"https://a.test", "https://a.test:443", true},
		{"http://a.test", "https://a.test", false}, {"https://a.test:8443", "https://a.test", false}, {"https://b.a.test", "https://a.test", false},
		{"https://b.a.test", "https://*.a.test", true}, {"https://a.test", "https://*.a.test", false}, {"https://xa.test", "https://*.a.test", false},
		{"https://b.a.test:8443", "https://*.a.test", false}, {"http://b.a.test", "https://*.a.test", false}, {"http://127.0.0.1", "http://*.0.0.1", false},
		{"http://[::1]:8080", "http://[::1]:8080", true}, {"https://a.test.evil", "https://a.test", false}, {"https://a.test", "", false}, {"https://a.test", "*", false},
		{"https://b.test", "https://*.", false},
	} {
		u, err := url.Parse(tt.url)
		if err != nil {
			t.Fatal(err)
		}
		if got := covers(tt.entry, originOf(u)); got != tt.want {
			t.Errorf("covers(%q, %q) = %v", tt.entry, originOf(u), got)
		}
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ url, method, code string }{
		{"https://a.test", "", ""}, {"ftp://a.test", "", ports.CodeRefused}, {"https://u:p@a.test", "", ports.CodeRefused}, {"https://", "", ports.CodeInvalidArgs},
		{"https://ä.test", "", ports.CodeInvalidArgs}, {"https://a.test", "CONNECT", ports.CodeInvalidArgs}, {"https://a.test", "G T", ports.CodeInvalidArgs},
		{"javascript:alert(1)", "", ports.CodeRefused}, {"https://a.test\x00", "", ports.CodeInvalidArgs}, {"//a.test", "", ports.CodeRefused},
	} {
		_, err := parse(ports.FetchRequest{URL: tt.url, Method: tt.method})
		wantCode(t, err, tt.code)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		v    string
		want time.Duration
		ok   bool
	}{
		{"", 0, false}, {"7", 7 * time.Second, true}, {"0", 0, true}, {"1.5", 1500 * time.Millisecond, true}, {"-1", 0, false}, {"NaN", 0, false},
		{"1e99", maxWait, true}, {"soon", 0, false}, {"Thu, 01 Jan 2026 00:00:09 GMT", 9 * time.Second, true}, {"Wed, 31 Dec 2025 00:00:00 GMT", 0, true},
	} {
		if got, ok := retryAfter(tt.v, now); got != tt.want || ok != tt.ok {
			t.Errorf("retryAfter(%q) = %v, %v", tt.v, got, ok)
		}
	}
}

func FuzzReplacer(f *testing.F) {
	f.Add("secret", "a secret, c2VjcmV0 and secre", uint8(1))
	f.Add("aab", "aaab aabaab", uint8(2))
	f.Fuzz(func(t *testing.T, value, text string, chunk uint8) {
		if value == "" || strings.Contains(redacted, value) {
			return
		}
		in := &injected{}
		in.add(value)
		var pairs []string
		for _, form := range in.forms {
			pairs = append(pairs, string(form), redacted)
		}
		want := strings.NewReplacer(pairs...).Replace(text)
		for name, src := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)),
			"with EOF": iotest.DataErrReader(iotest.HalfReader(strings.NewReader(text)))} {
			got, err := io.ReadAll(&chunked{newReplacer(src, in.forms), int(chunk%7) + 1})
			if err != nil || string(got) != want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, want)
			}
		}
	})
}

// chunked reads in small pieces.
type chunked struct {
	r io.Reader
	n int
}

func (c *chunked) Read(p []byte) (int, error) { return c.r.Read(p[:min(len(p), c.n)]) }

func TestReplacerDoesNotHoldBack(t *testing.T) {
	pr, pw := io.Pipe()
	in := &injected{}
	in.add("sesame-open")
	r := newReplacer(pr, in.forms)
	go pw.Write([]byte("data: hello\n\nse"))
	buf := make([]byte, 64)
	n, err := r.Read(buf)
	if err != nil || string(buf[:n]) != "data: hello\n\n" {
		t.Errorf("got %q, %v", buf[:n], err)
	}
	pw.Close()
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "se" {
		t.Errorf("got %q, %v", rest, err)
	}
}

func BenchmarkReplacer(b *testing.B) {
	in := &injected{}
	in.add("sk-abcdefghijklmnopqrstuvwxyz0123456789")
	text := bytes.Repeat([]byte(`data: {"choices":[{"delta":{"content":"some words"}}]}`+"\n\n"), 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, newReplacer(bytes.NewReader(text), in.forms)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestFormsAreLongestFirst(t *testing.T) {
	in := &injected{}
	in.add("abcdef")
	in.add("abcdefgh")
	if !slices.IsSortedFunc(in.forms, func(a, b []byte) int { return len(b) - len(a) }) {
		t.Errorf("%q", in.forms)
	}
}
