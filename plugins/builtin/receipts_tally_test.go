package main

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
)

// tally counts what the table of receipts answered, over all its repetitions.
type tally struct {
	rows, wrong         int
	falseDone           int // `done` where the truth is something else
	trulyDone, notSaid  int // rows whose truth is `done`, and how often they were answered otherwise
	clicks, withoutWord []int
}

// add counts the answer to one row; ms is what the receipt says it took.
func (y *tally) add(r row, got sdk.Receipt) {
	y.rows++
	verdict := string(got.Verdict)
	switch {
	case r.want == "done":
		y.trulyDone++
		if verdict != "done" {
			y.notSaid++
		}
	case verdict == "done":
		y.falseDone++
	}
	if verdict != r.want {
		y.wrong++
	}
	switch r.name {
	case "button":
		y.clicks = append(y.clicks, got.Millis)
	case "dead button":
		y.withoutWord = append(y.withoutWord, got.Millis)
	}
}

// print says the figures in one line that make bench reads: names and values, a blank between them.
func (y *tally) print(t *testing.T, browser, channel string) {
	t.Helper()
	if y.rows == 0 {
		return
	}
	fmt.Printf("receipts browser=%s channel=%s rows=%d wrong=%d false-done=%d truly-done=%d not-said=%d click-ms=%d no-effect-ms=%d\n",
		browser, channel, y.rows, y.wrong, y.falseDone, y.trulyDone, y.notSaid, middle(y.clicks), middle(y.withoutWord))
}

func middle(ms []int) int {
	if len(ms) == 0 {
		return 0
	}
	slices.Sort(ms)
	return ms[len(ms)/2]
}
