package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"github.com/wb-agent/wb/ports"
)

// What can be wrong with the file; found by errors.Is.
var (
	ErrFull     = errors.New("the disk is full")
	ErrLocked   = errors.New("another process holds the file")
	ErrCorrupt  = errors.New("the file is damaged or not a journal")
	ErrReadOnly = errors.New("the file cannot be written")
	ErrNewer    = errors.New("the file was written by a newer wb")
	ErrClosed   = errors.New("the store is closed")
)

// fail makes an error that crosses the edge: what happened to which file, and what to do about it. An
// error of ports passes as it is.
func (s *Store) fail(err error) error {
	if ports.CodeOf(err) != "" {
		return err
	}
	fix, kind := classify(err)
	if kind == nil && errors.Is(err, sqlite3.IOERR) {
		fix, kind = s.disk()
	}
	if kind != nil && !errors.Is(err, kind) {
		err = &cause{kind, err}
	}
	if kind == ErrCorrupt {
		fix = "run wb doctor; to start afresh, move " + s.path + " and its -wal and -shm aside"
	}
	return &ports.Error{Code: ports.CodeStorage, Msg: "journal " + s.path, Fix: fix, Err: err}
}

func classify(err error) (fix string, kind error) {
	is := func(targets ...error) bool {
		for _, t := range targets {
			if errors.Is(err, t) {
				return true
			}
		}
		return false
	}
	switch {
	case is(context.Canceled, context.DeadlineExceeded):
		return "", nil
	case is(ErrFull, sqlite3.FULL, syscall.ENOSPC, syscall.EDQUOT):
		return "free some disk space, or let wb trace prune delete old runs", ErrFull
	case is(ErrCorrupt, sqlite3.CORRUPT, sqlite3.NOTADB):
		return "", ErrCorrupt
	case is(ErrLocked, sqlite3.BUSY, sqlite3.LOCKED):
		return "wait for the other wb or database tool to end, or stop it", ErrLocked
	case is(ErrNewer):
		return "update wb, or use another file for the journal", ErrNewer
	case is(ErrReadOnly, sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.PERM, fs.ErrPermission, syscall.EROFS, syscall.ENOTDIR, syscall.EISDIR):
		return "check owner and permissions of the file and its folder", ErrReadOnly
	}
	return "", nil
}

// disk finds out why the disk did not do as SQLite asked, which keeps the reason to itself: it tries to
// write a little beside the file.
func (s *Store) disk() (fix string, kind error) {
	h, err := os.CreateTemp(filepath.Dir(s.path), ".wb-probe-*")
	if err == nil {
		_, err = h.Write(make([]byte, 256<<10))
		err = errors.Join(err, h.Sync(), h.Close(), os.Remove(h.Name()))
	}
	if err != nil {
		if errno, ok := errors.AsType[syscall.Errno](err); ok && runtime.GOOS == "windows" && (errno == 39 || errno == 112) {
			err = ErrFull // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		}
		if fix, kind := classify(err); kind != nil {
			return fix, kind
		}
	}
	return "check the disk that the file is on", nil
}

// cause says the kind first and what SQLite said after it.
type cause struct{ kind, err error }

func (c *cause) Error() string   { return c.kind.Error() + ": " + c.err.Error() }
func (c *cause) Unwrap() []error { return []error{c.kind, c.err} }
