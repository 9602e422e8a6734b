package host

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Whatever a guest does, its caller gets an error with a code in time, and the next call works.
func TestContainment(t *testing.T) {
	const deadline = 300 * time.Millisecond
	cases := []struct {
		tool, code, text string // code "" : the tool answered, with text in it
	}{
		{"loop", ports.CodeDeadline, ""},
		{"recurse", ports.CodeDeadline, ""},
		{"deep", ports.CodeFault + "|" + ports.CodeDeadline, ""}, // whichever comes first,
		{"memory", ports.CodeFault + "|" + ports.CodeDeadline, ""},
		{"panic", ports.CodeFault, "boom"},
		{"exit", ports.CodeFault, "exited with 3"},
		{"garbage", ports.CodeFault, "not JSON-RPC"},
		{"forged", ports.CodeFault, "nobody made"},
		{"flood", ports.CodeOversized + "|" + ports.CodeDeadline, ""},
		{"lines", ports.CodeOversized + "|" + ports.CodeDeadline, ""},
		{"pings", ports.CodeDeadline, ""},
		{"stderr", "|" + ports.CodeDeadline, ""},
		{"sleep", ports.CodeDeadline, ""},
		{"stdin", ports.CodeDeadline, ""},
		{"unread", ports.CodeDeadline, ""},
		{"open", "", "Bad file number"},
		{"dial", "", "refused"},
		{"env", "", `evil`},
		{"refused", "", ports.CodeRefused},
		{"write", "", "Bad file number"},
		{"clock", "", "2022"},
		{"hoard", ports.CodeOversized + "|" + ports.CodeDeadline, ""},
	}
	p := evil(t, Limits{Deadline: deadline, Line: 1 << 20, Output: 4 << 20}, ports.CallFunc(func(_ context.Context, c ports.Call) (ports.Result, error) {
		if c.Tool == "blob" {
			return ports.TextResult(strings.Repeat("b", 2<<20)), nil
		}
		return ports.Result{}, &ports.Error{Code: ports.CodeRefused, Msg: "not granted"}
	}))
	call(t, p, "good", "{}") // compile and page in before anything is timed
	for _, c := range cases {
		t.Run(c.tool, func(t *testing.T) {
			t0 := time.Now()
			r, err := p.Call(context.Background(), ports.Call{Tool: c.tool})
			took := time.Since(t0)
			if !slices.Contains(strings.Split(c.code, "|"), ports.CodeOf(err)) || took > deadline+5*time.Second {
				t.Fatalf("%v %v after %v", r, err, took)
			}
			if got := r.Text() + errText(err); !strings.Contains(got, c.text) {
				t.Fatalf("%q lacks %q", got, c.text)
			}
			t.Logf("%v: %s%s", took.Round(time.Millisecond), r.Text(), errText(err))
			if got := call(t, p, "good", "{}"); got != `fine` {
				t.Fatal(got)
			}
		})
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// A busy guest must not keep the garbage collector, and with it the process, waiting.
func TestCollectorIsNotStalled(t *testing.T) {
	p := evil(t, Limits{Deadline: 3 * time.Second}, nil)
	call(t, p, "good", "{}")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = p.Call(context.Background(), ports.Call{Tool: "recurse"})
	}()
	var worst time.Duration
	for running := true; running; {
		t0 := time.Now()
		runtime.GC()
		worst = max(worst, time.Since(t0))
		select {
		case <-done:
			running = false
		default:
		}
	}
	t.Log("worst collection:", worst)
	if worst > 1500*time.Millisecond {
		t.Fatal(worst)
	}
}

// A guest that works on after its answer is frozen: it costs nothing until the next call.
func TestIdleGuestIsFrozen(t *testing.T) {
	p := evil(t, Limits{}, nil)
	call(t, p, "spin_late", "{}")
	before := cpuTime(t)
	time.Sleep(300 * time.Millisecond) // real time: what is tested is that nothing happens in it
	if used := cpuTime(t) - before; used > 100*time.Millisecond {
		t.Fatalf("an idle guest used %v", used)
	}
}
