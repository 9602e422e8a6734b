package sqlite

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

func open(t *testing.T, path string, opt Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func fresh(t *testing.T) string { return filepath.Join(t.TempDir(), "wb", "wb.db") }

func TestStore(t *testing.T) {
	portstest.Store(t, func(t *testing.T) ports.Store { return open(t, fresh(t), Options{}) })
}

func TestRunStore(t *testing.T) {
	portstest.RunStore(t, func(t *testing.T, now func() time.Time) portstest.Runs {
		s := open(t, fresh(t), Options{Now: now})
		t.Cleanup(func() {
			if _, err := s.Verify(context.Background()); err != nil {
				t.Errorf("the chain does not hold: %v", err)
			}
		})
		return s
	})
}

func TestKV(t *testing.T) {
	portstest.KV(t, func(t *testing.T) ports.KV { return open(t, fresh(t), Options{}) })
}
