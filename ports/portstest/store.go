package portstest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// moment is when the suites' records happen.
var moment = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

func intent(id, run string) ports.Intent {
	return ports.Intent{ID: id, Run: run, Parent: "p", From: ports.FromModel, Tool: "click", Tab: "t1",
		Args: json.RawMessage(`{"ref":"e1"}`), Mutates: true, At: moment}
}

// Store tests the journal's part of a store. open returns a fresh, empty one and has it closed.
func Store(t *testing.T, open func(t *testing.T) ports.Store) {
	tests := map[string]func(*testing.T, ports.Store){
		"round trip": storeRoundTrip, "since pages and filters": storeSince, "second end replaces": storeSecondEnd,
		"large values are blobs": storeBlobs, "refuses what it cannot keep": storeRefuses, "many at once": storeConcurrent,
		"cancelled stores nothing": storeCancelled,
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) { f(t, open(t)) })
	}
}

func storeRoundTrip(t *testing.T, s ports.Store) {
	seq := begin(t, s, intent("a", "r1"))
	recs := since(t, s, "r1", 0, 10)
	if len(recs) != 1 || recs[0].Seq != seq || recs[0].Status != "" || !recs[0].Ended.IsZero() || recs[0].Result != nil {
		t.Fatalf("unfinished: got %+v", recs)
	}
	end(t, s, ports.Outcome{ID: "a", Status: "failed", Code: "refused", Text: "no", Result: json.RawMessage(`{"x":1}`), At: moment.Add(time.Second)})
	got := since(t, s, "r1", 0, 10)[0]
	in := got.Intent
	if in.ID != "a" || in.Run != "r1" || in.Parent != "p" || in.From != "model" || in.Tool != "click" || in.Tab != "t1" ||
		string(in.Args) != `{"ref":"e1"}` || !in.Mutates || !in.At.Equal(moment) {
		t.Errorf("intent: got %+v", in)
	}
	if got.Status != "failed" || got.Code != "refused" || got.Text != "no" || string(got.Result) != `{"x":1}` || !got.Ended.Equal(moment.Add(time.Second)) {
		t.Errorf("outcome: got %+v", got)
	}
}

func storeSince(t *testing.T, s ports.Store) {
	var seqs []int64
	for i := range 6 {
		seqs = append(seqs, begin(t, s, intent(fmt.Sprint("c", i), fmt.Sprint("r", i%2))))
	}
	for i := 1; i < len(seqs); i++ {
		if seqs[i] <= seqs[i-1] {
			t.Fatalf("sequence numbers do not grow: %v", seqs)
		}
	}
	for _, tt := range []struct {
		run   string
		after int64
		limit int
		want  string
	}{
		{"", 0, 100, "[c0 c1 c2 c3 c4 c5]"}, {"", seqs[3], 100, "[c4 c5]"}, {"", 0, 2, "[c0 c1]"}, {"", 0, 0, "[]"},
		{"r1", 0, 100, "[c1 c3 c5]"}, {"r1", seqs[1], 1, "[c3]"}, {"none", 0, 100, "[]"}, {"", seqs[5], 100, "[]"},
	} {
		ids := []string{}
		for _, r := range since(t, s, tt.run, tt.after, tt.limit) {
			ids = append(ids, r.ID)
		}
		if got := fmt.Sprint(ids); got != tt.want {
			t.Errorf("Since(%q, %d, %d) = %s, want %s", tt.run, tt.after, tt.limit, got, tt.want)
		}
	}
}

func storeSecondEnd(t *testing.T, s ports.Store) {
	begin(t, s, intent("a", "r"))
	end(t, s, ports.Outcome{ID: "a", Status: "ok", At: moment})
	end(t, s, ports.Outcome{ID: "a", Status: "ok", Result: json.RawMessage(`{"body":{}}`), At: moment})
	if recs := since(t, s, "r", 0, 10); len(recs) != 1 || string(recs[0].Result) != `{"body":{}}` {
		t.Errorf("got %+v", recs)
	}
}

func storeBlobs(t *testing.T, s ports.Store) {
	big := json.RawMessage(`"` + string(bytes.Repeat([]byte("x"), ports.InlineMax)) + `"`)
	at := json.RawMessage(`"` + string(bytes.Repeat([]byte("y"), ports.InlineMax-2)) + `"`)
	in := intent("a", "r")
	in.Args = big
	begin(t, s, in)
	pic := []byte{0, 1, 2, 255}
	sum := sha256.Sum256(pic)
	hash := hex.EncodeToString(sum[:])
	end(t, s, ports.Outcome{ID: "a", Status: "ok", Result: at, Blobs: map[string][]byte{hash: pic}, At: moment})
	got := since(t, s, "r", 0, 1)[0]
	if got.Args != nil || got.ArgsBlob == "" || got.ResultBlob != "" || !bytes.Equal(got.Result, at) {
		t.Fatalf("blobs at the limit: args %d bytes %q, result %d bytes %q", len(got.Args), got.ArgsBlob, len(got.Result), got.ResultBlob)
	}
	for h, want := range map[string][]byte{got.ArgsBlob: big, hash: pic} {
		if b, err := s.Blob(t.Context(), h); err != nil || !bytes.Equal(b, want) {
			t.Errorf("Blob(%s) = %d bytes, %v; want %d bytes", h, len(b), err, len(want))
		}
	}
	_, err := s.Blob(t.Context(), "0000")
	code(t, err, ports.CodeStorage)
}

func storeRefuses(t *testing.T, s ports.Store) {
	begin(t, s, intent("a", "r"))
	_, err := s.Begin(t.Context(), intent("a", "r"))
	code(t, err, ports.CodeStorage)
	_, err = s.Begin(t.Context(), intent("", "r"))
	code(t, err, ports.CodeStorage)
	code(t, s.End(t.Context(), ports.Outcome{ID: "b", Status: "ok"}), ports.CodeStorage)
	if recs := since(t, s, "", 0, 10); len(recs) != 1 {
		t.Errorf("got %d records, want 1", len(recs))
	}
}

func storeCancelled(t *testing.T, s ports.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Begin(ctx, intent("a", "r"))
	code(t, err, ports.CodeStorage)
	if recs := since(t, s, "", 0, 10); len(recs) != 0 {
		t.Errorf("got %d records, want 0", len(recs))
	}
}

func storeConcurrent(t *testing.T, s ports.Store) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 10 {
				in := intent(fmt.Sprint(g, ".", i), "r")
				in.Mutates = i == 0
				if _, err := s.Begin(context.Background(), in); err != nil {
					t.Error(err)
				}
				if err := s.End(context.Background(), ports.Outcome{ID: in.ID, Status: "ok", At: moment}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	recs := since(t, s, "r", 0, 1000)
	seen := map[int64]bool{}
	for _, r := range recs {
		seen[r.Seq] = r.Status == "ok"
	}
	if len(recs) != 80 || len(seen) != 80 {
		t.Errorf("got %d records, %d sequence numbers; want 80", len(recs), len(seen))
	}
}

func begin(t *testing.T, s ports.Store, in ports.Intent) int64 {
	t.Helper()
	seq, err := s.Begin(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func end(t *testing.T, s ports.Store, out ports.Outcome) {
	t.Helper()
	if err := s.End(t.Context(), out); err != nil {
		t.Fatal(err)
	}
}

func since(t *testing.T, s ports.Store, run string, seq int64, limit int) []ports.Record {
	t.Helper()
	recs, err := s.Since(t.Context(), run, seq, limit)
	if err != nil {
		t.Fatal(err)
	}
	return recs
}

func code(t *testing.T, err error, want string) {
	t.Helper()
	if got := ports.CodeOf(err); got != want {
		t.Errorf("error %v has code %q, want %q", err, got, want)
	}
}
