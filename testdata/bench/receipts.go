package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// receipts runs the table of receipts again and again in both browsers: what it says of each click, field and
// widget, against the truth. The rows are the test's own, so that bench and test cannot part ways.
func (b *bench) receipts(ctx context.Context) ([]figure, error) {
	lines, err := tested(ctx, "receipts", "./plugins/builtin", "-run=^TestReceipts(Firefox)?$", "-timeout=4h", "-receipts="+strconv.Itoa(b.table), "-firefox")
	var out []figure
	for _, v := range lines {
		out = append(out, v.figures()...)
	}
	return out, err
}

// relay measures what the way through the extension adds to a look at a page.
func (b *bench) relay(ctx context.Context) ([]figure, error) {
	lines, err := tested(ctx, "relay", "./cmd/wb", "-run=^TestRelayCost$", "-relay-cost")
	var out []figure
	for _, v := range lines {
		out = append(out, atMost("the relay adds to a page call", 2*time.Millisecond, time.Duration(v.n("added-us"))*time.Microsecond, v["direct-us"]+" µs without it"))
	}
	return out, err
}

// tested runs tests and returns the lines that begin with a word; an error only where there is none.
func tested(ctx context.Context, word string, args ...string) (lines []tallied, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-count=1"}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	failed := cmd.Run()
	for line := range strings.Lines(out.String()) {
		if v, ok := fields(line, word); ok {
			lines = append(lines, v)
		}
	}
	if len(lines) == 0 && failed != nil {
		return nil, fmt.Errorf("%w:\n%s", failed, out.String())
	}
	return lines, nil
}

// tallied is a line that a test prints: word name=value …
type tallied map[string]string

func fields(line, word string) (tallied, bool) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] != word {
		return nil, false
	}
	v := tallied{}
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		v[name] = value
	}
	return v, true
}

func (v tallied) n(name string) int {
	n, _ := strconv.Atoi(v[name]) // the test prints numbers; anything else is none
	return n
}

func (v tallied) figures() []figure {
	in := fmt.Sprintf("receipts in %s, %s: ", v["browser"], v["channel"])
	alarms := 100 * float64(v.n("not-said")) / float64(max(1, v.n("truly-done")))
	click, idle := time.Duration(v.n("click-ms"))*time.Millisecond, time.Duration(v.n("no-effect-ms"))*time.Millisecond
	return []figure{
		{name: in + "false success", target: "0", got: v["false-done"], ok: v.n("false-done") == 0, note: "of " + v["rows"]},
		{name: in + "false alarms", target: "<= 1 %", got: fmt.Sprintf("%.1f %%", alarms), ok: alarms <= 1, note: v["not-said"] + " of " + v["truly-done"]},
		atMost(in+"click with an effect", 150*time.Millisecond, click, "median"),
		atMost(in+"click without one", 600*time.Millisecond, idle, "median"),
	}
}
