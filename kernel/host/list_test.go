package host

import (
	"context"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestPagesAndChanges(t *testing.T) {
	p := load(t, "testdata/paged", Config{ID: "paged", Instances: Single}, nil)
	names := func() (out []string) {
		t.Helper()
		specs, err := p.Specs(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range specs {
			out = append(out, s.Name+":"+string(s.Risk))
		}
		return out
	}
	if got := strings.Join(names(), " "); got != "a_b:read c:act" {
		t.Fatal(got)
	}
	r, err := p.Call(context.Background(), ports.Call{Tool: "a_b"})
	if err != nil || !strings.Contains(r.Text(), `"name":"a.b"`) || len(r.Content) != 2 || len(r.Content[1].Data) != 2 {
		t.Fatalf("%+v %v", r, err)
	}
	if got := strings.Join(names(), " "); got != "a_b:read c:dangerous d:act" {
		t.Fatal(got)
	}
}

// At the cap an idle instance of another run makes room, the one that was used least recently.
func TestIdleRunsMakeRoom(t *testing.T) {
	p := load(t, "testdata/evil", Config{ID: "evil", Instances: PerRun, Limits: Limits{Live: 2}}, nil)
	count := func(run string) string {
		t.Helper()
		r, err := p.Call(context.Background(), ports.Call{Run: run, Tool: "count"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	count("a")
	count("b")
	count("a")
	if got := count("c"); got != "1" || p.Live() != 2 {
		t.Fatal(got, p.Live())
	}
	if got := count("a"); got != "3" {
		t.Fatal("the run used last lost its state:", got)
	}
	if got := count("b"); got != "1" {
		t.Fatal(got)
	}
}

// A run that ends while its call is in progress leaves nothing behind.
func TestEndRunDuringACall(t *testing.T) {
	entered, goOn := make(chan struct{}), make(chan struct{})
	p := load(t, "testdata/evil", Config{ID: "evil", Instances: PerRun}, ports.CallFunc(func(context.Context, ports.Call) (ports.Result, error) {
		close(entered)
		<-goOn
		return ports.Result{}, nil
	}))
	done := make(chan error)
	go func() {
		_, err := p.Call(context.Background(), ports.Call{Run: "a", Tool: "slow"})
		done <- err
	}()
	<-entered
	p.EndRun("a")
	close(goOn)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n := p.Live(); n != 0 {
		t.Fatalf("%d instances left", n)
	}
}
