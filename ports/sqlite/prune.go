package sqlite

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// Prune deletes finished runs beyond the limits, and calls outside of any run beyond the age.
func (s *Store) Prune(ctx context.Context, keep ports.Retention) (int, error) {
	gone := 0
	err := s.write(ctx, false, func(c *conn) error {
		if keep.Runs > 0 {
			if err := c.dropRuns(&gone, `SELECT id FROM (SELECT id, status FROM runs ORDER BY started DESC, id DESC LIMIT -1 OFFSET ?)
				WHERE status <> 'running'`, keep.Runs); err != nil {
				return err
			}
		}
		if keep.Age > 0 {
			before := s.now().Add(-keep.Age)
			if err := c.dropRuns(&gone, "SELECT id FROM runs WHERE status <> 'running' AND started < ?", before); err != nil {
				return err
			}
			if err := c.dropCalls("run NOT IN (SELECT id FROM runs) AND at < ?", before); err != nil {
				return err
			}
		}
		if keep.Bytes > 0 {
			if err := c.shrink(&gone, keep.Bytes); err != nil {
				return err
			}
		}
		return c.sweep()
	})
	if err != nil {
		return 0, err
	}
	return gone, nil
}

// dropRuns deletes the runs that a query names, with their calls.
func (c *conn) dropRuns(gone *int, sql string, args ...any) error {
	var ids []string
	if err := c.each(sql, args, func(r row) error {
		ids = append(ids, r.text(0))
		return nil
	}); err != nil {
		return err
	}
	for _, id := range ids {
		if err := c.dropCalls("run = ?", id); err != nil {
			return err
		}
		if err := c.exec("DELETE FROM runs WHERE id = ?", id); err != nil {
			return err
		}
	}
	*gone += len(ids)
	return nil
}

// dropCalls deletes calls and says so in the chain. where is our own text, never input.
func (c *conn) dropCalls(where string, arg any) error {
	var seqs []int64
	if err := c.each("SELECT seq FROM calls WHERE "+where, []any{arg}, func(r row) error {
		seqs = append(seqs, r.int(0))
		return nil
	}); err != nil {
		return err
	}
	for _, seq := range seqs {
		if err := c.link(seq, linkPruned, []byte("pruned")); err != nil {
			return err
		}
		if err := c.exec("DELETE FROM refs WHERE seq = ?", seq); err != nil {
			return err
		}
		if err := c.exec("DELETE FROM calls WHERE seq = ?", seq); err != nil {
			return err
		}
	}
	return nil
}

// shrink deletes finished runs, the oldest first, until what is stored is within the limit.
func (c *conn) shrink(gone *int, limit int64) error {
	for {
		if err := c.sweep(); err != nil {
			return err
		}
		var size int64
		if _, err := c.first(`SELECT (SELECT COALESCE(SUM(LENGTH(data)), 0) FROM blobs) +
			(SELECT COALESCE(SUM(COALESCE(LENGTH(args), 0) + COALESCE(LENGTH(result), 0) + LENGTH(text)), 0) FROM calls)`,
			nil, func(r row) { size = r.int(0) }); err != nil {
			return err
		}
		if size <= limit {
			return nil
		}
		before := *gone
		if err := c.dropRuns(gone, "SELECT id FROM runs WHERE status <> 'running' ORDER BY started, id LIMIT 1"); err != nil {
			return err
		}
		if *gone == before {
			return nil
		}
	}
}

// sweep deletes blobs that no call names, and the part of the chain that only pruned calls are in.
func (c *conn) sweep() error {
	if err := c.exec("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM refs)"); err != nil {
		return err
	}
	var keep, last int64
	if _, err := c.first("SELECT COALESCE(MIN(n), 0) FROM chain WHERE seq IN (SELECT seq FROM calls)", nil, func(r row) { keep = r.int(0) }); err != nil {
		return err
	}
	if _, err := c.first("SELECT COALESCE(MAX(n), 0) FROM chain", nil, func(r row) { last = r.int(0) }); err != nil {
		return err
	}
	if keep == 0 {
		keep = last // the last link stays: it numbers the next
	}
	if keep <= 1 {
		return nil
	}
	if err := c.exec("UPDATE meta SET value = (SELECT hash FROM chain WHERE n < ? ORDER BY n DESC LIMIT 1) WHERE key = 'anchor' AND EXISTS (SELECT 1 FROM chain WHERE n < ?)", keep, keep); err != nil {
		return err
	}
	return c.exec("DELETE FROM chain WHERE n < ?", keep)
}

// Forget deletes finished runs by id, with their calls and what only they held. A run that is under way stays.
func (s *Store) Forget(ctx context.Context, runs []string) error {
	return s.write(ctx, false, func(c *conn) error {
		gone := 0
		for _, id := range runs {
			if err := c.dropRuns(&gone, "SELECT id FROM runs WHERE status <> 'running' AND id = ?", id); err != nil {
				return err
			}
		}
		return c.sweep()
	})
}
