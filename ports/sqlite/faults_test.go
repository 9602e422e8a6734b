package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"github.com/wb-agent/wb/ports"
)

func TestOpenRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, path string)
		kind  error
		fix   string
	}{
		"garbage": {func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("not a database "), 1000)) }, ErrCorrupt, "aside"},
		"damaged pages": {func(t *testing.T, path string) {
			filled(t, path)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(b[100:], bytes.Repeat([]byte{0xA5}, len(b)-100))
			write(t, path, b)
		}, ErrCorrupt, "wb doctor"},
		"newer": {func(t *testing.T, path string) {
			raw(t, path, "PRAGMA user_version=99")
		}, ErrNewer, "update wb"},
		"a folder": {func(t *testing.T, path string) {
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, ErrReadOnly, "permissions"},
		"below a file": {func(t *testing.T, path string) { write(t, filepath.Dir(path), []byte("x")) }, ErrReadOnly, "permissions"},
		"locked": {func(t *testing.T, path string) {
			filled(t, path)
			db := raw(t, path, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; DELETE FROM kv")
			t.Cleanup(func() { _ = db.Close() })
		}, ErrLocked, "wait"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d", "wb.db")
			tt.spoil(t, path)
			s, err := Open(t.Context(), path, Options{Busy: 20 * time.Millisecond})
			if err == nil {
				_, err = s.Begin(t.Context(), ports.Intent{ID: "x", At: time.Now()})
				_ = s.Close()
			}
			if ports.CodeOf(err) != ports.CodeStorage || !errors.Is(err, tt.kind) || !strings.Contains(ports.FixOf(err), tt.fix) {
				t.Errorf("got %v, fix %q; want %v", err, ports.FixOf(err), tt.kind)
			}
		})
	}
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filled makes a store with one call in it and closes it.
func filled(t *testing.T, path string) {
	t.Helper()
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	begun(t, s, "a")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func begun(t *testing.T, s *Store, id string) {
	t.Helper()
	if _, err := s.Begin(t.Context(), ports.Intent{ID: id, Run: "r", Tool: "click", Mutates: true, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
}

// raw runs SQL behind the store's back.
func raw(t *testing.T, path, sql string) *sqlite3.Conn {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite3.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Exec(sql); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestLockedWhileOpen(t *testing.T) {
	path := fresh(t)
	s := open(t, path, Options{Busy: 20 * time.Millisecond})
	db := raw(t, path, "BEGIN IMMEDIATE")
	in := ports.Intent{ID: "a", At: time.Now()}
	if _, err := s.Begin(t.Context(), in); !errors.Is(err, ErrLocked) || ports.CodeOf(err) != ports.CodeStorage {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Begin(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Begin(t.Context(), in); err != nil {
		t.Errorf("unlocked: %v", err)
	}
}

func TestFullDisk(t *testing.T) {
	s := open(t, fresh(t), Options{MaxPages: 40})
	var err error
	n := 0
	for ; err == nil && n < 1000; n++ {
		_, err = s.Begin(t.Context(), ports.Intent{ID: fmt.Sprint(n), Run: "r", Args: json.RawMessage(`"` + strings.Repeat("x", 8000) + `"`), At: time.Now()})
	}
	if !errors.Is(err, ErrFull) || ports.CodeOf(err) != ports.CodeStorage || !strings.Contains(ports.FixOf(err), "free some disk space") {
		t.Fatalf("got %v, fix %q", err, ports.FixOf(err))
	}
	recs, err := s.Since(t.Context(), "r", 0, 1000)
	if err != nil || len(recs) != n-1 {
		t.Errorf("%d records, want the %d that were stored; %v", len(recs), n-1, err)
	}
	if err := s.End(t.Context(), ports.Outcome{ID: "0", Status: "ok", Result: json.RawMessage(strings.Repeat("1", 9000)), At: time.Now()}); !errors.Is(err, ErrFull) {
		t.Errorf("End: %v", err)
	}
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such modes")
	}
	path := fresh(t)
	s := open(t, path, Options{})
	begun(t, s, "a")
	for name, want := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v, want %v", filepath.Base(name), info.Mode(), err, want)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, path, Options{})
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("a wide file stays wide: %v", info.Mode())
	}
}

func TestClosed(t *testing.T) {
	path := fresh(t)
	s, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Begin(t.Context(), ports.Intent{ID: "a"}); !errors.Is(err, ErrClosed) || ports.CodeOf(err) != ports.CodeStorage {
		t.Errorf("got %v", err)
	}
	if _, err := s.Since(t.Context(), "", 0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestMigration(t *testing.T) {
	path := fresh(t)
	sql, err := schema.ReadFile("schema/1.sql")
	if err != nil {
		t.Fatal(err)
	}
	db := raw(t, path, string(sql)+`; PRAGMA user_version=1;
		INSERT INTO calls (id, parent, run, sender, tool, tab, args, mutates, at, status) VALUES ('old', '', 'r', 'model', 'click', '', '{}', 1, 5, 'ok');
		INSERT INTO calls (id, parent, run, sender, tool, tab, args, mutates, at) VALUES ('open', '', 'r', 'model', 'click', '', '{}', 1, 6);`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, Options{})
	begun(t, s, "new")
	if err := s.End(t.Context(), ports.Outcome{ID: "open", Status: "ok", At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	recs, err := s.Since(t.Context(), "r", 0, 10)
	if err != nil || len(recs) != 3 || recs[0].ID != "old" || recs[0].Status != "ok" || recs[2].ID != "new" {
		t.Errorf("got %+v, %v", recs, err)
	}
	if _, err := s.Verify(t.Context()); err != nil {
		t.Errorf("Verify: %v", err)
	}
}

// TestMutatingIntentsWaitForTheDisk looks at the switch that SQLite syncs by: its effect shows only in a
// power cut.
func TestMutatingIntentsWaitForTheDisk(t *testing.T) {
	s := open(t, fresh(t), Options{})
	for i, mutates := range []bool{false, true, true, false, true} {
		if _, err := s.Begin(t.Context(), ports.Intent{ID: fmt.Sprint(i), Mutates: mutates, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
		want := int64(1) // NORMAL
		if mutates {
			want = 2 // FULL
		}
		mode := int64(0)
		_, err := s.w.first("PRAGMA synchronous", nil, func(r row) { mode = r.int(0) })
		if err != nil || mode != want {
			t.Errorf("call %d: synchronous %d, %v; want %d", i, mode, err, want)
		}
	}
}
