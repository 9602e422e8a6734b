package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/sqlite"
)

// TestOwnerDead: only a process that has certainly ended loses its lease.
func TestOwnerDead(t *testing.T) {
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	name := func(pid int, place, start string) string {
		return fmt.Sprintf(ownerFormat, pid, "host", place, start, "x")
	}
	cases := map[string]struct {
		owner string
		dead  bool
	}{
		"ourselves":         {owner(), false},
		"ended":             {name(gone.Process.Pid, place(), "1"), true},
		"another machine":   {name(gone.Process.Pid, "elsewhere", "1"), false},
		"an older format":   {"01jd3k", false},
		"empty":             {"", false},
		"no process id":     {name(0, place(), "1"), false},
		"start not known":   {name(os.Getpid(), place(), "-"), false},
		"nonsense brackets": {"process x on y [z", false},
	}
	if runtime.GOOS == "linux" {
		cases["the number was used again"] = struct {
			owner string
			dead  bool
		}{name(os.Getpid(), place(), "1"), true}
	}
	for n, c := range cases {
		if got := ownerDead(c.owner); got != c.dead {
			t.Errorf("%s: dead %v, want %v", n, got, c.dead)
		}
	}
}

// TestLeaseOfTheDead: the lease of a killed process does not block, that of a live one does.
func TestLeaseOfTheDead(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	dead := fmt.Sprintf(ownerFormat, gone.Process.Pid, "host", place(), "1", "x")
	lease := func(who string) error {
		return s.Lease(t.Context(), "run:1", ports.Lease{Owner: who, Started: now, Expires: now.Add(time.Hour)})
	}
	if err := lease(dead); err != nil {
		t.Fatal(err)
	}
	live := owner()
	if err := lease(live); err != nil {
		t.Errorf("the lease of a dead process blocks: %v", err)
	}
	err = lease(owner())
	if ports.CodeOf(err) != ports.CodeBusy || !strings.Contains(err.Error(), fmt.Sprintf("process %d on ", os.Getpid())) {
		t.Errorf("the lease of a live process was taken, or the error does not name it: %v", err)
	}
}
