package sqlite

import (
	"context"
	"time"

	"github.com/wb-agent/wb/ports"
)

const runColumns = "id, parent, goal, status, spec, state, started, ended"

func (r row) run() ports.Run {
	return ports.Run{ID: r.text(0), Parent: r.text(1), Goal: r.text(2), Status: r.text(3),
		Spec: r.json(4), State: r.json(5), Started: r.time(6), Ended: r.time(7)}
}

// PutRun makes or replaces a run.
func (s *Store) PutRun(ctx context.Context, r ports.Run) error {
	return s.write(ctx, false, func(c *conn) error {
		return c.exec("INSERT OR REPLACE INTO runs ("+runColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
			r.ID, r.Parent, r.Goal, r.Status, r.Spec, r.State, r.Started, r.Ended)
	})
}

// Run returns a run.
func (s *Store) Run(ctx context.Context, id string) (ports.Run, error) {
	var run ports.Run
	found := false
	err := s.read(ctx, func(c *conn) (err error) {
		found, err = c.first("SELECT "+runColumns+" FROM runs WHERE id = ?", []any{id}, func(r row) { run = r.run() })
		return err
	})
	if err == nil && !found {
		err = ports.NewError(ports.CodeUsage, "run "+id+": there is none", "wb trace list shows the runs")
	}
	return run, err
}

// Runs lists runs, the newest first.
func (s *Store) Runs(ctx context.Context, limit int) ([]ports.Run, error) {
	var out []ports.Run
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT "+runColumns+" FROM runs ORDER BY started DESC, id DESC LIMIT ?", []any{max(limit, 0)}, func(r row) error {
			out = append(out, r.run())
			return nil
		})
	})
	return out, err
}

// Lease takes, renews or gives up a lease.
func (s *Store) Lease(ctx context.Context, name string, l ports.Lease) error {
	return s.write(ctx, false, func(c *conn) error {
		now := s.now()
		holder, expires := "", time.Time{}
		if _, err := c.first("SELECT owner, expires FROM leases WHERE name = ?", []any{name}, func(r row) {
			holder, expires = r.text(0), r.time(1)
		}); err != nil {
			return err
		}
		if holder != "" && holder != l.Owner && expires.After(now) && !s.dead(holder) {
			return ports.NewError(ports.CodeBusy, name+" is in use by "+holder, "wait until it ends, or stop it")
		}
		if !l.Expires.After(now) {
			return c.exec("DELETE FROM leases WHERE name = ?", name)
		}
		return c.exec("INSERT OR REPLACE INTO leases (name, owner, started, expires) VALUES (?, ?, ?, ?)",
			name, l.Owner, l.Started, l.Expires)
	})
}
