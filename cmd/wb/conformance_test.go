package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

var conformance = filepath.Join(root, "testdata", "conformance")

// MCP's own conformance suite, against `wb mcp --http`. The tools that its scenarios call are a plugin's,
// so each of them runs through the plugin host, Kernel.Call and the MCP server. testdata/conformance/
// expected.yaml lists the scenarios that do not apply, and why.
func TestConformance(t *testing.T) {
	t.Parallel()
	suite := conformanceSuite(t)
	p := newPerson(t, "empty.yaml", 64_000)
	p.forgetProvider(t) // so that the client's model is the one that is asked
	p.wb(t, exitOK, "plugin", "add", conformancePlugin(t), "--yes")
	expected, err := filepath.Abs(filepath.Join(conformance, "expected.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", suite, "server", "--url", p.serveMCP(t), "--suite", "all", "--expected-failures", expected, "-o", t.TempDir())
	cmd.Dir = t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	passed := regexp.MustCompile(`(?m)^✓ [a-z0-9-]+: [1-9]\d* passed, 0 failed$`).FindAllString(string(out), -1)
	if len(passed) != 21 {
		t.Errorf("%d scenarios passed, want 21:\n%s", len(passed), out)
	}
}

// conformanceSuite installs the suite as its lock file pins it, once for each user, and returns its entry.
func conformanceSuite(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	need(t, "npm", err)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	lock, err := os.ReadFile(filepath.Join(conformance, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "wb-tests", "conformance-"+hex.EncodeToString(sum[:6]))
	entry := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	if _, err := os.Stat(filepath.Join(dir, "installed")); err == nil {
		return entry
	}
	for _, f := range []string{"package.json", "package-lock.json"} {
		b, err := os.ReadFile(filepath.Join(conformance, f))
		if err != nil {
			t.Fatal(err)
		}
		writeIn(t, dir, f, string(b))
	}
	cmd := exec.CommandContext(t.Context(), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s", out)
	}
	need(t, "conformance suite, which npm downloads", err)
	writeIn(t, dir, "installed", "")
	return entry
}

// conformancePlugin builds the plugin into a folder of its own, ready to be added.
func conformancePlugin(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	wasm := filepath.Join(dir, "plugin.wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", wasm, ".")
	cmd.Dir = filepath.Join(conformance, "plugin")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(conformance, "plugin", "plugin.json"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(code)
	if manifest, err = setHash(manifest, hex.EncodeToString(sum[:])); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, "plugin.json", string(manifest))
	return dir
}

// serveMCP runs wb mcp over HTTP until the test ends and returns its address, token included.
func (p *person) serveMCP(t *testing.T) string {
	t.Helper()
	const token = "0123456789abcdefghijklmn"
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "wb", "mcp", "--http", "127.0.0.1:0", "--token", token)
	cmd.Env, cmd.Dir = p.env, t.TempDir()
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	var url string
	for url == "" && lines.Scan() {
		if m := regexp.MustCompile(`http://127\.0\.0\.1:\d+/mcp`).FindString(lines.Text()); m != "" {
			url = fmt.Sprintf("%s/%s", m, token)
		}
	}
	if url == "" {
		t.Fatalf("wb mcp printed no address: %v", cmd.Wait())
	}
	rest := make(chan string, 1)
	go func() { b, _ := io.ReadAll(stderr); rest <- string(b) }() // until it ends
	t.Cleanup(func() {
		stop()
		text := <-rest
		if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exitOK && ctx.Err() == nil {
			t.Errorf("wb mcp: %v", err)
		}
		if t.Failed() {
			t.Logf("wb mcp said: %s", text)
		}
	})
	return url
}
