package journal_test

import (
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/memory"
)

// BenchmarkCall is the journal's own part of a read call: redaction, hashing and encoding.
func BenchmarkCall(b *testing.B) {
	var n atomic.Int64
	j := journal.New(memory.New(time.Now), journal.Options{
		Clock: ports.ClockFunc(time.Now), NewID: func() string { return strconv.FormatInt(n.Add(1), 10) },
		Mutates: func(string) bool { return false },
	})
	c := ports.Call{Tool: "read_page", Run: "r", Args: json.RawMessage(`{"filter":"visible","page":1,"token":"abcdefgh"}`)}
	res := ports.TextResult(`heading "Orders" level=1` + "\n" + `textbox "Email" [e12] value="a@b.c"`)
	for b.Loop() {
		_, rec, err := j.Begin(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := rec.End(nil, res, nil); err != nil {
			b.Fatal(err)
		}
	}
}
