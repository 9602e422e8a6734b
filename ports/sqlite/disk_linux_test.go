package sqlite

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// TestReallyFullDisk fills a file system of half a megabyte, which only root can make, and then frees it.
func TestReallyFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=768k"); err != nil {
		t.Skip("no small file system can be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 300<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), filepath.Join(dir, "wb.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := 0
	begin := func() error {
		n++
		_, err := s.Begin(t.Context(), ports.Intent{ID: fmt.Sprint(n), Mutates: n%2 == 0, Args: json.RawMessage(`"` + strings.Repeat("x", 8000) + `"`), At: time.Now()})
		return err
	}
	for err = begin(); err == nil && n < 1000; err = begin() {
	}
	if !errors.Is(err, ErrFull) || !strings.Contains(ports.FixOf(err), "free some disk space") {
		t.Errorf("after %d: %v, fix %q", n, err, ports.FixOf(err))
	}
	recs, err := s.Since(t.Context(), "", 0, 1000)
	if err != nil || len(recs) != n-1 {
		t.Errorf("%d records, want %d; %v", len(recs), n-1, err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if err := begin(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	if _, err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
