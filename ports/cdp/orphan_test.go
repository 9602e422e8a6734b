//go:build unix

package cdp

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// orphanDir is set for the helper process that launches a browser and is then killed.
const orphanDir = "WB_TEST_ORPHAN_PROFILE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(orphanDir); dir != "" {
		holdBrowser(dir)
		return
	}
	os.Exit(m.Run())
}

// holdBrowser launches a browser, says its process, and waits to be killed.
func holdBrowser(dir string) {
	b, err := start(Options{Profile: dir})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("pid", b.cmd.Process.Pid)
	if os.Getenv(orphanDir+"_READY") != "" {
		if _, err := connect(context.Background(), b.pipe, b); err != nil {
			fmt.Println("error", err)
			return
		}
		fmt.Println("ready")
	}
	<-b.exited
}

// TestNoOrphans kills the process that owns a browser again and again, at the start and in the middle of
// it, and looks for anything of the browser that is left.
func TestNoOrphans(t *testing.T) {
	if _, err := Find(); err != nil {
		t.Skip("no browser:", err)
	}
	kills := 200
	if testing.Short() {
		kills = 10
	}
	dir := t.TempDir()
	groups := map[string]bool{}
	for i := range kills {
		groups[killOwner(t, filepath.Join(dir, strconv.Itoa(i)), i%10 == 0)] = true
	}
	left := waitGone(groups, 20*time.Second)
	for _, p := range left {
		t.Errorf("left running: %s", p)
	}
}

// killOwner returns the process group of the browser whose owner it killed.
func killOwner(t *testing.T, profile string, ready bool) (group string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), orphanDir+"="+profile)
	if ready {
		cmd.Env = append(cmd.Env, orphanDir+"_READY=1")
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	want := "pid"
	if ready {
		want = "ready"
	}
	for in := bufio.NewScanner(out); in.Scan(); {
		if strings.HasPrefix(in.Text(), "error") {
			t.Fatal(in.Text())
		}
		if pid, ok := strings.CutPrefix(in.Text(), "pid "); ok {
			group = pid
		}
		if strings.HasPrefix(in.Text(), want) {
			break
		}
	}
	if group == "" {
		t.Fatal("the helper did not start a browser")
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	return group
}

// waitGone waits until no process of the groups is left, and returns those that are.
func waitGone(groups map[string]bool, limit time.Duration) []string {
	for end := time.Now().Add(limit); ; {
		left := living(groups)
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
		<-time.After(50 * time.Millisecond)
	}
}

func living(groups map[string]bool) []string {
	out, err := exec.Command("ps", "-eo", "pgid=,stat=,args=").Output()
	if err != nil {
		return []string{"ps: " + err.Error()}
	}
	var left []string
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) > 2 && groups[f[0]] && !strings.HasPrefix(f[1], "Z") {
			left = append(left, strings.TrimSpace(line)[:min(len(line)-1, 120)])
		}
	}
	return left
}
