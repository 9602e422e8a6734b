package cdp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// A long page with one custom element once ended its renderer: asking for the listeners below the document through
// shadow roots crashes Chromium 156 there. And in a closed root of a plain element, what listens has its ref.
func TestLongPageWithShadowRoots(t *testing.T) {
	b := launch(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><title>Long</title><x-a></x-a><div id="plain"></div><script>
customElements.define('x-a', class extends HTMLElement { connectedCallback() { this.attachShadow({mode: 'open'}).innerHTML = '<button>In the open</button>' } });
const r = document.getElementById('plain').attachShadow({mode: 'closed'});
r.innerHTML = '<div>Only listens</div>'; r.firstChild.addEventListener('click', () => document.title = 'pressed');
</script>`)
		for i := range 6000 {
			_, _ = fmt.Fprintf(w, "<p>%d <a href='#%d'>link</a> <code>x</code></p>", i, i)
		}
	}))
	defer srv.Close()
	tb, err := b.Open(t.Context(), srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	// What listens is told within a time of its own, which a busy machine may use up: then it is there at a later look.
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	got := ""
	for !strings.Contains(got, `"Only listens" [`) {
		if got = outline(t, tb, `{}`); !strings.Contains(got, `button "In the open" [`) {
			t.Fatalf("the open root is missing:\n%.600s", got)
		}
		if ctx.Err() != nil {
			t.Fatalf("the closed root is missing:\n%.600s", got)
		}
	}
	ref, _, _ := strings.Cut(strings.SplitN(got, `"Only listens" [`, 2)[1], "]")
	if _, err := tb.Input(t.Context(), ports.Input{Kind: "click", Ref: ref}); err != nil {
		t.Fatal(err)
	}
	if title, err := tb.(ports.Evaluator).Eval(t.Context(), "f0", "document.title"); err != nil || string(title) != `"pressed"` {
		t.Errorf("title %s, %v", title, err)
	}
}
