package bidi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// A document that replaces an action's after its receipt is told with the next look, once.
func TestLateDocument(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>%s</title><button onclick="dead=1">Go</button>`, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	tab, err := launch(t).Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Nav(t.Context(), ports.Nav{URL: s.URL + "/first"}); err != nil {
		t.Fatal(err)
	}
	look := func(op, args string) string {
		t.Helper()
		raw, err := tab.Read(t.Context(), "f0", op, json.RawMessage(args))
		if err != nil {
			t.Fatal(op, err)
		}
		return string(raw)
	}
	var base struct{ Token string }
	if err := json.Unmarshal([]byte(look("baseline", `{"watch":true}`)), &base); err != nil {
		t.Fatal(err)
	}
	look("settle", fmt.Sprintf(`{"since":%q}`, base.Token))
	if got := look("late", `{}`); got != `{"since":[]}` {
		t.Errorf("nothing has come: %s", got)
	}
	if _, err := tab.(ports.Evaluator).Eval(t.Context(), "f0", `location.href="/second",1`); err != nil {
		t.Fatal(err)
	}
	own := tab.(*Tab)
	if err := own.b.until(t.Context(), func() (bool, error) {
		return strings.HasSuffix(own.top().url, "/second") && own.top().ready, nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := look("late", `{}`); !strings.Contains(got, "another document was loaded: "+s.URL+"/second") {
		t.Errorf("a document has come: %s", got)
	}
	if got := look("late", `{}`); got != `{"since":[]}` {
		t.Errorf("told twice: %s", got)
	}
}
