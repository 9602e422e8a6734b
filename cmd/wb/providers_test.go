package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
