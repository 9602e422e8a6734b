package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/local"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
	"github.com/wb-agent/wb/testdata/shop"
)

// newSettingsRig is a daemon of somebody who has set up nothing, beside the shop and a scripted model at the
// address that it returns.
func newSettingsRig(t *testing.T, book string) (r *daemonRig, model string) {
	t.Helper()
	return newOllamaRig(t, book, "")
}

// newOllamaRig is one on whose computer a server of the kind Ollama serves the scripted model under that name.
func newOllamaRig(t *testing.T, book, ollama string) (r *daemonRig, model string) {
	t.Helper()
	needBrowser(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "") // keys go to the file, never to the keyring of who runs the tests
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	r = &daemonRig{t: t, shop: shop.New()}
	site := httptest.NewServer(r.shop)
	t.Cleanup(site.Close)
	rules, err := mockmodel.Parse([]byte(book))
	if err != nil {
		t.Fatal(err)
	}
	r.url, r.mock = site.URL, mockmodel.New(rules)
	mux := http.NewServeMux()
	mux.Handle("/v1/", r.mock)
	if ollama != "" {
		for path, says := range map[string]any{"/api/version": obj{"version": "0.12.3"}, "/api/tags": obj{"models": []any{obj{"name": ollama}}}, "/api/ps": obj{"models": []any{obj{"name": ollama, "context_length": 32768}}}} {
			mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(ports.JSON(says))
			})
		}
	}
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	flags := map[string]any{"data_dir": t.TempDir(), "listen": "127.0.0.1:0", "local_servers.ollama": srv.Listener.Addr().String()}
	for _, other := range local.Kinds()[1:] {
		flags["local_servers."+other] = "127.0.0.1:1" // nobody is there
	}
	if r.cfg, err = loadConfig("", flags); err != nil {
		t.Fatal(err)
	}
	r.start()
	t.Cleanup(r.end)
	return r, srv.URL + "/v1"
}

// restart ends the daemon and starts another, which reads its configuration anew.
func (r *daemonRig) restart() {
	r.t.Helper()
	r.end()
	<-r.done
	cfg, err := loadConfig("", map[string]any{"data_dir": r.cfg.DataDir, "listen": r.at})
	if err != nil {
		r.t.Fatal(err)
	}
	r.cfg = cfg
	r.start()
}

// asks is a panel of this computer's page.
func (r *daemonRig) asks() *onlooker {
	r.t.Helper()
	var c relay.Client
	r.own(&c)
	return r.look(c)
}

// refused asks for what must not be done, and returns the answer's code and words.
func (o *onlooker) refused(method string, params any) (code, text string) {
	o.t.Helper()
	err := o.Call(o.t.Context(), method, params, nil)
	if err == nil {
		o.t.Fatalf("%s %v was accepted", method, params)
	}
	return ports.CodeOf(err), err.Error() + ports.FixOf(err)
}

func (o *onlooker) into(v any, method string, params any) {
	o.t.Helper()
	if err := o.Call(o.t.Context(), method, params, v); err != nil {
		o.t.Fatalf("%s: %v", method, err)
	}
}

// canary is a key that must be found nowhere but in the file of secrets.
const canary = "sk-canary-7f3c9e5d1b2a4860"

func provider(id, base, key string) obj {
	return obj{"id": id, "family": "openai", "base_url": base, "model": "m", "context": 32000, "vision": false, "tier": "full", "key": key}
}

// filesWith names the files below a folder that hold a text.
func filesWith(t *testing.T, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if bytes.Contains(b, []byte(text)) {
			files = append(files, filepath.Base(p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A setting that is changed is stored, survives the daemon, is told to every panel, and leaves the person's own
// files alone; one that something stronger sets is locked.
func TestSettingsByTheWire(t *testing.T) {
	r, _ := newSettingsRig(t, "rules:\n  - reply: {text: \"ready\"}\n")
	o := r.asks()
	own := filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "wb", "config.yaml")
	r.write(own, "# mine\nmode: ask # for safety\n", 0o600)
	for key, v := range map[string]any{"mode": "dev", "panel.theme": "dark", "panel.verbose": 2, "max_steps": 7, "timeout": "5m", "panel.locale": "de", "retention.age": "24h"} {
		o.ask("settings.set", obj{"key": key, "value": v})
	}
	for key, v := range map[string]any{"mode": "all", "panel.theme": "red", "panel.verbose": 9, "max_steps": 0, "timeout": "5", "listen": "0.0.0.0:1", "data_dir": "/tmp", "browser.path": "/bin/sh", "policy": "/x", "provider": "none", "panel.locale": "../x"} {
		o.refused("settings.set", obj{"key": key, "value": v})
	}
	r.end()
	<-r.done
	if b, err := os.ReadFile(own); err != nil || string(b) != "# mine\nmode: ask # for safety\n" {
		t.Errorf("the person's file: %q %v", b, err)
	}
	cfg, err := loadConfig("", map[string]any{"data_dir": r.cfg.DataDir, "max_steps": 9})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Mode != "dev" || cfg.MaxSteps != 9 || cfg.Panel != (PanelConfig{Locale: "de", Theme: "dark", Verbose: 2}) {
		t.Errorf("%+v", cfg)
	}
	cfg.Listen, r.cfg = "127.0.0.1:0", cfg
	r.start()
	o = r.asks()
	var now settingsNow
	o.into(&now, "settings.get", obj{})
	if now.Locked["max_steps"] != "flags" || now.Locked["mode"] != "" || now.Values["mode"] != "dev" || now.Values["timeout"] != "5m" {
		t.Errorf("%+v", now)
	}
	if _, text := o.refused("settings.set", obj{"key": "max_steps", "value": 3}); !strings.Contains(text, "flags") {
		t.Error(text)
	}
}

// A file of settings that is damaged, or sets what the page cannot, stops wb with a word about what to do.
func TestSettingsFileIsChecked(t *testing.T) {
	for name, text := range map[string]string{
		"damaged": `{"mode":`, "another key": `{"browser":{"path":"/bin/sh"}}`, "wrong type": `{"max_steps":{}}`, "headers": `{"providers":{"a":{"headers":{"x":"{{secret:OPENAI}}"}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := loadConfig("", map[string]any{"data_dir": dir})
			if ports.CodeOf(err) != ports.CodeUsage || ports.FixOf(err) == "" {
				t.Errorf("%v", err)
			}
		})
	}
}

// Sites that every run may write to are listed with who said so, and those of the page can be taken back.
func TestGrants(t *testing.T) {
	r, _ := newSettingsRig(t, "rules:\n  - reply: {text: \"ready\"}\n")
	o := r.asks()
	o.ask("grants.add", obj{"origin": "https://shop.example/cart?x=1"})
	o.refused("grants.add", obj{"origin": "javascript:alert(1)"})
	var l struct{ Grants []grant }
	o.into(&l, "grants.list", obj{})
	want := []grant{{Origin: "https://shop.example", Do: []string{"write"}, By: r.cfg.settingsFile(), Own: true}}
	if diff := cmp.Diff(want, l.Grants); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	o.ask("grants.revoke", obj{"origin": "https://shop.example"})
	o.into(&l, "grants.list", obj{})
	if len(l.Grants) != 0 {
		t.Errorf("%+v", l.Grants)
	}
}

// A browser that is disconnected is out at once, and cannot come back with what it holds.
func TestClientsRevoked(t *testing.T) {
	r, _ := newSettingsRig(t, talk)
	o := r.asks()
	c := relay.NewClient("Chrome 156 on Linux", "chromium", "", time.Now())
	s, err := sqlite.Open(t.Context(), filepath.Join(r.cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := (clients{s}).Keep(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	other := r.look(c)
	var l struct{ Clients []clientInfo }
	o.into(&l, "clients.list", obj{})
	if !slices.ContainsFunc(l.Clients, func(i clientInfo) bool { return i.ID == c.ID && i.Name == c.Name }) {
		t.Errorf("%+v", l)
	}
	if raw := string(o.ask("clients.list", obj{})["clients"]); strings.Contains(raw, c.Token) {
		t.Error("tokens are told")
	}
	o.ask("clients.revoke", obj{"id": c.ID})
	<-other.Done()
	_, err = relay.Dial(t.Context(), "ws://"+r.at+"/ws", "http://"+r.at, c, relay.RolePanel, func(string, json.RawMessage) {})
	if ports.CodeOf(err) != ports.CodeAuth {
		t.Errorf("it came back: %v", err)
	}
}

// What runs here, and what is wrong with it, is what the command line says too.
func TestAboutByTheWire(t *testing.T) {
	r, model := newOllamaRig(t, talk, "tiny:1b")
	o := r.asks()
	var about struct {
		Version, Address string
		Paths            map[string]string
	}
	o.into(&about, "about", obj{})
	if about.Version != version || about.Address != r.at || about.Paths["settings"] != r.cfg.settingsFile() {
		t.Errorf("%+v", about)
	}
	o.ask("providers.save", provider("mine", model, canary))
	var d struct{ Checks []check }
	o.into(&d, "doctor", obj{})
	var names []string
	for _, c := range d.Checks {
		names = append(names, c.Name)
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if diff := cmp.Diff([]string{"storage", "browser", "plugins", "added plugins", "browser starts", "model mine"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var w struct{ Context int }
	o.into(&w, "providers.window", obj{"base_url": model, "model": "tiny:1b"})
	if w.Context != 32768 {
		t.Errorf("%+v", w)
	}
	o.ask("providers.save", provider("mine", model, "sk-another-key-0123456"))
	if code, text := o.refused("providers.test", obj{"id": "mine"}); code != ports.CodeAuth || strings.Contains(text, "sk-another") {
		t.Errorf("a wrong key: %s: %s", code, text)
	}
}
