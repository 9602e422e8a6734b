package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/ncruces/go-sqlite3"
	_ "github.com/ncruces/go-sqlite3/vfs" // files of the operating system
)

// conn is one connection with its prepared statements. Whoever holds lock uses it.
type conn struct {
	lock    chan struct{} // holds one token while the connection is free
	db      *sqlite3.Conn // nil once closed
	stmts   map[string]*sqlite3.Stmt
	durable bool // synchronous is FULL now
}

func dial(ctx context.Context, path string, opt Options) (*conn, error) {
	db, err := sqlite3.OpenFlags(path, sqlite3.OPEN_READWRITE|sqlite3.OPEN_NOFOLLOW)
	if err != nil {
		return nil, err
	}
	c := &conn{lock: make(chan struct{}, 1), db: db, stmts: map[string]*sqlite3.Stmt{}}
	c.lock <- struct{}{}
	if err := c.setUp(ctx, opt); err != nil {
		_ = c.close() // the first error says more
		return nil, err
	}
	return c, nil
}

func (c *conn) setUp(ctx context.Context, opt Options) error {
	c.db.SetInterrupt(ctx)
	defer c.db.SetInterrupt(context.Background())
	if err := c.db.BusyTimeout(opt.Busy); err != nil {
		return err
	}
	if err := c.wal(ctx, time.Now().Add(opt.Busy)); err != nil {
		return err
	}
	pragmas := "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=OFF; PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY"
	if opt.MaxPages > 0 {
		pragmas += fmt.Sprintf("; PRAGMA max_page_count=%d", opt.MaxPages)
	}
	return c.db.Exec(pragmas)
}

// wal turns write-ahead logging on. SQLite does not wait for others at this one, so we do.
func (c *conn) wal(ctx context.Context, until time.Time) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := c.db.Exec("PRAGMA journal_mode=WAL")
		if _, kind := classify(err); err == nil || kind != ErrLocked || time.Now().After(until) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (c *conn) close() error {
	<-c.lock
	defer func() { c.lock <- struct{}{} }()
	if c.db == nil {
		return nil
	}
	for _, s := range c.stmts {
		_ = s.Close() // closing the connection reports what is wrong
	}
	db := c.db
	c.db, c.stmts = nil, nil
	return db.Close()
}

// tx runs f in a transaction that is kept if f returns nil. A durable one is on the disk when tx returns.
func (c *conn) tx(ctx context.Context, begin string, durable bool, f func(*conn) error) error {
	return c.alone(ctx, func(c *conn) error { return c.run(begin, durable, f) })
}

// plain runs statements outside of a transaction, as VACUUM must be.
func (c *conn) plain(ctx context.Context, sql string) error {
	return c.alone(ctx, func(c *conn) error { return c.db.Exec(sql) })
}

// alone runs f while nobody else uses the connection.
func (c *conn) alone(ctx context.Context, f func(*conn) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-c.lock:
	}
	defer func() { c.lock <- struct{}{} }()
	if c.db == nil {
		return ErrClosed
	}
	c.db.SetInterrupt(ctx)
	defer c.db.SetInterrupt(context.Background())
	err := f(c)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

func (c *conn) run(begin string, durable bool, f func(*conn) error) (err error) {
	if err := c.sync(durable); err != nil {
		return err
	}
	if err := c.exec(begin); err != nil {
		return err
	}
	kept := false
	defer func() {
		if kept || c.db.GetAutocommit() {
			return // done, or SQLite has rolled back itself
		}
		c.db.SetInterrupt(context.Background())
		if rerr := c.exec("ROLLBACK"); rerr != nil && err == nil {
			err = rerr
		}
	}()
	if err := f(c); err != nil {
		return err
	}
	if err := c.exec("COMMIT"); err != nil {
		return err
	}
	kept = true
	return nil
}

// sync sets whether commits wait for the disk. It is a property of the connection.
func (c *conn) sync(durable bool) error {
	if durable == c.durable {
		return nil
	}
	mode := "PRAGMA synchronous=NORMAL"
	if durable {
		mode = "PRAGMA synchronous=FULL"
	}
	if err := c.db.Exec(mode); err != nil {
		return err
	}
	c.durable = durable
	return nil
}
