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

// A provider is added with a key, tried, used at once without a restart, and taken away again with its key.
func TestProviderByTheWire(t *testing.T) {
	r, model := newSettingsRig(t, "key: "+canary+"\nrules:\n  - reply: {text: \"ready\"}\n")
	o := r.asks()
	var s struct {
		Provider  string
		Welcome   bool
		Providers []providerInfo
	}
	o.into(&s, "state", obj{})
	if !s.Welcome || len(s.Providers) != 1 || s.Providers[0].Ready {
		t.Errorf("before: %+v", s)
	}
	o.ask("providers.save", provider("mine", model, canary))
	o.into(&s, "state", obj{})
	if s.Provider != "mine" || s.Welcome {
		t.Errorf("the first provider that works is not the default: %+v", s)
	}
	var tried struct{ Text string }
	o.into(&tried, "providers.test", obj{"id": "mine"})
	if tried.Text != "ready" {
		t.Errorf("test: %+v", tried)
	}
	var models struct{ Models []string }
	o.into(&models, "models", obj{"provider": "mine"})
	if len(models.Models) == 0 {
		t.Error("no models")
	}
	o.begin("Say ready", "", "ask")
	if out := r.outcome(o, 1); out.Status != "success" {
		t.Errorf("a run with it: %+v", out)
	}
	var list providerList
	for _, method := range []string{"state", "providers.list", "settings.get", "grants.list", "clients.list", "about", "data.summary", "data.export", "session.list", "status"} {
		for _, v := range o.ask(method, obj{}) {
			var file []byte
			if method == "data.export" && json.Unmarshal(v, &file) == nil && bytes.HasPrefix(file, []byte{0x1f, 0x8b}) {
				v = plain(t, file)
			}
			if strings.Contains(string(v), canary) {
				t.Errorf("the key came back from %s", method)
			}
		}
	}
	o.into(&list, "providers.list", obj{})
	i := 0
	for i < len(list.Providers) && list.Providers[i].ID != "mine" {
		i++
	}
	if i == len(list.Providers) || list.Providers[i].Key != "file" || !list.Providers[i].Own || len(list.Catalog) < 30 {
		t.Fatalf("%+v", list.Providers)
	}
	if diff := cmp.Diff([]string{"secrets.json"}, filesWith(t, r.cfg.DataDir, canary)); diff != "" {
		t.Errorf("files that hold the key (-want +got):\n%s", diff)
	}
	o.ask("providers.remove", obj{"id": "mine"})
	o.into(&s, "state", obj{})
	if s.Provider != "openai" || len(filesWith(t, r.cfg.DataDir, canary)) != 0 {
		t.Errorf("after: %+v, the key is in %v", s, filesWith(t, r.cfg.DataDir, canary))
	}
}

// What the page says of a provider that a person's file names is taken back alone: the file, and the key that it names,
// stay.
func TestProviderOfAFile(t *testing.T) {
	r, model := newSettingsRig(t, "rules:\n  - reply: {text: \"ready\"}\n")
	r.write(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "wb", "config.yaml"), "providers:\n  team: {family: openai, base_url: \""+model+"\", model: theirs, secret: team}\n", 0o600)
	r.restart()
	o := r.asks()
	o.ask("providers.save", provider("team", model, canary))
	entry := func() (e providerEntry) {
		var l providerList
		o.into(&l, "providers.list", obj{})
		for _, p := range l.Providers {
			if p.ID == "team" {
				e = p
			}
		}
		return e
	}
	if e := entry(); e.Model != "m" || !e.Own || e.Key != "file" {
		t.Errorf("%+v", e)
	}
	o.ask("providers.remove", obj{"id": "team"})
	if e := entry(); e.Model != "theirs" || e.Own || e.Key != "file" || !strings.HasSuffix(e.Origin, "config.yaml") {
		t.Errorf("%+v", e)
	}
}

// What cannot work, or would send a key to the wrong place, is refused in words that do not hold the key.
func TestProviderRefusals(t *testing.T) {
	r, model := newSettingsRig(t, "rules:\n  - reply: {text: \"ready\"}\n")
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	cases := map[string]obj{
		"name":               provider("Mine.x", model, canary),
		"path for a name":    provider("../x", model, canary),
		"address":            provider("a", "nowhere", canary),
		"address, password":  provider("a", "https://u:p@h.example/v1", canary),
		"in the clear":       provider("a", "http://h.example/v1", canary),
		"file":               provider("a", "file:///etc/passwd", canary),
		"key of two lines":   provider("a", model, canary+"\nX: y"),
		"another's address":  provider("mine", "https://evil.example/v1", ""),
		"one more field":     obj{"id": "a", "secret": "OPENAI"},
		"window of nothing":  func() obj { p := provider("a", model, canary); p["context"] = 0; return p }(),
		"family":             func() obj { p := provider("a", model, canary); p["family"] = "x"; return p }(),
		"model of two lines": func() obj { p := provider("a", model, canary); p["model"] = "m\nn"; return p }(),
	}
	before, err := os.ReadFile(r.cfg.settingsFile())
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range cases {
		t.Run(name, func(t *testing.T) {
			if _, text := o.refused("providers.save", p); strings.Contains(text, canary) {
				t.Errorf("the key is quoted: %s", text)
			}
			if after, err := os.ReadFile(r.cfg.settingsFile()); err != nil || !bytes.Equal(before, after) {
				t.Errorf("something was written: %s %v", after, err)
			}
		})
	}
	if _, text := o.refused("providers.test", obj{"id": "openai"}); !strings.Contains(text, "wb secret set") {
		t.Errorf("a test without a key does not say what to do: %s", text)
	}
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

// An address that only the page set binds no key that lies elsewhere.
func TestSettingsBindNoKey(t *testing.T) {
	dir := t.TempDir()
	b, err := json.Marshal(obj{"providers": obj{"openai": obj{"family": "openai", "base_url": "https://evil.example/v1", "secret": "openai"}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("WB_SECRET_OPENAI", canary)
	cfg, err := loadConfig("", map[string]any{"data_dir": dir})
	if err != nil {
		t.Fatal(err)
	}
	bind, err := cfg.bindings()
	if err != nil {
		t.Fatal(err)
	}
	s, err := cfg.secrets(bind).Secret(t.Context(), "openai")
	if err != nil || cmp.Diff([]string{"https://api.openai.com"}, s.Origins) != "" {
		t.Errorf("%v %v", s.Origins, err)
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
