package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/wb-agent/wb/plugins"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/mockmodel"
)

// chromium starts a browser that wb attaches to, so that its start is in no figure.
func (b *bench) chromium(ctx context.Context) (ws string, stop func(), err error) {
	path, err := cdp.Find()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, path, bare(filepath.Join(b.dir, "attached"), "--remote-debugging-port=0", "about:blank")...)
	said, err := cmd.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	for in := bufio.NewScanner(said); in.Scan(); {
		if _, ws, ok := strings.Cut(in.Text(), "DevTools listening on "); ok {
			go func() {
				for in.Scan() { // until it ends
				}
			}()
			return ws, stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("the browser names no port")
}

// bare are the switches of a browser without wb.
func bare(profile string, more ...string) []string {
	args := []string{"--user-data-dir=" + profile, "--headless=new", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--window-size=1280,900"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	return append(args, more...)
}

// home is an environment with files of its own, and the person's compiled plugins.
func (b *bench) home(config string) ([]string, error) {
	dir := filepath.Join(b.dir, "home")
	if err := os.MkdirAll(filepath.Join(dir, "wb"), 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "wb", "config.yaml"), []byte(config), 0o600); err != nil {
		return nil, err
	}
	return append(os.Environ(), "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir), nil
}

// warm: a process from its start to the first result of a plugin's tool.
func (b *bench) warm(ctx context.Context) ([]figure, error) {
	ws, stop, err := b.chromium(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	env, err := b.home("")
	if err != nil {
		return nil, err
	}
	var ds []time.Duration
	for i := range 12 {
		cmd := exec.CommandContext(ctx, b.wb, "call", "list_tabs", "--browser", ws)
		cmd.Env = env
		out := &firstByte{}
		cmd.Stdout = out
		var errs bytes.Buffer
		cmd.Stderr = &errs
		began := time.Now()
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("wb call: %w: %s", err, &errs)
		}
		if i > 1 { // the first fills the cache
			ds = append(ds, out.at.Sub(began))
		}
	}
	return []figure{atMost("wb call, warm: start to first tool result", 200*time.Millisecond, median(ds), "attached to a browser that runs")}, nil
}

// firstByte notes when the first output came.
type firstByte struct{ at time.Time }

func (f *firstByte) Write(p []byte) (int, error) {
	if f.at.IsZero() {
		f.at = time.Now()
	}
	return len(p), nil
}

// idle asks an MCP server for a look, a tab list and a whole task, so that page, tabs and a provider are
// loaded, and leaves it idle.
var idle = []string{
	`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
	`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"get_accessibility_tree","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list_tabs","arguments":{}}}`,
	`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"wb_run","arguments":{"task":"say hello"}}}`,
}

// memory: what an idle wb costs, shared pages counted by their share.
func (b *bench) memory(ctx context.Context) ([]figure, error) {
	book, err := mockmodel.Parse([]byte("- reply: {text: hello}"))
	if err != nil {
		return nil, err
	}
	model := httptest.NewServer(mockmodel.New(book))
	defer model.Close()
	ws, stop, err := b.chromium(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	env, err := b.home(fmt.Sprintf("provider: mock\nproviders:\n  mock: {family: openai, base_url: %q, model: m}\n", model.URL+"/v1"))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, b.wb, "mcp", "--browser", ws)
	cmd.Env, cmd.Stderr = env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	answers := bufio.NewScanner(out)
	answers.Buffer(nil, 16<<20)
	for _, line := range idle {
		if _, err := fmt.Fprintln(in, line); err != nil {
			return nil, err
		}
		if err := answered(answers, line); err != nil {
			return nil, err
		}
	}
	pss, err := pssOf(cmd.Process.Pid)
	if err != nil {
		return nil, err
	}
	return []figure{{"PSS of an idle wb mcp: page, tabs and a provider loaded", "<= 120 MB", fmt.Sprintf("%.0f MB", pss), pss <= 120, ""}}, nil
}

// answered waits for the answer to a request; a notification has none.
func answered(in *bufio.Scanner, request string) error {
	var want, got struct {
		ID     int
		Error  json.RawMessage
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(request), &want); err != nil || want.ID == 0 {
		return err
	}
	for in.Scan() {
		got.ID = 0
		if err := json.Unmarshal(in.Bytes(), &got); err != nil {
			return err
		}
		if got.ID == want.ID {
			if got.Error != nil || got.Result.IsError {
				return fmt.Errorf("%s: %s", request, in.Bytes())
			}
			return nil
		}
	}
	return fmt.Errorf("no answer to %s: %w", request, in.Err())
}

var pssLine = regexp.MustCompile(`(?m)^Pss:\s+(\d+) kB`)

// pssOf is the proportional set size in MB, as it is once the last garbage has gone: the least of two
// seconds.
func pssOf(pid int) (float64, error) {
	least := 0.0
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for range 10 {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		if err != nil {
			return 0, err
		}
		m := pssLine.FindSubmatch(b)
		if m == nil {
			return 0, fmt.Errorf("smaps_rollup has no Pss")
		}
		kb, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return 0, err
		}
		if mb := kb / 1024; least == 0 || mb < least {
			least = mb
		}
		<-tick.C
	}
	return least, nil
}

// size: the program, and the built-in plugins in it.
func (b *bench) size(context.Context) ([]figure, error) {
	info, err := os.Stat(b.wb)
	if err != nil {
		return nil, err
	}
	packed, err := plugins.Module()
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	raw, err := d.DecodeAll(packed, nil)
	if err != nil {
		return nil, err
	}
	mb := func(n int) float64 { return float64(n) / (1 << 20) }
	program, module := mb(int(info.Size())), mb(len(raw))
	return []figure{{"the program, built-ins included", "<= 40 MB", fmt.Sprintf("%.1f MB", program), program <= 40, ""},
		{"builtins.wasm, guarded, not compressed", "<= 8 MB", fmt.Sprintf("%.1f MB", module), module <= 8, fmt.Sprintf("%.1f MB compressed", mb(len(packed)))}}, nil
}
