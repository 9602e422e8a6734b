package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// TestMain lets the test binary be another process that writes: it says each call whose intent Begin has
// stored on a line of its own, until it is killed or has done as many as it was told.
func TestMain(m *testing.M) {
	if path := os.Getenv("WB_TEST_WRITER"); path != "" {
		if err := writer(path, os.Getenv("WB_TEST_NAME"), os.Getenv("WB_TEST_COUNT")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func writer(path, name, count string) error {
	n := 0
	fmt.Sscan(count, &n)
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		return err
	}
	for i := range n {
		id := fmt.Sprint(name, ".", i)
		if _, err := s.Begin(context.Background(), ports.Intent{ID: id, Run: name, Mutates: true, At: time.Now()}); err != nil {
			return err
		}
		fmt.Println(id)
		if err := s.End(context.Background(), ports.Outcome{ID: id, Status: "ok", At: time.Now()}); err != nil {
			return err
		}
	}
	return s.Close()
}

func startWriter(t *testing.T, path, name string, count int) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "WB_TEST_WRITER="+path, "WB_TEST_NAME="+name, fmt.Sprint("WB_TEST_COUNT=", count))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(io.Reader(out))
}

func TestKilledWriter(t *testing.T) {
	path := fresh(t)
	said := map[string]bool{}
	for round := range 5 {
		cmd, lines := startWriter(t, path, fmt.Sprint("w", round), 1<<30)
		for range 10*round + 1 {
			if !lines.Scan() {
				t.Fatal("the writer stopped", lines.Err())
			}
			said[lines.Text()] = true
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if strings.Count(lines.Text(), ".") == 1 {
				said[lines.Text()] = true
			}
		}
		if err := cmd.Wait(); err == nil {
			t.Fatal("the writer was not killed")
		}
	}
	s := open(t, path, Options{})
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Verify(t.Context()); err != nil {
		t.Fatal(err)
	}
	recs, err := s.Since(t.Context(), "", 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	stored, open := map[string]bool{}, 0
	for _, r := range recs {
		stored[r.ID] = true
		if r.Status == "" {
			open++
		}
	}
	if open > 5 {
		t.Errorf("%d calls have no outcome, want one a kill at most", open)
	}
	for id := range said {
		if !stored[id] {
			t.Errorf("%s was begun and is lost", id)
		}
	}
	t.Logf("%d calls begun, %d stored, %d without an outcome", len(said), len(recs), open)
}

func TestManyProcesses(t *testing.T) {
	path := fresh(t) // not there yet: they make it, and its schema, at the same time
	const writers, each = 4, 50
	var cmds []*exec.Cmd
	for i := range writers {
		cmd, lines := startWriter(t, path, fmt.Sprint("w", i), each)
		cmds = append(cmds, cmd)
		go func() {
			for lines.Scan() {
			}
		}()
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("writer %d: %v", i, err)
		}
	}
	s := open(t, path, Options{})
	recs, err := s.Since(t.Context(), "", 0, 10_000)
	if err != nil || len(recs) != writers*each {
		t.Errorf("%d records, %v; want %d", len(recs), err, writers*each)
	}
	for i, r := range recs {
		if r.Status != "ok" || r.Seq != int64(i+1) {
			t.Fatalf("record %d: seq %d, status %q", i, r.Seq, r.Status)
		}
	}
	if _, err := s.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}
