package cdp

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// A page that sends itself where it may not go is stopped and stays to be read.
func TestFenceLeavesThePage(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<h1>News</h1><form id=f method=post action="/away"></form><script>onload = () => f.submit()</script>`))
	}))
	defer srv.Close()
	b := launch(t)
	b.Fence(func(n ports.Navigation) error {
		if strings.HasSuffix(n.URL, "/away") {
			return errors.New("not there")
		}
		return nil
	})
	tb, err := b.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tb.Nav(t.Context(), ports.Nav{URL: srv.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	stopped := func(n ports.Notice) bool { return n.Kind == "blocked" }
	for limit := time.After(10 * time.Second); !slices.ContainsFunc(b.Notices(0), stopped); {
		select {
		case <-limit:
			t.Fatalf("nothing was blocked: %v", b.Notices(0))
		case <-time.After(20 * time.Millisecond):
		}
	}
	if got := outline(t, tb, `{}`); !strings.Contains(got, "News") {
		t.Errorf("the page is gone: %s", got)
	}
}
