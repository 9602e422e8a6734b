package host

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"
)

// A plugin that is listed again in a later process does not start for it. Another grant, another id or other
// code is another list.
func TestListIsKept(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "cache")
	guarded, err := wasmguard.Rewrite(wasm(t, "testdata/sample"), wasmguard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	packed := enc.EncodeAll(guarded, nil)
	list := func(c Config) (specs []ports.Spec, started int) {
		rt, err := New(ctx, Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := rt.Close(ctx); err != nil {
				t.Error(err)
			}
		}()
		m, err := rt.LoadBuiltins(ctx, packed)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Plugin(c)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		if specs, err = p.Specs(ctx); err != nil {
			t.Fatal(err)
		}
		return specs, p.Live()
	}
	c := Config{ID: "text", Entry: "text", Instances: Pool}
	first, n := list(c)
	if n == 0 || len(first) == 0 {
		t.Fatalf("%d tools from %d instances", len(first), n)
	}
	again, n := list(c)
	if diff := cmp.Diff(first, again); n != 0 || diff != "" {
		t.Errorf("%d instances were started for a list that was kept (-first +again):\n%s", n, diff)
	}
	c.Grants = []ports.Grant{{Tool: "browser.act"}}
	if _, n := list(c); n == 0 {
		t.Error("the list of another grant was taken")
	}
}
