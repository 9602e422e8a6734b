// Package memory keeps the journal, runs and plugin memory in this process, for tests and for runs that
// must leave nothing behind. It keeps the contracts of ports as ports/sqlite does, but for durability:
// what it holds dies with it.
package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Store is a ports.Store, RunStore and KV. The zero value is not usable; use New.
type Store struct {
	now func() time.Time

	mu     sync.Mutex // guards everything below
	recs   []ports.Record
	byID   map[string]int // call ID to index in recs
	used   map[string][]string
	blobs  map[string][]byte
	runs   map[string]ports.Run
	leases map[string]ports.Lease
	kv     map[string]map[string][]byte
	seq    int64
}

// New returns an empty store. now is the clock by which leases expire and runs grow old; nil is time.Now.
func New(now func() time.Time) *Store {
	if now == nil {
		now = time.Now
	}
	return &Store{
		now: now, byID: map[string]int{}, used: map[string][]string{}, blobs: map[string][]byte{},
		runs: map[string]ports.Run{}, leases: map[string]ports.Lease{}, kv: map[string]map[string][]byte{},
	}
}

// Begin stores an intent.
func (s *Store) Begin(ctx context.Context, in ports.Intent) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, &ports.Error{Code: ports.CodeStorage, Msg: "journal: intent not stored", Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.byID[in.ID]; ok || in.ID == "" {
		return 0, ports.NewError(ports.CodeStorage, "journal: call id "+in.ID+" is empty or in use", "")
	}
	s.seq++
	rec := ports.Record{Seq: s.seq, Intent: in}
	rec.Args, rec.ArgsBlob = s.split(in.ID, in.Args)
	rec.At = in.At.Round(0)
	s.byID[in.ID] = len(s.recs)
	s.recs = append(s.recs, rec)
	return s.seq, nil
}

// End stores an outcome.
func (s *Store) End(ctx context.Context, out ports.Outcome) error {
	if err := ctx.Err(); err != nil {
		return &ports.Error{Code: ports.CodeStorage, Msg: "journal: outcome not stored", Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.byID[out.ID]
	if !ok {
		return ports.NewError(ports.CodeStorage, "journal: call "+out.ID+" was never begun", "")
	}
	r := &s.recs[i]
	r.Status, r.Code, r.Text, r.Ended = out.Status, out.Code, out.Text, out.At.Round(0)
	r.Result, r.ResultBlob = s.split(out.ID, out.Result)
	for hash, b := range out.Blobs {
		s.blobs[hash] = slices.Clone(b)
		s.used[out.ID] = append(s.used[out.ID], hash)
	}
	return nil
}

// split is called under mu.
func (s *Store) split(id string, v json.RawMessage) (json.RawMessage, string) {
	if len(v) <= ports.InlineMax {
		return slices.Clone(v), ""
	}
	sum := sha256.Sum256(v)
	hash := hex.EncodeToString(sum[:])
	s.blobs[hash] = slices.Clone(v)
	s.used[id] = append(s.used[id], hash)
	return nil, hash
}

// Since returns records.
func (s *Store) Since(_ context.Context, run string, seq int64, limit int) ([]ports.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []ports.Record
	for _, r := range s.recs {
		if len(out) >= limit {
			break
		}
		if r.Seq > seq && (run == "" || r.Run == run) {
			r.Args, r.Result = slices.Clone(r.Args), slices.Clone(r.Result)
			out = append(out, r)
		}
	}
	return out, nil
}

// Blob returns a stored blob.
func (s *Store) Blob(_ context.Context, hash string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.blobs[hash]
	if !ok {
		return nil, ports.NewError(ports.CodeStorage, "journal: blob "+hash+" is gone", "")
	}
	return slices.Clone(b), nil
}

var (
	_ ports.Store    = (*Store)(nil)
	_ ports.RunStore = (*Store)(nil)
	_ ports.KV       = (*Store)(nil)
)
