package host

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// The guests are compiled and loaded once a test binary, into a folder that TestMain removes.
var guests struct {
	sync.Mutex
	dir string
	rt  *Runtime
	mod map[string]*Module
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "wb-host")
	if err != nil {
		panic(err)
	}
	guests.dir, guests.mod = dir, map[string]*Module{}
	if guests.rt, err = New(context.Background(), Options{}); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = guests.rt.Close(context.Background())
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// wasm builds the command in dir, or an example of the official SDK, unmodified.
func wasm(t testing.TB, dir string) []byte {
	t.Helper()
	pkg := "."
	if name, ok := strings.CutPrefix(dir, "official/"); ok {
		dir, pkg = "testdata/foreign", "github.com/modelcontextprotocol/go-sdk/examples/server/"+name
	}
	file := filepath.Join(guests.dir, strings.ReplaceAll(dir+pkg, "/", "_")+".wasm")
	if _, err := os.Stat(file); err != nil {
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", file, pkg)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("build %s: %v\n%s", dir, err, out)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func module(t testing.TB, dir string) *Module {
	t.Helper()
	guests.Lock()
	defer guests.Unlock()
	if guests.mod[dir] == nil {
		m, err := guests.rt.Compile(context.Background(), wasm(t, dir))
		if err != nil {
			t.Fatal(err)
		}
		guests.mod[dir] = m
	}
	return guests.mod[dir]
}

// load makes a plugin for one test and checks at its end that no instance is left.
func load(t testing.TB, dir string, c Config, caller ports.Caller) *Plugin {
	t.Helper()
	if caller != nil {
		c.Caller = caller
	}
	p, err := module(t, dir).Plugin(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Close()
		if n := p.Live(); n != 0 {
			t.Errorf("%d instances left", n)
		}
	})
	return p
}

func evil(t testing.TB, l Limits, caller ports.Caller) *Plugin {
	return load(t, "testdata/evil", Config{ID: "evil", Entry: "evil", Limits: l}, caller)
}

func call(t testing.TB, p *Plugin, tool, args string) string {
	t.Helper()
	r, err := p.Call(context.Background(), ports.Call{Tool: tool, Args: json.RawMessage(args)})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Text()
}
