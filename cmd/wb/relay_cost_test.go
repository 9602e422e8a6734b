package main

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// relayCost measures instead of testing: make bench runs it.
var relayCost = flag.Bool("relay-cost", false, "measure what the relay adds to a call")

// What the relay adds to a look at a page, against the same browser spoken to directly: in turns, so that the
// machine's noise is the same for both.
func TestRelayCost(t *testing.T) {
	if !*relayCost {
		t.Skip("a measurement: run it with -relay-cost")
	}
	r := newDaemonRig(t, "- reply: {text: hello}\n")
	direct := r.openBrowser()
	page, err := direct.Open(t.Context(), r.url)
	if err != nil {
		t.Fatal(err)
	}
	x := lendBrowser(t)
	lent, err := x.Open(t.Context(), r.url)
	if err != nil {
		t.Fatal(err)
	}
	times := map[string][]time.Duration{}
	for range 300 {
		for name, p := range map[string]ports.Page{"direct": page, "lent": lent} {
			begun := time.Now()
			if _, err := p.Read(t.Context(), "f0", "state", nil); err != nil {
				t.Fatal(err)
			}
			times[name] = append(times[name], time.Since(begun))
		}
	}
	for _, d := range times {
		slices.Sort(d)
	}
	a, b := times["direct"][150], times["lent"][150]
	fmt.Printf("relay direct-us=%d lent-us=%d added-us=%d\n", a.Microseconds(), b.Microseconds(), (b - a).Microseconds())
}
