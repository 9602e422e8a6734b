package sqlite

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// Carried is a finished run with its calls, to be taken to another store. Large values lie in the records themselves;
// what calls took of the world beside them, such as pictures, stays behind.
type Carried struct {
	Run   ports.Run      `json:"run"`
	Calls []ports.Record `json:"calls,omitempty"`
}

// Carry returns finished runs, the oldest first, one by one; a run that is under way is left out.
func (s *Store) Carry(ctx context.Context, each func(Carried) error) error {
	var ids []string
	if err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT id FROM runs WHERE status <> 'running' ORDER BY started, id", nil, func(r row) error {
			ids = append(ids, r.text(0))
			return nil
		})
	}); err != nil {
		return err
	}
	for _, id := range ids {
		got := Carried{}
		if err := s.read(ctx, func(c *conn) (err error) {
			got, err = c.carried(id)
			return err
		}); err != nil {
			return err
		}
		if got.Run.ID == "" {
			continue // deleted meanwhile
		}
		if err := each(got); err != nil {
			return err
		}
	}
	return nil
}

func (c *conn) carried(id string) (out Carried, err error) {
	if _, err = c.first("SELECT "+runColumns+" FROM runs WHERE id = ?", []any{id}, func(r row) { out.Run = r.run() }); err != nil {
		return out, err
	}
	if err = c.each("SELECT "+recordColumns+" FROM calls WHERE run = ? ORDER BY seq", []any{id}, func(r row) error {
		out.Calls = append(out.Calls, r.record())
		return nil
	}); err != nil {
		return out, err
	}
	for i := range out.Calls {
		rec := &out.Calls[i]
		rec.Seq = 0 // each store counts for itself
		for _, large := range []struct {
			hash *string
			into func([]byte)
		}{{&rec.ArgsBlob, func(b []byte) { rec.Args = b }}, {&rec.ResultBlob, func(b []byte) { rec.Result = b }}} {
			if *large.hash == "" {
				continue
			}
			if _, err = c.first("SELECT data FROM blobs WHERE hash = ?", []any{*large.hash}, func(r row) { large.into(r.bytes(0)) }); err != nil {
				return out, err
			}
			*large.hash = ""
		}
	}
	return out, nil
}

// Import stores carried runs, all or none. One whose id is here already, or whose calls are, is an error.
func (s *Store) Import(ctx context.Context, all []Carried) error {
	return s.write(ctx, true, func(c *conn) error {
		for _, one := range all {
			r := one.Run
			if err := c.exec("INSERT INTO runs ("+runColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?)", r.ID, r.Parent, r.Goal, r.Status, r.Spec, r.State, r.Started, r.Ended); err != nil {
				return err
			}
			for _, rec := range one.Calls {
				if _, err := c.begin(rec.Intent); err != nil {
					return err
				}
				if rec.Status == "" {
					continue
				}
				if err := c.end(ports.Outcome{ID: rec.ID, Status: rec.Status, Code: rec.Code, Text: rec.Text, Result: rec.Result, At: rec.Ended}); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// Erase deletes every finished run and every call outside of one, with what only they held; with all also what
// plugins and the host keep, but for the host's keys that spare names. What was deleted is not left in the file.
func (s *Store) Erase(ctx context.Context, all bool, space string, spare ...string) error {
	err := s.write(ctx, true, func(c *conn) error {
		gone := 0
		if err := c.dropRuns(&gone, "SELECT id FROM runs WHERE status <> 'running'"); err != nil {
			return err
		}
		if err := c.dropCalls("run NOT IN (SELECT id FROM runs) AND seq > ?", 0); err != nil {
			return err
		}
		if all {
			if err := c.clear(space, spare); err != nil {
				return err
			}
		}
		return c.sweep()
	})
	if err != nil {
		return err
	}
	return s.compact(ctx)
}

// clear deletes all values but a few of one space.
func (c *conn) clear(space string, spare []string) error {
	kept := map[string][]byte{}
	for _, key := range spare {
		if _, err := c.first("SELECT value FROM kv WHERE space = ? AND key = ?", []any{space, key}, func(r row) { kept[key] = r.bytes(0) }); err != nil {
			return err
		}
	}
	if err := c.exec("DELETE FROM kv"); err != nil {
		return err
	}
	for key, v := range kept {
		if err := c.exec("INSERT INTO kv (space, key, value) VALUES (?, ?, ?)", space, key, v); err != nil {
			return err
		}
	}
	return nil
}

// compact writes the file anew without what was deleted, and empties the write-ahead log, which holds it too.
func (s *Store) compact(ctx context.Context) error {
	if err := s.w.plain(ctx, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		return s.fail(err)
	}
	return nil
}
