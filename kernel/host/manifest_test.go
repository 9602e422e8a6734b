package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"
)

var hash = strings.Repeat("0a", 32)

func manifest(change map[string]any) []byte {
	m := map[string]any{"id": "my-plugin", "version": "0.1.0", "abi": 1, "runtime": "wasm", "entry": "p.wasm", "sha256": hash, "summary": "Does it."}
	for k, v := range change {
		m[k] = v
	}
	b, _ := json.Marshal(m) // plain values
	return b
}

func TestManifest(t *testing.T) {
	cases := map[string]struct {
		change map[string]any
		want   string // in error and fix; "" is fine
	}{
		"good":          {nil, ""},
		"foreign":       {map[string]any{"abi": 0}, ""},
		"limits":        {map[string]any{"limits": map[string]any{"memory_mib": 512}}, ""},
		"unknown_field": {map[string]any{"sumary": "x"}, `"sumary" did you mean "summary"?`},
		"wrong_case":    {map[string]any{"Grants": "x"}, `did you mean "grants"?`},
		"deep_field":    {map[string]any{"limits": map[string]any{"memory": 1}}, `unknown field "memory"`},
		"dots":          {map[string]any{"id": "a.b"}, "id"},
		"upper":         {map[string]any{"id": "Ab"}, "id"},
		"no_version":    {map[string]any{"version": ""}, "version is missing"},
		"abi":           {map[string]any{"abi": 9}, "abi 9"},
		"js":            {map[string]any{"runtime": "js"}, "not supported yet by this version"},
		"data":          {map[string]any{"runtime": "data"}, "not supported yet by this version"},
		"runtime":       {map[string]any{"runtime": "exe"}, `runtime "exe"`},
		"entry_outside": {map[string]any{"entry": "../p.wasm"}, "entry"},
		"no_hash":       {map[string]any{"sha256": "0A"}, "sha256"},
		"instances":     {map[string]any{"instances": "many"}, "instances"},
		"too_much":      {map[string]any{"limits": map[string]any{"live": 65}}, "limits.live"},
		"fetch_anyone":  {map[string]any{"grants": []any{map[string]any{"tool": "http.fetch"}}}, "origins"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ParseManifest(manifest(c.change))
			if got := errText(err) + " " + ports.FixOf(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Fatal(got)
			}
			if err != nil && ports.CodeOf(err) != ports.CodeUsage {
				t.Fatal(err)
			}
		})
	}
	if _, err := ParseManifest([]byte("[]")); err == nil {
		t.Fatal("not an object")
	}
}

func FuzzManifest(f *testing.F) {
	f.Add(manifest(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if m, err := ParseManifest(b); err == nil {
			m.Config(nil)
		}
	})
}

func TestBoth(t *testing.T) {
	g := func(tool string, lists ...string) ports.Grant {
		out := ports.Grant{Tool: tool}
		if len(lists) > 0 && lists[0] != "" {
			out.Origins = strings.Split(lists[0], " ")
		}
		if len(lists) > 1 {
			out.Methods = strings.Split(lists[1], " ")
		}
		return out
	}
	cases := map[string]struct{ asked, granted, want []ports.Grant }{
		"same":         {[]ports.Grant{g("kv.get")}, []ports.Grant{g("kv.get")}, []ports.Grant{g("kv.get")}},
		"not_granted":  {[]ports.Grant{g("kv.get")}, nil, nil},
		"not_asked":    {nil, []ports.Grant{g("kv.get")}, nil},
		"family_asked": {[]ports.Grant{g("browser.*")}, []ports.Grant{g("browser.read")}, []ports.Grant{g("browser.read")}},
		"family_given": {[]ports.Grant{g("browser.act")}, []ports.Grant{g("browser.*")}, []ports.Grant{g("browser.act")}},
		"origins":      {[]ports.Grant{g("http.fetch", "https://a https://b")}, []ports.Grant{g("http.fetch", "https://b https://c")}, []ports.Grant{g("http.fetch", "https://b", "GET")}},
		"no_origin":    {[]ports.Grant{g("http.fetch", "https://a")}, []ports.Grant{g("http.fetch", "https://c")}, nil},
		"wildcard":     {[]ports.Grant{g("browser.read", "https://*.b")}, []ports.Grant{g("browser.read", "https://a.b http://c.b https://xb")}, []ports.Grant{g("browser.read", "https://a.b")}},
		"any_origin":   {[]ports.Grant{g("browser.read")}, []ports.Grant{g("browser.read", "https://a")}, []ports.Grant{g("browser.read", "https://a")}},
		"methods":      {[]ports.Grant{g("http.fetch", "https://a", "GET POST")}, []ports.Grant{g("http.fetch", "https://a")}, []ports.Grant{g("http.fetch", "https://a", "GET")}},
	}
	for name, c := range cases {
		if got := Both(c.asked, c.granted); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestOpen(t *testing.T) {
	bin := wasm(t, "testdata/evil")
	sum := sha256.Sum256(bin)
	m, err := ParseManifest(manifest(map[string]any{"id": "evil", "sha256": hex.EncodeToString(sum[:]), "limits": map[string]any{"deadline_ms": 200}}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := guests.rt.Open(context.Background(), m, append(bin, 0), nil); ports.CodeOf(err) != ports.CodeBadModule {
		t.Fatal(err)
	}
	p, err := guests.rt.Open(context.Background(), m, bin, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if p.ID() != "evil" || p.limits.Deadline != 200*time.Millisecond || call(t, p, "good", "{}") != "fine" {
		t.Fatal(p.limits)
	}
	if _, err := guests.rt.Compile(context.Background(), []byte("#!/bin/sh")); ports.CodeOf(err) != ports.CodeBadModule {
		t.Fatal(err)
	}
}

func TestParseBuiltins(t *testing.T) {
	ms, err := ParseBuiltins([]byte(`{"b":{"summary":"B.","instances":"run"},"a":{"summary":"A.","grants":[{"tool":"kv.get"}]}}`))
	if err != nil || len(ms) != 2 || ms[0].ID != "a" {
		t.Fatal(ms, err)
	}
	c := ms[0].Config(ms[0].Grants)
	if !c.Builtin || c.Entry != "a" || len(c.Grants) != 1 || ms[1].Config(nil).Instances != PerRun {
		t.Fatalf("%+v", c)
	}
	b, err := os.ReadFile("../../plugins/builtin/grants.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseBuiltins(b); err != nil {
		t.Fatal(err)
	}
}

// The built-ins are unpacked once, beside the compilation cache, and start from there.
func TestLoadBuiltins(t *testing.T) {
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
	var before time.Time
	for i, dir := range []string{dir, dir, ""} {
		rt, err := New(ctx, Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		m, err := rt.LoadBuiltins(ctx, packed)
		if err != nil {
			t.Fatal(err)
		}
		p, err := m.Plugin(Config{ID: "text", Entry: "text"})
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, p, "text_count", `{"text":"a b"}`); got != `{"words":2,"bytes":3}` {
			t.Fatal(got)
		}
		p.Close()
		if err := rt.Close(ctx); err != nil {
			t.Fatal(err)
		}
		if dir == "" {
			continue
		}
		files, _ := filepath.Glob(filepath.Join(dir, "builtins-*.wasm"))
		if len(files) != 1 {
			t.Fatal(files)
		}
		info, err := os.Stat(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 && info.ModTime() != before {
			t.Fatal("unpacked twice")
		}
		before = info.ModTime()
	}
}

func TestCacheMustBeOurs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders have no mode here")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := New(context.Background(), Options{CacheDir: dir}); ports.CodeOf(err) != ports.CodeUsage {
		t.Fatal(err)
	}
	rt, err := New(context.Background(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close(context.Background())
	if _, err := rt.LoadBuiltins(context.Background(), []byte("no zstd")); ports.CodeOf(err) != ports.CodeBadModule {
		t.Fatal(err)
	}
}
