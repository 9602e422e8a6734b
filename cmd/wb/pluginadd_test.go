package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// answers is a person who always answers the same, and counts.
type answers struct {
	choice string
	asked  int
}

func (a *answers) Ask(context.Context, ports.Question) (ports.Answer, error) {
	a.asked++
	return ports.Answer{Choice: a.choice}, nil
}

// workshop is a place of its own to install to, and a module that was built for it.
type workshop struct {
	t    *testing.T
	cfg  *Config
	home pluginHome
	code []byte
	out  bytes.Buffer
}

// newWorkshop builds the scaffold once; manifests are written around its module.
func newWorkshop(t *testing.T) *workshop {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	t.Setenv("GOPROXY", "off")
	dir := filepath.Join(t.TempDir(), "sample")
	if err := newPlugin("sample", dir); err != nil {
		t.Fatal(err)
	}
	m, _, err := buildPlugin(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile(filepath.Join(dir, m.Entry))
	if err != nil {
		t.Fatal(err)
	}
	return &workshop{t: t, code: code}
}

// fresh empties the place.
func (w *workshop) fresh(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	t.Setenv("XDG_DATA_HOME", filepath.Join(home, "data"))
	cfg, err := loadConfig("", nil)
	if err != nil {
		t.Fatal(err)
	}
	w.t, w.cfg = t, cfg
	if w.home, err = pluginHomeFor(cfg); err != nil {
		t.Fatal(err)
	}
}

// manifest is a plugin.json around the module.
func (w *workshop) manifest(id, version, grants string) string {
	return fmt.Sprintf(`{"id":%q,"version":%q,"abi":1,"runtime":"wasm","entry":"plugin.wasm","sha256":%q,"summary":"s","grants":[%s]}`, id, version, hashOf(w.code), grants)
}

// pack writes a zip of files named name, text, name, text …
func (w *workshop) pack(files ...string) string {
	w.t.Helper()
	var list []packed
	for i := 0; i < len(files); i += 2 {
		list = append(list, packed{name: files[i], text: files[i+1]})
	}
	file := filepath.Join(w.t.TempDir(), "p.zip")
	if err := os.WriteFile(file, zipped(w.t, list...), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

func (w *workshop) plugin(id, version, grants string) string {
	return w.pack(manifestName, w.manifest(id, version, grants), "plugin.wasm", string(w.code))
}

func (w *workshop) add(from string, f addFlags, person ports.Asker) (string, error) {
	w.out.Reset()
	return adder{flags: f, cfg: w.cfg, asker: person, out: &w.out}.add(w.t.Context(), from)
}

// fails checks that nothing was installed, and that the person learns what to do.
func (w *workshop) fails(err error, code, text string) {
	w.t.Helper()
	if ports.CodeOf(err) != code || !strings.Contains(err.Error(), text) || ports.FixOf(err) == "" && code != ports.CodeRefused {
		w.t.Fatalf("got %q %v (fix: %s), want %q with %q", ports.CodeOf(err), err, ports.FixOf(err), code, text)
	}
	if es, _ := os.ReadDir(w.home.dir); len(es) > 0 {
		w.t.Fatalf("half installed: %v", es)
	}
	if _, err := os.Stat(w.home.lock); err == nil {
		w.t.Fatal("pinned")
	}
}

func TestAddPlugin(t *testing.T) {
	w := newWorkshop(t)
	yes := addFlags{yes: true}
	t.Run("refusals", func(t *testing.T) {
		w.fresh(t)
		good := w.manifest("notes", "1", "")
		for _, c := range []struct{ name, from, code, text string }{
			{"wrong hash", w.pack(manifestName, good, "plugin.wasm", "other"), ports.CodeBadModule, "not the file that plugin.json names"},
			{"no module", w.pack(manifestName, good), ports.CodeUsage, "no plugin.wasm"},
			{"unknown field", w.pack(manifestName, strings.Replace(good, `"summary"`, `"sumary"`, 1)), ports.CodeUsage, "sumary"},
			{"built-in", w.plugin("page", "1", ""), ports.CodeUsage, "belongs to wb"},
			{"the person", w.plugin("user", "1", ""), ports.CodeUsage, "belongs to wb"},
			{"entry leads out", w.pack(manifestName, strings.Replace(good, "plugin.wasm", "../x.wasm", 1)), ports.CodeUsage, "entry"},
			{"entry is plugin.json", w.pack(manifestName, strings.Replace(good, "plugin.wasm", manifestName, 1)), ports.CodeUsage, "not a module's name"},
			{"huge manifest", w.pack(manifestName, good+strings.Repeat(" ", maxManifest)), ports.CodeOversized, "larger than 64 KiB"},
			{"unknown import", w.pack(manifestName, strings.Replace(good, hashOf(w.code), hashOf([]byte(strange)), 1), "plugin.wasm", strange), ports.CodeBadModule, "env.evil"},
			{"no module at all", w.pack(manifestName, strings.Replace(good, hashOf(w.code), hashOf([]byte("x")), 1), "plugin.wasm", "x"), ports.CodeBadModule, "not a core wasm module"},
			{"nowhere", filepath.Join(t.TempDir(), "none"), ports.CodeUsage, "no plugin there"},
			{"plain http", "http://example.org/p.zip", ports.CodeUsage, "not an address to install from"},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, err := w.add(c.from, yes, nobody{})
				w.fails(err, c.code, c.text)
			})
		}
	})
	t.Run("a person agrees", func(t *testing.T) {
		w.fresh(t)
		from := w.plugin("notes", "1", `{"tool":"browser.read"}`)
		_, err := w.add(from, addFlags{}, &answers{choice: "leave it"})
		w.fails(err, ports.CodeRefused, "was not added")
		person := &answers{choice: "add it"}
		for range 2 { // the second time there is nothing to ask
			if _, err := w.add(from, addFlags{}, person); err != nil || person.asked != 1 {
				t.Fatal(err, person.asked)
			}
		}
		if _, err := w.add(w.plugin("notes", "2", `{"tool":"browser.read"}`), addFlags{}, person); err != nil || person.asked != 2 {
			t.Fatal("a changed hash is asked about", err, person.asked)
		}
	})
	t.Run("an update", func(t *testing.T) { w.testUpdate(t) })
	t.Run("a tool's name is taken", func(t *testing.T) {
		w.fresh(t)
		if _, err := w.add(w.plugin("notes", "1", ""), yes, nobody{}); err != nil {
			t.Fatal(err)
		}
		_, err := w.add(w.plugin("others", "1", ""), yes, nobody{})
		if err == nil || !strings.Contains(err.Error(), "notes offers it already") {
			t.Fatal(err)
		}
	})
	t.Run("signed", func(t *testing.T) { w.testSigned(t) })
	t.Run("from the network", func(t *testing.T) { w.testNetwork(t) })
	t.Run("changed afterwards", func(t *testing.T) { w.testTampered(t) })
}

func (w *workshop) testUpdate(t *testing.T) {
	w.fresh(t)
	yes := addFlags{yes: true}
	if _, err := w.add(w.plugin("notes", "1", `{"tool":"browser.read"}`), yes, nobody{}); err != nil {
		t.Fatal(err)
	}
	more := w.plugin("notes", "2", `{"tool":"browser.read"},{"tool":"http.fetch","origins":["https://a.example"]}`)
	_, err := w.add(more, yes, nobody{})
	if ports.CodeOf(err) != ports.CodeNeedsUser || !strings.Contains(err.Error(), "https://a.example (GET)") || !strings.Contains(w.out.String(), "NEW") {
		t.Fatal(err, w.out.String())
	}
	lock, err := readLock(w.home.lock)
	if err != nil || lock.Plugins["notes"].Version != "1" {
		t.Fatal("the old one stays", lock, err)
	}
	if _, err := w.add(more, addFlags{yes: true, grants: []string{"browser.read"}}, nobody{}); err != nil {
		t.Fatal("less than it asks", err)
	}
	if _, err := w.add(more, addFlags{yes: true, grants: []string{"browser.*", "http.fetch@https://a.example"}}, nobody{}); err != nil {
		t.Fatal("named", err)
	}
	lock, err = readLock(w.home.lock)
	if err != nil || lock.Plugins["notes"].Version != "2" || len(lock.Plugins["notes"].Grants) != 2 {
		t.Fatal(lock, err)
	}
}

func (w *workshop) testSigned(t *testing.T) {
	w.fresh(t)
	pub, priv, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signed := func(version string, key ed25519.PrivateKey) string {
		m := w.manifest("notes", version, "")
		sig := base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(m)))
		return w.pack(manifestName, m, "plugin.wasm", string(w.code), sigName, sig+"\n")
	}
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	_, stranger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key := addFlags{yes: true, key: base64.StdEncoding.EncodeToString(der)}
	_, err = w.add(signed("1", stranger), key, nobody{})
	w.fails(err, ports.CodeRefused, "not made with the key")
	_, err = w.add(w.plugin("notes", "1", ""), key, nobody{})
	w.fails(err, ports.CodeRefused, "not signed")
	_, err = w.add(signed("1", priv), addFlags{yes: true, key: "nonsense"}, nobody{})
	w.fails(err, ports.CodeUsage, "--key")
	if _, err := w.add(signed("1", priv), key, nobody{}); err != nil {
		t.Fatal(err)
	}
	// The key is pinned: updates need it, without its being given again.
	if _, err := w.add(signed("2", priv), addFlags{yes: true}, nobody{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.add(signed("3", stranger), addFlags{yes: true}, nobody{}); ports.CodeOf(err) != ports.CodeRefused {
		t.Fatal(err)
	}
}

func (w *workshop) testNetwork(t *testing.T) {
	w.fresh(t)
	files := map[string]string{"/p/plugin.json": w.manifest("notes", "1", ""), "/p/plugin.wasm": string(w.code),
		"/n.tar.gz": string(tarred(t, packed{name: "n/plugin.json", text: w.manifest("notes", "2", "")}, packed{name: "n/plugin.wasm", text: string(w.code)}))}
	away := httptest.NewServer(http.NotFoundHandler())
	defer away.Close()
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch body, ok := files[r.URL.Path]; {
		case r.URL.Path == "/away":
			http.Redirect(rw, r, away.URL, http.StatusFound)
		case r.URL.Path == "/endless":
			for { // until the reader has had enough
				if _, err := rw.Write(make([]byte, 1<<20)); err != nil {
					return
				}
			}
		case !ok:
			http.NotFound(rw, r)
		default:
			_, _ = io.WriteString(rw, body) // a reader that has gone fails the test by itself
		}
	}))
	defer srv.Close()
	for path, code := range map[string]string{"/away": ports.CodeRefused, "/none.zip": ports.CodeUsage, "/endless": ports.CodeOversized} {
		_, err := w.add(srv.URL+path, addFlags{yes: true}, nobody{})
		w.fails(err, code, "")
	}
	for _, path := range []string{"/p/plugin.json", "/n.tar.gz"} {
		if did, err := w.add(srv.URL+path, addFlags{yes: true}, nobody{}); err != nil || !strings.HasPrefix(did, "added notes") {
			t.Fatal(path, did, err)
		}
	}
}

func (w *workshop) testTampered(t *testing.T) {
	from := w.plugin("notes", "1", "")
	for name, tamper := range map[string]func(dir string) error{
		"plugin.json has changed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, manifestName), []byte(w.manifest("notes", "1", `{"tool":"browser.eval"}`)), 0o600)
		},
		"plugin.wasm has changed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "plugin.wasm"), append([]byte(nil), w.code[:100]...), 0o600)
		},
		"its files are gone": os.RemoveAll,
		"plugin.json": func(dir string) error { // a link that leads out, to a file that would fit
			out := filepath.Join(w.t.TempDir(), "m.json")
			if err := os.WriteFile(out, []byte(w.manifest("notes", "1", "")), 0o600); err != nil {
				return err
			}
			if err := os.Remove(filepath.Join(dir, manifestName)); err != nil {
				return err
			}
			return os.Symlink(out, filepath.Join(dir, manifestName))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w.fresh(t)
			if _, err := w.add(from, addFlags{yes: true}, nobody{}); err != nil {
				t.Fatal(err)
			}
			if err := tamper(filepath.Join(w.home.dir, "notes")); err != nil {
				t.Fatal(err)
			}
			a, err := build(t.Context(), w.cfg, parts{})
			if err != nil {
				t.Fatal("the others run on:", err)
			}
			defer a.close()
			if len(a.leftOut) != 1 || a.plugins["notes"] != nil || a.plugins["page"] == nil {
				t.Fatalf("%+v", a.leftOut)
			}
			if err := a.leftOut[0].Err; !strings.Contains(err.Error(), name) || !strings.Contains(ports.FixOf(err), "wb plugin add") {
				t.Fatal(err, ports.FixOf(err))
			}
			if c := a.checkInstalled(); len(c) != 1 || c[0].OK || c[0].Fix == "" {
				t.Fatalf("doctor: %+v", c)
			}
			if did, err := w.add(from, addFlags{yes: true}, nobody{}); err != nil || !strings.HasPrefix(did, "added") {
				t.Fatal("adding it again mends it:", did, err)
			}
		})
	}
}
