package cdp

import (
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

// launch starts a browser for a test, or skips where there is none.
func launch(t *testing.T) *Browser {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip("no browser:", err)
	}
	b, err := Launch(t.Context(), Options{Args: []string{"--host-resolver-rules=MAP *.test 127.0.0.1", "--site-per-process"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestBrowser(t *testing.T) {
	portstest.Browser(t, func(t *testing.T) ports.Browser { return launch(t) })
}
