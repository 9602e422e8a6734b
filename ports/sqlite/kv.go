package sqlite

import (
	"context"
	"fmt"

	"github.com/wb-agent/wb/ports"
)

// Limits of ports.KV, in bytes.
const maxKey, maxValue, maxSpace = 256, 64 << 10, 1 << 20

// Get returns a value.
func (s *Store) Get(ctx context.Context, space, key string) (value []byte, ok bool, err error) {
	err = s.read(ctx, func(c *conn) (err error) {
		ok, err = c.first("SELECT value FROM kv WHERE space = ? AND key = ?", []any{space, key}, func(r row) { value = r.bytes(0) })
		return err
	})
	return value, ok, err
}

// Put stores a value.
func (s *Store) Put(ctx context.Context, space, key string, value []byte) error {
	return s.write(ctx, false, func(c *conn) error {
		total := int64(len(key) + len(value))
		if _, err := c.first("SELECT COALESCE(SUM(LENGTH(CAST(key AS BLOB)) + LENGTH(value)), 0) FROM kv WHERE space = ? AND key <> ?",
			[]any{space, key}, func(r row) { total += r.int(0) }); err != nil {
			return err
		}
		if key == "" || len(key) > maxKey || len(value) > maxValue || total > maxSpace {
			return ports.NewError(ports.CodeOversized, fmt.Sprintf("kv %s: a key has 1 to %d bytes, a value at most %d, all of them together %d",
				space, maxKey, maxValue, maxSpace), "store less, or delete old keys")
		}
		if value == nil {
			value = []byte{}
		}
		return c.exec("INSERT OR REPLACE INTO kv (space, key, value) VALUES (?, ?, ?)", space, key, value)
	})
}

// Delete removes a key, if it is there.
func (s *Store) Delete(ctx context.Context, space, key string) error {
	return s.write(ctx, false, func(c *conn) error {
		return c.exec("DELETE FROM kv WHERE space = ? AND key = ?", space, key)
	})
}

// Keys lists the keys that begin with prefix, sorted.
func (s *Store) Keys(ctx context.Context, space, prefix string) ([]string, error) {
	var keys []string
	err := s.read(ctx, func(c *conn) error {
		return c.each("SELECT key FROM kv WHERE space = ? AND SUBSTR(key, 1, LENGTH(?)) = ? ORDER BY key",
			[]any{space, prefix, prefix}, func(r row) error {
				keys = append(keys, r.text(0))
				return nil
			})
	})
	return keys, err
}
