package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/wb-agent/wb/ports"
)

// Begin stores an intent, on the disk already if it mutates.
func (s *Store) Begin(ctx context.Context, in ports.Intent) (int64, error) {
	var seq int64
	err := s.write(ctx, in.Mutates, func(c *conn) (err error) {
		seq, err = c.begin(in)
		return err
	})
	if err != nil {
		return 0, err
	}
	return seq, nil
}

func (c *conn) begin(in ports.Intent) (int64, error) {
	args, hash := split(in.Args)
	err := c.exec(`INSERT INTO calls (id, parent, run, sender, tool, tab, args, args_blob, mutates, at)
		VALUES (NULLIF(?, ''), ?, ?, ?, ?, ?, ?, ?, ?, ?)`, in.ID, in.Parent, in.Run, in.From, in.Tool, in.Tab, args, hash, in.Mutates, in.At)
	if err != nil {
		return 0, err
	}
	seq := c.db.LastInsertRowID()
	if hash != "" {
		if err := c.putBlob(seq, hash, in.Args); err != nil {
			return 0, err
		}
	}
	return seq, c.link(seq, linkIntent, intentDigest(in, args, hash))
}

// End stores an outcome; a second one of the same call replaces the first.
func (s *Store) End(ctx context.Context, out ports.Outcome) error {
	return s.write(ctx, false, func(c *conn) error { return c.end(out) })
}

func (c *conn) end(out ports.Outcome) error {
	result, hash := split(out.Result)
	var seq int64
	found, err := c.first("SELECT seq FROM calls WHERE id = ?", []any{out.ID}, func(r row) { seq = r.int(0) })
	if err != nil {
		return err
	}
	if !found {
		return ports.NewError(ports.CodeStorage, "journal: call "+out.ID+" was never begun, or is pruned", "")
	}
	if err := c.exec("UPDATE calls SET status = ?, code = ?, text = ?, result = ?, result_blob = ?, ended = ? WHERE seq = ?",
		out.Status, out.Code, out.Text, result, hash, out.At, seq); err != nil {
		return err
	}
	if hash != "" {
		if err := c.putBlob(seq, hash, out.Result); err != nil {
			return err
		}
	}
	for h, b := range out.Blobs {
		if err := c.putBlob(seq, h, b); err != nil {
			return err
		}
	}
	return c.link(seq, linkOutcome, outcomeDigest(out, result, hash))
}

// split decides what lies in the row and what in a blob.
func split(v json.RawMessage) (inline json.RawMessage, hash string) {
	if len(v) <= ports.InlineMax {
		return v, ""
	}
	sum := sha256.Sum256(v)
	return nil, hex.EncodeToString(sum[:])
}

func (c *conn) putBlob(seq int64, hash string, data []byte) error {
	if data == nil {
		data = []byte{}
	}
	if err := c.exec("INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", hash, data); err != nil {
		return err
	}
	return c.exec("INSERT OR IGNORE INTO refs (seq, hash) VALUES (?, ?)", seq, hash)
}

const recordColumns = `seq, id, parent, run, sender, tool, tab, args, args_blob, mutates, at,
	status, code, text, result, result_blob, ended`

func (r row) record() ports.Record {
	return ports.Record{
		Seq: r.int(0),
		Intent: ports.Intent{
			ID: r.text(1), Parent: r.text(2), Run: r.text(3), From: r.text(4), Tool: r.text(5), Tab: r.text(6),
			Args: r.json(7), Mutates: r.int(9) != 0, At: r.time(10),
		},
		ArgsBlob: r.text(8),
		Status:   r.text(11), Code: r.text(12), Text: r.text(13),
		Result: r.json(14), ResultBlob: r.text(15), Ended: r.time(16),
	}
}

// Since returns records.
func (s *Store) Since(ctx context.Context, run string, seq int64, limit int) ([]ports.Record, error) {
	sql, args := "SELECT "+recordColumns+" FROM calls WHERE seq > ? ORDER BY seq LIMIT ?", []any{seq, max(limit, 0)}
	if run != "" {
		sql = "SELECT " + recordColumns + " FROM calls WHERE run = ? AND seq > ? ORDER BY seq LIMIT ?"
		args = append([]any{run}, args...)
	}
	var out []ports.Record
	err := s.read(ctx, func(c *conn) error {
		return c.each(sql, args, func(r row) error {
			out = append(out, r.record())
			return nil
		})
	})
	return out, err
}

// Blob returns a stored blob.
func (s *Store) Blob(ctx context.Context, hash string) ([]byte, error) {
	var data []byte
	found := false
	err := s.read(ctx, func(c *conn) (err error) {
		found, err = c.first("SELECT data FROM blobs WHERE hash = ?", []any{hash}, func(r row) { data = r.bytes(0) })
		return err
	})
	if err == nil && !found {
		err = ports.NewError(ports.CodeStorage, "journal: blob "+hash+" is gone", "it was pruned with the run it belonged to")
	}
	return data, err
}
