package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/wb-agent/wb/ports"
)

// PutRun makes or replaces a run.
func (s *Store) PutRun(_ context.Context, r ports.Run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Spec, r.State = slices.Clone(r.Spec), slices.Clone(r.State)
	r.Started, r.Ended = r.Started.Round(0), r.Ended.Round(0)
	s.runs[r.ID] = r
	return nil
}

// Run returns a run.
func (s *Store) Run(_ context.Context, id string) (ports.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.runs[id]
	if !ok {
		return ports.Run{}, ports.NewError(ports.CodeUsage, "run "+id+": there is none", "wb trace list shows the runs")
	}
	return r, nil
}

// Runs lists runs, the newest first.
func (s *Store) Runs(_ context.Context, limit int) ([]ports.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.newestFirst()
	return all[:min(max(limit, 0), len(all))], nil
}

func (s *Store) newestFirst() []ports.Run {
	return slices.SortedFunc(maps.Values(s.runs), func(a, b ports.Run) int {
		return cmp.Or(b.Started.Compare(a.Started), cmp.Compare(b.ID, a.ID))
	})
}

// Lease takes, renews or gives up a lease.
func (s *Store) Lease(_ context.Context, name string, l ports.Lease) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if held, ok := s.leases[name]; ok && held.Owner != l.Owner && held.Expires.After(now) {
		return ports.NewError(ports.CodeBusy, name+" is in use by "+held.Owner, "wait until it ends, or stop it")
	}
	if !l.Expires.After(now) {
		delete(s.leases, name)
		return nil
	}
	s.leases[name] = l
	return nil
}

// Prune deletes the oldest finished runs beyond the limits.
func (s *Store) Prune(_ context.Context, keep ports.Retention) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := 0
	for i, r := range s.newestFirst() {
		old := keep.Runs > 0 && i >= keep.Runs || keep.Age > 0 && r.Started.Before(s.now().Add(-keep.Age))
		if old && r.Status != "running" {
			s.drop(r.ID)
			gone++
		}
	}
	if keep.Age > 0 {
		s.forget(func(r ports.Record) bool {
			_, ok := s.runs[r.Run]
			return !ok && r.At.Before(s.now().Add(-keep.Age))
		})
	}
	for keep.Bytes > 0 && s.bytes() > keep.Bytes {
		all := s.newestFirst()
		slices.Reverse(all)
		i := slices.IndexFunc(all, func(r ports.Run) bool { return r.Status != "running" })
		if i < 0 {
			break
		}
		s.drop(all[i].ID)
		gone++
	}
	return gone, nil
}

// drop deletes a run and its records. It is called under mu.
func (s *Store) drop(run string) {
	delete(s.runs, run)
	s.forget(func(r ports.Record) bool { return r.Run == run })
}

// forget deletes records and the blobs that nothing else names. It is called under mu.
func (s *Store) forget(old func(ports.Record) bool) {
	kept := s.recs[:0]
	for _, r := range s.recs {
		if old(r) {
			delete(s.used, r.ID)
			continue
		}
		kept = append(kept, r)
	}
	clear(s.recs[len(kept):])
	s.recs = kept
	clear(s.byID)
	for i, r := range s.recs {
		s.byID[r.ID] = i
	}
	named := map[string]bool{}
	for _, hashes := range s.used {
		for _, h := range hashes {
			named[h] = true
		}
	}
	maps.DeleteFunc(s.blobs, func(h string, _ []byte) bool { return !named[h] })
}

func (s *Store) bytes() (n int64) {
	for _, b := range s.blobs {
		n += int64(len(b))
	}
	for _, r := range s.recs {
		n += int64(len(r.Args) + len(r.Result) + len(r.Text))
	}
	return n
}
