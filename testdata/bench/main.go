// Command bench measures what wb promises to be quick and small at, and prints a table.
//
// Each figure is a median, taken beside the machine's load at that moment; where two figures are compared,
// they are taken in turns in the same run. It is not a test: a busy machine misses targets that an idle
// one meets. Run it with make bench, which builds bin/wb first.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// figure is one line of the table.
type figure struct {
	name   string
	target string
	got    string
	ok     bool
	note   string
}

// bench is what the measurements share.
type bench struct {
	dir string // removed at the end
	wb  string // the built program
	n   int    // browser starts of each kind

	table int // how often the table of receipts runs
}

func main() {
	var b bench
	only := ""
	flag.StringVar(&b.wb, "wb", filepath.Join("bin", "wb"), "the built program")
	flag.IntVar(&b.n, "n", 5, "browser starts of each kind")
	flag.IntVar(&b.table, "receipts", 20, "how often the table of receipts runs in each browser")
	flag.StringVar(&only, "only", "", "measure only the figures whose group holds this word")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := b.run(ctx, only); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, only string) (err error) {
	if b.dir, err = os.MkdirTemp("", "wb-bench-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.dir) }() // a leftover in the temporary folder hurts nobody
	groups := []struct {
		name string
		f    func(context.Context) ([]figure, error)
	}{{"calls", b.calls}, {"journal", b.journal}, {"stream", b.stream}, {"warm", b.warm}, {"memory", b.memory}, {"start", b.start}, {"size", b.size}, {"pages", b.pages}, {"names", b.names}, {"relay", b.relay}, {"receipts", b.receipts}}
	fmt.Printf("%-58s %12s %12s  %-7s %-5s %s\n", "figure", "target", "measured", "", "load", "")
	for _, g := range groups {
		if !strings.Contains(g.name, only) {
			continue
		}
		load := machineLoad()
		figures, err := g.f(ctx)
		for _, f := range figures {
			verdict := "ok"
			if !f.ok {
				verdict = "MISSED"
			}
			fmt.Printf("%-58s %12s %12s  %-7s %-5s %s\n", f.name, f.target, f.got, verdict, load, f.note)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	return nil
}

// machineLoad is the average number of waiting processes of the last minute, "?" where it is not told.
func machineLoad() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	load, _, _ := strings.Cut(string(b), " ")
	return load
}

func median(ds []time.Duration) time.Duration {
	slices.Sort(ds)
	return ds[len(ds)/2]
}

// times measures f again and again for about a second, at least 20 times, after a few that do not count.
func times(f func() error) (time.Duration, error) {
	for range 5 {
		if err := f(); err != nil {
			return 0, err
		}
	}
	var ds []time.Duration
	for end := time.Now().Add(time.Second); time.Now().Before(end) || len(ds) < 20; {
		t := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		ds = append(ds, time.Since(t))
	}
	return median(ds), nil
}

// atMost is a figure that should be small.
func atMost(name string, limit, got time.Duration, note string) figure {
	return figure{name, "<= " + short(limit), short(got), got <= limit, note}
}

func short(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.0f µs", float64(d)/float64(time.Microsecond))
	case d < 10*time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
	}
	return d.Round(time.Second).String()
}
