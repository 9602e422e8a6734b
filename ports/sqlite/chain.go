package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"

	"github.com/wb-agent/wb/ports"
)

// Kinds of links.
const (
	linkIntent  = 1
	linkOutcome = 2
	linkPruned  = 3
)

// link adds to the chain that a change was made. It is part of the change's transaction.
func (c *conn) link(seq int64, kind int, digest []byte) error {
	prev, err := c.head()
	if err != nil {
		return err
	}
	return c.exec("INSERT INTO chain (seq, kind, digest, hash) VALUES (?, ?, ?, ?)", seq, kind, digest, chained(prev, seq, kind, digest))
}

func (c *conn) head() (hash []byte, err error) {
	found, err := c.first("SELECT hash FROM chain ORDER BY n DESC LIMIT 1", nil, func(r row) { hash = r.bytes(0) })
	if err == nil && !found {
		hash, err = c.meta("anchor")
	}
	return hash, err
}

func (c *conn) meta(key string) (value []byte, err error) {
	found, err := c.first("SELECT value FROM meta WHERE key = ?", []any{key}, func(r row) { value = r.bytes(0) })
	if err == nil && !found {
		err = &cause{ErrCorrupt, fmt.Errorf("meta has no %s", key)}
	}
	return value, err
}

func chained(prev []byte, seq int64, kind int, digest []byte) []byte {
	h := sha256.New()
	h.Write(prev)
	number(h, seq)
	number(h, int64(kind))
	h.Write(digest)
	return h.Sum(nil)
}

func intentDigest(in ports.Intent, args []byte, blob string) []byte {
	h := sha256.New()
	strs(h, in.ID, in.Parent, in.Run, in.From, in.Tool, in.Tab, string(args), blob, fmt.Sprint(in.Mutates))
	number(h, stamp(in.At))
	return h.Sum(nil)
}

func outcomeDigest(out ports.Outcome, result []byte, blob string) []byte {
	h := sha256.New()
	strs(h, out.Status, out.Code, out.Text, string(result), blob)
	number(h, stamp(out.At))
	return h.Sum(nil)
}

// strs hashes strings so that no two lists of them look alike.
func strs(h hash.Hash, all ...string) {
	for _, s := range all {
		number(h, int64(len(s)))
		h.Write([]byte(s))
	}
}

func number(h hash.Hash, n int64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}

// Verify walks the chain and compares it with what is stored. It returns the hash of the last link, which
// an auditor may keep elsewhere, or ErrCorrupt naming the first call that was changed or removed behind
// wb's back. It holds two digests of each call in memory.
func (s *Store) Verify(ctx context.Context) (head []byte, err error) {
	err = s.read(ctx, func(c *conn) error {
		last := map[int64]*digests{}
		if head, err = c.walk(last); err != nil {
			return err
		}
		from, err := c.meta("from")
		if err != nil {
			return err
		}
		if err := c.compare(last, from); err != nil {
			return err
		}
		return c.blobsWhole()
	})
	return head, err
}

// digests is what the chain says last about one call.
type digests struct {
	intent, outcome []byte
	pruned          bool
}

func tampered(format string, args ...any) error {
	return &cause{ErrCorrupt, fmt.Errorf("audit: "+format, args...)}
}

func (c *conn) walk(last map[int64]*digests) ([]byte, error) {
	prev, err := c.meta("anchor")
	if err != nil {
		return nil, err
	}
	err = c.each("SELECT n, seq, kind, digest, hash FROM chain ORDER BY n", nil, func(r row) error {
		seq, kind, digest, hash := r.int(1), int(r.int(2)), r.bytes(3), r.bytes(4)
		if !bytes.Equal(hash, chained(prev, seq, kind, digest)) {
			return tampered("link %d does not follow from the one before", r.int(0))
		}
		prev = hash
		d := last[seq]
		if d == nil {
			d = &digests{}
			last[seq] = d
		}
		switch kind {
		case linkIntent:
			d.intent = digest
		case linkOutcome:
			d.outcome = digest
		case linkPruned:
			d.pruned = true
		}
		return nil
	})
	return prev, err
}

// compare checks every call against the chain; calls up to from are older than it. It empties last.
func (c *conn) compare(last map[int64]*digests, from []byte) error {
	var old int64
	if _, err := fmt.Sscan(string(from), &old); err != nil {
		return tampered("meta from: %w", err)
	}
	err := c.each("SELECT "+recordColumns+" FROM calls ORDER BY seq", nil, func(r row) error {
		rec := r.record()
		d := last[rec.Seq]
		if d == nil || d.intent == nil && rec.Seq > old {
			if rec.Seq <= old {
				return nil
			}
			return tampered("call %d (%s) was added", rec.Seq, rec.Tool)
		}
		delete(last, rec.Seq)
		if d.intent != nil && !bytes.Equal(d.intent, intentDigest(rec.Intent, rec.Args, rec.ArgsBlob)) {
			return tampered("call %d (%s): the intent was changed", rec.Seq, rec.Tool)
		}
		out := ports.Outcome{Status: rec.Status, Code: rec.Code, Text: rec.Text, At: rec.Ended}
		if want := outcomeDigest(out, rec.Result, rec.ResultBlob); d.outcome == nil && rec.Status != "" && d.intent != nil ||
			d.outcome != nil && !bytes.Equal(d.outcome, want) {
			return tampered("call %d (%s): the outcome was changed", rec.Seq, rec.Tool)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for seq, d := range last {
		if !d.pruned {
			return tampered("call %d was removed", seq)
		}
	}
	return nil
}

func (c *conn) blobsWhole() error {
	return c.each("SELECT hash, data FROM blobs", nil, func(r row) error {
		if sum := sha256.Sum256(r.s.ColumnRawBlob(1)); fmt.Sprintf("%x", sum) != r.text(0) {
			return tampered("blob %s was changed", r.text(0))
		}
		return nil
	})
}
