package sqlite

import (
	"context"
	"embed"
	"fmt"

	"github.com/wb-agent/wb/ports"
)

//go:embed schema/*.sql
var schema embed.FS

// version is the schema that this wb writes: the number of files in schema/.
const version = 2

// migrate brings the file to the current schema, in one transaction. Another process may do so at the
// same time; one of them finds it done.
func (c *conn) migrate(ctx context.Context) error {
	have := 0
	ask := func(c *conn) error {
		_, err := c.first("PRAGMA user_version", nil, func(r row) { have = int(r.int(0)) })
		return err
	}
	if err := c.tx(ctx, "BEGIN", false, ask); err != nil {
		return err
	}
	if have == version {
		return nil
	}
	return c.tx(ctx, "BEGIN IMMEDIATE", true, func(c *conn) error {
		if err := ask(c); err != nil {
			return err
		}
		return c.upgrade(have)
	})
}

func (c *conn) upgrade(have int) error {
	if have > version {
		return &ports.Error{Code: ports.CodeStorage,
			Msg: fmt.Sprintf("journal: schema %d, and this wb knows %d", have, version),
			Fix: "update wb, or name another file for the journal", Err: ErrNewer}
	}
	for v := have + 1; v <= version; v++ {
		sql, err := schema.ReadFile(fmt.Sprintf("schema/%d.sql", v))
		if err != nil {
			return err
		}
		if err := c.db.Exec(string(sql)); err != nil {
			return fmt.Errorf("schema %d: %w", v, err)
		}
	}
	return c.db.Exec(fmt.Sprintf("PRAGMA user_version=%d", version))
}
