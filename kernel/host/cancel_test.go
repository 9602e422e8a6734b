package host

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// waits answers a wb/call only when its context ends, or after d.
func waits(d time.Duration, entered chan<- struct{}) ports.CallFunc {
	return func(ctx context.Context, _ ports.Call) (ports.Result, error) {
		if entered != nil {
			entered <- struct{}{}
		}
		select {
		case <-ctx.Done():
			return ports.Result{}, ctx.Err()
		case <-time.After(d):
			return ports.Result{Data: []byte(`{}`)}, nil
		}
	}
}

func TestWaitingIsNotCharged(t *testing.T) {
	p := evil(t, Limits{Deadline: 200 * time.Millisecond}, waits(600*time.Millisecond, nil))
	if got := call(t, p, "slow", "{}"); got != `waited` {
		t.Fatal(got)
	}
}

func TestCancel(t *testing.T) {
	const grace, late = 300 * time.Millisecond, 3 * time.Second // late is for busy machines
	cases := []struct {
		tool       string
		least, max time.Duration
		kept       bool
	}{
		{"slow", 0, late, true},                  // told "cancelled", it answers and lives on
		{"stubborn", grace, grace + late, false}, // asks again and again: killed after the grace
		{"loop", grace, grace + late, false},
		{"sleep", grace, grace + late, false},
	}
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			entered := make(chan struct{}, 1)
			p := evil(t, Limits{Grace: grace}, waits(time.Hour, entered))
			call(t, p, "good", "{}")
			ctx, cancel := context.WithCancelCause(context.Background())
			start := make(chan time.Time, 1)
			go func() {
				<-entered
				start <- time.Now()
				cancel(errors.New("the user pressed stop"))
			}()
			_, err := p.Call(ctx, ports.Call{Tool: c.tool, Emit: func(ports.Event) { entered <- struct{}{} }})
			took := time.Since(<-start)
			if ports.CodeOf(err) != ports.CodeCancelled || !strings.Contains(err.Error(), "pressed stop") {
				t.Fatal(err)
			}
			if took < c.least || took > c.max {
				t.Fatalf("returned %v after the cancel", took)
			}
			if kept := p.Live() == 1; kept != c.kept {
				t.Fatalf("instance kept: %v", kept)
			}
			call(t, p, "good", "{}")
		})
	}
}

func TestStateDiesWithItsRun(t *testing.T) {
	p := load(t, "testdata/evil", Config{ID: "evil", Instances: PerRun}, nil)
	count := func(run string) string {
		r, err := p.Call(context.Background(), ports.Call{Run: run, Tool: "count"})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text()
	}
	if a, b, c := count("a"), count("a"), count("b"); a != `1` || b != `2` || c != `1` {
		t.Fatal(a, b, c)
	}
	p.EndRun("a")
	if n := p.Live(); n != 1 {
		t.Fatal(n)
	}
	if got := count("a"); got != `1` {
		t.Fatal(got)
	}
}
