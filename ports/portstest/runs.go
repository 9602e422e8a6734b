package portstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Runs is a store that keeps runs beside their journal.
type Runs interface {
	ports.Store
	ports.RunStore
}

// RunStore tests the runs' part of a store. open returns a fresh one that goes by the given clock.
func RunStore(t *testing.T, open func(t *testing.T, now func() time.Time) Runs) {
	tests := map[string]func(*testing.T, Runs, *time.Time){
		"round trip": runsRoundTrip, "lease": runsLease, "prune by count": runsPruneCount,
		"prune by age": runsPruneAge, "prune by size": runsPruneSize,
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			now := moment
			f(t, open(t, func() time.Time { return now }), &now)
		})
	}
}

func run(i int, status string) ports.Run {
	return ports.Run{ID: fmt.Sprint("r", i), Goal: "goal", Status: status, Started: moment.Add(time.Duration(i) * time.Hour)}
}

func runsRoundTrip(t *testing.T, s Runs, _ *time.Time) {
	want := run(1, "running")
	want.Parent, want.Spec, want.State = "r0", json.RawMessage(`{"a":1}`), json.RawMessage(`{"b":2}`)
	put(t, s, want)
	want.Status, want.Ended = "success", want.Started.Add(time.Minute)
	put(t, s, want)
	put(t, s, run(0, "failed"))
	got, err := s.Run(t.Context(), "r1")
	if err != nil || got.Parent != "r0" || got.Goal != "goal" || got.Status != "success" || string(got.Spec) != `{"a":1}` ||
		string(got.State) != `{"b":2}` || !got.Started.Equal(want.Started) || !got.Ended.Equal(want.Ended) {
		t.Errorf("got %+v, %v", got, err)
	}
	if ids := runIDs(t, s); ids != "r1 r0" {
		t.Errorf("Runs: %s", ids)
	}
	if one, err := s.Runs(t.Context(), 1); len(one) != 1 || err != nil {
		t.Errorf("Runs(1): %v, %v", one, err)
	}
	_, err = s.Run(t.Context(), "none")
	code(t, err, ports.CodeUsage)
}

func runsLease(t *testing.T, s Runs, now *time.Time) {
	lease := func(owner string, d time.Duration) error {
		return s.Lease(t.Context(), "run/r1", ports.Lease{Owner: owner, Started: *now, Expires: now.Add(d)})
	}
	for i, step := range []struct {
		owner string
		d     time.Duration
		want  string
	}{
		{"a", time.Minute, ""}, {"b", time.Minute, ports.CodeBusy}, {"a", 2 * time.Minute, ""}, // renewed
		{"b", -time.Second, ports.CodeBusy}, // no one gives up another's
		{"a", -time.Second, ""}, {"b", time.Minute, ""},
	} {
		if got := ports.CodeOf(lease(step.owner, step.d)); got != step.want {
			t.Fatalf("step %d: code %q, want %q", i, got, step.want)
		}
	}
	*now = now.Add(time.Minute + time.Nanosecond)
	if err := lease("c", time.Minute); err != nil {
		t.Errorf("an expired lease is not free: %v", err)
	}
}

// fill makes runs r0 to r3, each with a call and a blob of its own; r1 is running.
func fill(t *testing.T, s Runs) {
	for i := range 4 {
		status := "success"
		if i == 1 {
			status = "running"
		}
		put(t, s, run(i, status))
		in := intent(fmt.Sprint("c", i), fmt.Sprint("r", i))
		in.At = run(i, "").Started
		in.Args = json.RawMessage(`"` + string(bytes.Repeat([]byte{byte('a' + i)}, 40<<10)) + `"`)
		begin(t, s, in)
		end(t, s, ports.Outcome{ID: in.ID, Status: "ok", At: in.At})
	}
	outside := intent("outside", "")
	begin(t, s, outside)
}

// kept checks which runs are left, and that calls and blobs went with the others.
func kept(t *testing.T, s Runs, before []ports.Record, want string) {
	t.Helper()
	if got := runIDs(t, s); got != want {
		t.Errorf("runs left: %s, want %s", got, want)
	}
	for _, rec := range before {
		if rec.Run == "" {
			continue
		}
		_, err := s.Blob(t.Context(), rec.ArgsBlob)
		stays := strings.Contains(want, rec.Run)
		if calls := since(t, s, rec.Run, 0, 10); (len(calls) == 1) != stays || (err == nil) != stays {
			t.Errorf("%s: %d calls, blob error %v; stays is %v", rec.Run, len(calls), err, stays)
		}
	}
}

func prune(t *testing.T, s Runs, keep ports.Retention, want string, n int) {
	t.Helper()
	fill(t, s)
	before := since(t, s, "", 0, 100)
	got, err := s.Prune(t.Context(), keep)
	if err != nil || got != n {
		t.Errorf("Prune = %d, %v; want %d", got, err, n)
	}
	kept(t, s, before, want)
	if seq := begin(t, s, intent("later", "")); seq <= before[len(before)-1].Seq {
		t.Errorf("sequence number %d was used before", seq)
	}
}

func runsPruneCount(t *testing.T, s Runs, _ *time.Time) {
	prune(t, s, ports.Retention{Runs: 1}, "r3 r1", 2)
}

func runsPruneAge(t *testing.T, s Runs, now *time.Time) {
	*now = moment.Add(150 * time.Minute)
	prune(t, s, ports.Retention{Age: 20 * time.Minute}, "r3 r1", 2)
	if recs := since(t, s, "", 0, 10); len(recs) != 3 { // r1, r3, later; "outside" was too old
		t.Errorf("%d records left, want 3", len(recs))
	}
}

func runsPruneSize(t *testing.T, s Runs, _ *time.Time) {
	prune(t, s, ports.Retention{Bytes: 90 << 10}, "r3 r1", 2)
}

func put(t *testing.T, s Runs, r ports.Run) {
	t.Helper()
	if err := s.PutRun(t.Context(), r); err != nil {
		t.Fatal(err)
	}
}

func runIDs(t *testing.T, s Runs) string {
	t.Helper()
	runs, err := s.Runs(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return strings.Join(ids, " ")
}
