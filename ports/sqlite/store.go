// Package sqlite keeps the journal, runs, leases and plugin memory in one SQLite file, which many
// processes may use at once. It is not the journal's policy (kernel/journal) and redacts nothing.
//
// Read store.go, then conn.go (how a transaction runs), calls.go and chain.go.
package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Options tunes a store; the zero value works.
type Options struct {
	// Now is the clock by which leases expire and runs grow old; nil means time.Now.
	Now func() time.Time
	// Busy is how long to wait for another process that writes [5 s].
	Busy time.Duration
	// MaxPages bounds the file, in pages of 4 KiB; 0 does not.
	MaxPages int
	// Dead reports whether the owner of a lease has certainly ended, so that its lease is free at once
	// rather than when it runs out; nil knows of none. It must not block.
	Dead func(owner string) bool
}

// Store is a ports.Store, RunStore and KV on one file. It may be used from many goroutines.
type Store struct {
	path string
	now  func() time.Time
	dead func(owner string) bool
	w, r *conn // the one that writes, and the one that reads
}

// Open opens the file, makes it (0600, its folder 0700) or brings it to the current schema. The caller
// closes the store. Errors are CodeStorage and wrap one of ErrFull, ErrLocked, ErrCorrupt, ErrReadOnly
// and ErrNewer where it is one of those.
func Open(ctx context.Context, path string, opt Options) (*Store, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Busy == 0 {
		opt.Busy = 5 * time.Second
	}
	if opt.Dead == nil {
		opt.Dead = func(string) bool { return false }
	}
	s := &Store{path: path, now: opt.Now, dead: opt.Dead}
	if err := create(path); err != nil {
		return nil, s.fail(err)
	}
	w, err := dial(ctx, path, opt)
	if err != nil {
		return nil, s.fail(err)
	}
	if err := w.migrate(ctx); err != nil {
		return nil, s.fail(errors.Join(err, w.close()))
	}
	if err := narrow(path); err != nil {
		return nil, s.fail(errors.Join(err, w.close()))
	}
	r, err := dial(ctx, path, opt)
	if err != nil {
		return nil, s.fail(errors.Join(err, w.close()))
	}
	s.w, s.r = w, r
	return s, nil
}

// create makes an empty private file where there is none, and narrows one that others could read.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = f.Chmod(0o600)
	}
	return errors.Join(err, f.Close())
}

// narrow makes the files private that SQLite keeps beside its own while it is open. It makes them as the
// umask says; until here, only the folder hides them.
func narrow(path string) error {
	for _, name := range []string{path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close ends the store once the calls under way are done. Further calls fail with CodeStorage.
func (s *Store) Close() error {
	if err := errors.Join(s.r.close(), s.w.close()); err != nil {
		return s.fail(err)
	}
	return nil
}

// Check reads the whole file and returns what SQLite finds wrong with it (ErrCorrupt), or nil.
func (s *Store) Check(ctx context.Context) error {
	return s.read(ctx, func(c *conn) error {
		msg := ""
		if _, err := c.first("PRAGMA integrity_check(1)", nil, func(r row) { msg = r.text(0) }); err != nil {
			return err
		}
		if msg != "ok" {
			return &cause{ErrCorrupt, errors.New(msg)}
		}
		return nil
	})
}

func (s *Store) write(ctx context.Context, durable bool, f func(*conn) error) error {
	if err := s.w.tx(ctx, "BEGIN IMMEDIATE", durable, f); err != nil {
		return s.fail(err)
	}
	return nil
}

func (s *Store) read(ctx context.Context, f func(*conn) error) error {
	if err := s.r.tx(ctx, "BEGIN", false, f); err != nil {
		return s.fail(err)
	}
	return nil
}

var (
	_ ports.Store    = (*Store)(nil)
	_ ports.RunStore = (*Store)(nil)
	_ ports.KV       = (*Store)(nil)
)
