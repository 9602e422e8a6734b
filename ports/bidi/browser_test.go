package bidi

import (
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

// launch starts a Firefox for a test, or skips where there is none.
func launch(t *testing.T) *Browser {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip("no Firefox:", err)
	}
	b, err := Launch(t.Context(), Options{Prefs: map[string]any{"network.dns.localDomains": "a.test,b.test,c.test,evil.test,other.test"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func TestBrowser(t *testing.T) {
	portstest.Browser(t, func(t *testing.T) ports.Browser { return launch(t) },
		"busy page",          // and nothing interrupts a script
		"crash",              // nothing that BiDi allows ends a content process
		"drag and drop",      // WebDriver's pointer starts no drag of the platform
		"embedded documents", // Firefox does not hold requests of embed and object
	)
}
