package primitive

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// goingTab says in which order it was used.
type goingTab struct {
	ports.Tab
	fails map[string]error // by operation
	did   []string
}

func (g *goingTab) use(op string) error {
	g.did = append(g.did, op)
	return g.fails[op]
}

func (g *goingTab) Read(_ context.Context, _, op string, _ json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"token":"7"}`), g.use(op)
}

func (g *goingTab) Nav(context.Context, ports.Nav) (ports.NavResult, error) {
	return ports.NavResult{URL: "http://x/", Title: "loading", Status: 200}, g.use("nav")
}

func (g *goingTab) Info(context.Context) (ports.TabInfo, error) {
	return ports.TabInfo{URL: "http://x/#/login", Title: "Log in"}, g.use("info")
}

// A navigation ends when the page has drawn itself; what goes wrong with the waiting does not spoil it.
func TestArrive(t *testing.T) {
	broken := errors.New("broken")
	drawn, loading := ports.NavResult{URL: "http://x/#/login", Title: "Log in", Status: 200}, ports.NavResult{URL: "http://x/", Title: "loading", Status: 200}
	tests := map[string]struct {
		fails map[string]error
		did   []string
		want  ports.NavResult
		err   error
	}{
		"draws itself":       {nil, []string{"baseline", "nav", "settle", "info"}, drawn, nil},
		"nowhere":            {map[string]error{"nav": broken}, []string{"baseline", "nav"}, loading, broken},
		"from a dead page":   {map[string]error{"baseline": broken}, []string{"baseline", "nav"}, loading, nil},
		"a dialog opened":    {map[string]error{"settle": broken}, []string{"baseline", "nav", "settle"}, loading, nil},
		"closed in the wait": {map[string]error{"info": broken}, []string{"baseline", "nav", "settle", "info"}, loading, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tab := &goingTab{fails: tt.fails}
			got, err := arrive(t.Context(), tab, ports.Nav{URL: "http://x/"})
			if !errors.Is(err, tt.err) || !cmp.Equal(got, tt.want) || !cmp.Equal(tab.did, tt.did) {
				t.Errorf("got %+v, %v after %v; want %+v, %v after %v", got, err, tab.did, tt.want, tt.err, tt.did)
			}
		})
	}
}
