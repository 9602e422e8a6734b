package sqlite

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// BenchmarkReadCall is an intent and its outcome, neither of them waiting for the disk.
func BenchmarkReadCall(b *testing.B) { benchmarkCall(b, false) }

// BenchmarkMutatingCall is one whose intent is on the disk before it begins.
func BenchmarkMutatingCall(b *testing.B) { benchmarkCall(b, true) }

func benchmarkCall(b *testing.B, mutates bool) {
	s, err := Open(b.Context(), b.TempDir()+"/wb.db", Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	in := ports.Intent{Run: "run", From: "model", Tool: "read_page", Args: json.RawMessage(`{"filter":"visible"}`), Mutates: mutates, At: time.Now()}
	result := json.RawMessage(`{"content":[{"type":"text","text":"heading"}]}`)
	n := 0
	for b.Loop() {
		n++
		in.ID = strconv.Itoa(n)
		if _, err := s.Begin(b.Context(), in); err != nil {
			b.Fatal(err)
		}
		if err := s.End(b.Context(), ports.Outcome{ID: in.ID, Status: "ok", Result: result, At: in.At}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}
