package sqlite

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// row is a statement that stands on a row; its values hold until the next step.
type row struct{ s *sqlite3.Stmt }

func (r row) text(col int) string { return r.s.ColumnText(col) }
func (r row) int(col int) int64   { return r.s.ColumnInt64(col) }
func (r row) bytes(col int) []byte {
	return bytes.Clone(r.s.ColumnRawBlob(col))
}
func (r row) json(col int) json.RawMessage { return json.RawMessage(r.bytes(col)) }
func (r row) time(col int) time.Time {
	if n := r.s.ColumnInt64(col); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// stamp is how a time is stored.
func stamp(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// prepare returns the cached statement with its arguments bound.
func (c *conn) prepare(sql string, args []any) (*sqlite3.Stmt, error) {
	s := c.stmts[sql]
	if s == nil {
		var err error
		if s, _, err = c.db.PrepareFlags(sql, sqlite3.PREPARE_PERSISTENT); err != nil {
			return nil, err
		}
		c.stmts[sql] = s
	}
	for i, a := range args {
		if err := bind(s, i+1, a); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func bind(s *sqlite3.Stmt, i int, a any) error {
	switch v := a.(type) {
	case string:
		return s.BindText(i, v)
	case int64:
		return s.BindInt64(i, v)
	case int:
		return s.BindInt(i, v)
	case bool:
		return s.BindBool(i, v)
	case []byte:
		return s.BindBlob(i, v)
	case json.RawMessage:
		return s.BindBlob(i, v)
	case time.Time:
		return s.BindInt64(i, stamp(v))
	}
	return fmt.Errorf("argument %d: %T cannot be stored", i, a)
}

// exec runs a statement to its end.
func (c *conn) exec(sql string, args ...any) error {
	s, err := c.prepare(sql, args)
	if err != nil {
		return err
	}
	return s.Exec()
}

// each calls f on every row.
func (c *conn) each(sql string, args []any, f func(row) error) error {
	s, err := c.prepare(sql, args)
	if err != nil {
		return err
	}
	defer s.Reset()
	for s.Step() {
		if err := f(row{s}); err != nil {
			return err
		}
	}
	return s.Err()
}

// first calls f on the first row and reports whether there was one.
func (c *conn) first(sql string, args []any, f func(row)) (bool, error) {
	s, err := c.prepare(sql, args)
	if err != nil {
		return false, err
	}
	defer s.Reset()
	if !s.Step() {
		return false, s.Err()
	}
	f(row{s})
	return true, nil
}
