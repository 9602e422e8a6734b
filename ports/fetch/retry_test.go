package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wb-agent/wb/ports"
)

// pipes is a server without a network, so that time can be a test's own. Answer n is what answers[n]
// says, whole; "" resets the connection, and after the last one all is well.
func pipes(answers ...string) (Options, *atomic.Int32) {
	var n atomic.Int32
	return Options{
		lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		},
		dial: func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			go func() {
				defer server.Close()
				buf := make([]byte, 4096)
				if _, err := server.Read(buf); err != nil {
					return
				}
				i := int(n.Add(1)) - 1
				answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
				if i < len(answers) {
					answer = answers[i]
				}
				_, _ = io.WriteString(server, answer) // a client that left is the test's to see
			}()
			return client, nil
		},
	}, &n
}

func status(line string, headers ...string) string {
	return "HTTP/1.1 " + line + "\r\n" + strings.Join(append(headers, "Content-Length: 0", "Connection: close"), "\r\n") + "\r\n\r\n"
}

func TestRetry(t *testing.T) {
	many := strings.Split(strings.Repeat("500 Oops,", 5), ",")
	for name, tt := range map[string]struct {
		answers  []string
		retry    bool
		status   int
		code     string
		requests int32
		min, max time.Duration
	}{
		"retry-after":         {[]string{status("429 Slow", "Retry-After: 7")}, true, 200, "", 2, 7 * time.Second, 7 * time.Second},
		"retry-after, capped": {[]string{status("503 No", "Retry-After: 9999")}, true, 200, "", 2, time.Minute, time.Minute},
		"backoff":             {[]string{status("529 Full"), status("502 Bad")}, true, 200, "", 3, 750 * time.Millisecond, 2250 * time.Millisecond},
		"reset":               {[]string{""}, true, 200, "", 2, 250 * time.Millisecond, 750 * time.Millisecond},
		"not asked":           {[]string{status("429 Slow")}, false, 429, "", 1, 0, 0},
		"not for 400":         {[]string{status("400 Bad")}, true, 400, "", 1, 0, 0},
		"gives up":            {[]string{status(many[0]), status(many[0]), status(many[0]), status(many[0])}, true, 500, "", 4, time.Second, 6 * time.Second},
		"reset, not asked":    {[]string{""}, false, 0, ports.CodeUnreachable, 1, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opt, n := pipes(tt.answers...)
				f := New(opt)
				defer f.Close()
				began := time.Now()
				res, _, err := read(t, f, ports.FetchRequest{URL: "http://a.test/", Method: http.MethodPost, Body: "b", Retry: tt.retry, Allow: []string{"http://a.test"}})
				took := time.Since(began)
				wantCode(t, err, tt.code)
				if res.Status != tt.status || n.Load() != tt.requests || took < tt.min || took > tt.max {
					t.Errorf("status %d, %d requests, %v; want %d, %d, %v to %v", res.Status, n.Load(), took, tt.status, tt.requests, tt.min, tt.max)
				}
			})
		})
	}
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opt, n := pipes(status("429 Slow", "Retry-After: 30"))
		f := New(opt)
		defer f.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := f.Fetch(ctx, ports.FetchRequest{URL: "http://a.test/", Retry: true, Allow: []string{"http://a.test"}})
		wantCode(t, err, ports.CodeTimeout)
		if n.Load() != 1 {
			t.Errorf("%d requests", n.Load())
		}
	})
}
