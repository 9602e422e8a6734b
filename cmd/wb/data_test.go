package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/panel"
)

// told are a conversation's events as a panel that opens it is told them.
func (r *daemonRig) told(session string) []panel.Event {
	r.t.Helper()
	n := r.asks()
	n.ask("session.watch", obj{"id": session, "since": 0})
	r.wait("events", func() bool { return len(n.events(ports.EventRunEnd)) > 0 })
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.ev
}

func plain(t *testing.T, export []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(export))
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const talk = `key: ` + canary + `
rules:
  - when: {turn: 1}
    reply: {text: "I look first.", calls: [{tool: get_accessibility_tree, args: {}}]}
  - reply: {text: "Nothing is **open** yet."}
`

// What is exported and deleted comes back with an import as it was, keys with their passphrase; a key is in no file
// that was asked for without one.
func TestExportDeleteImport(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	o.ask("settings.set", obj{"key": "panel.theme", "value": "dark"})
	o.ask("grants.add", obj{"origin": "https://shop.example"})
	session := o.begin("What is open here?", "", "ask")
	if out := r.outcome(o, 1); out.Status != "success" {
		t.Fatalf("%+v", out)
	}
	r.restart() // so that the conversation is read from the store, as it will be afterwards
	o = r.asks()
	before := r.told(session)
	settings, err := os.ReadFile(r.cfg.settingsFile())
	if err != nil {
		t.Fatal(err)
	}

	var bare, full struct {
		Name string
		Data []byte
	}
	o.into(&bare, "data.export", obj{})
	o.into(&full, "data.export", obj{"passphrase": "correct horse"})
	for name, b := range map[string][]byte{"without": plain(t, bare.Data), "with": plain(t, full.Data)} {
		if bytes.Contains(b, []byte(canary)) || !bytes.Contains(b, []byte("What is open here?")) {
			t.Errorf("the export %s passphrase holds the key in the clear, or no conversation", name)
		}
	}
	if bytes.Contains(plain(t, bare.Data), []byte("AGE ENCRYPTED")) || !bytes.Contains(plain(t, full.Data), []byte("AGE ENCRYPTED")) {
		t.Error("keys come along without a passphrase, or not with one")
	}

	o.ask("data.delete", obj{"what": "everything"})
	<-o.Done() // its pairing is forgotten
	if files := filesWith(t, r.cfg.DataDir, "What is open here?"); len(files) > 0 {
		t.Errorf("deleted, and still in %v", files)
	}
	if files := filesWith(t, r.cfg.DataDir, canary); len(files) > 0 {
		t.Errorf("the key is still in %v", files)
	}
	o = r.asks()
	var s summary
	o.into(&s, "data.summary", obj{})
	if s.Conversations != 0 || s.Runs != 0 || len(s.Keys) != 0 {
		t.Errorf("left: %+v", s)
	}

	var b brought
	o.into(&b, "data.import", obj{"data": full.Data, "apply": false})
	want := brought{Conversations: 1, Settings: []string{"panel.theme", "provider"}, Providers: []string{"mine: " + model}, Origins: []string{"https://shop.example"}, Keys: []string{"MINE"}}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("preview (-want +got):\n%s", diff)
	}
	if o.into(&s, "data.summary", obj{}); s.Runs != 0 {
		t.Error("looking at it imported it")
	}
	o.refused("data.import", obj{"data": full.Data, "apply": true, "passphrase": "wrong passphrase"})
	if o.into(&s, "data.summary", obj{}); s.Runs != 0 {
		t.Error("half an import")
	}
	o.ask("data.import", obj{"data": full.Data, "apply": true, "passphrase": "correct horse"})
	if diff := cmp.Diff(before, r.told(session)); diff != "" {
		t.Errorf("the conversation (-was +is):\n%s", diff)
	}
	if got, err := os.ReadFile(r.cfg.settingsFile()); err != nil || cmp.Diff(string(settings), string(got)) != "" {
		t.Errorf("the settings (-was +is):\n%s %v", cmp.Diff(string(settings), string(got)), err)
	}
	var tried struct{ Text string }
	o.into(&tried, "providers.test", obj{"id": "mine"})
	o.into(&b, "data.import", obj{"data": full.Data, "apply": true})
	if b.Conversations != 0 || b.Known != 1 || len(b.Settings)+len(b.Providers) != 0 {
		t.Errorf("a second import: %+v", b)
	}
}

// Deleting conversations leaves settings and keys, and the panel's own memory of them goes.
func TestDeleteConversations(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	o.begin("What is open here?", "", "ask")
	r.outcome(o, 1)
	o.ask("data.delete", obj{"what": "conversations"})
	var l struct{ Sessions []panel.Info }
	if o.into(&l, "session.list", obj{}); len(l.Sessions) != 0 {
		t.Errorf("%+v", l)
	}
	var s summary
	if o.into(&s, "data.summary", obj{}); s.Runs != 0 || len(s.Keys) != 1 {
		t.Errorf("%+v", s)
	}
	if files := filesWith(t, r.cfg.DataDir, "What is open here?"); len(files) > 0 {
		t.Errorf("still in %v", files)
	}
	o.refused("data.delete", obj{"what": "all"})
}

// A file that is no export, or a hostile one, changes nothing.
func TestImportHostile(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	run := func(change func(run, rec map[string]any)) string {
		rec := obj{"id": "x1-1", "run": "x1", "from": "model", "tool": "click_ax", "at": "2026-12-01T00:00:00Z", "seq": 0, "status": "ok"}
		one := obj{"id": "x1", "goal": "g", "status": "success", "spec": obj{"goal": "g", "session": "s1"}, "started": "2026-12-01T00:00:00Z"}
		change(one, rec)
		return string(ports.JSON(obj{"format": "wb-export", "version": 1, "at": "2026-12-01T00:00:00Z", "runs": []any{obj{"run": one, "calls": []any{rec}}}}))
	}
	settings := func(s obj) string {
		return string(ports.JSON(obj{"format": "wb-export", "version": 1, "at": "2026-12-01T00:00:00Z", "settings": s}))
	}
	entry := func(change obj) obj {
		e := obj{"family": "openai", "base_url": "https://x.example/v1", "model": "m", "context": 16384, "tier": "full", "secret": "evil"}
		for k, v := range change {
			e[k] = v
		}
		return obj{"providers": obj{"evil": e}}
	}
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write([]byte(`{"format":"wb-export","version":1,"secrets":"`))
	for range 600 {
		_, _ = z.Write(bytes.Repeat([]byte{'x'}, 1<<20))
	}
	_ = z.Close()
	cases := map[string]string{
		"nothing":                 "",
		"no json":                 "hello",
		"another json":            `{"format":"x","version":1}`,
		"a newer version":         `{"format":"wb-export","version":2}`,
		"one more field":          `{"format":"wb-export","version":1,"exec":"x"}`,
		"two of them":             `{"format":"wb-export","version":1}{}`,
		"half a gzip":             string(bomb.Bytes()[:1000]),
		"a bomb":                  bomb.String(),
		"a run that goes on":      run(func(r, _ map[string]any) { r["status"] = "running" }),
		"a name that is a path":   run(func(r, _ map[string]any) { r["id"] = "../x" }),
		"a record of another run": run(func(_, rec map[string]any) { rec["run"] = "y" }),
		"a blob":                  run(func(_, rec map[string]any) { rec["result_blob"] = strings.Repeat("0", 64) }),
		"a session of markup":     run(func(r, _ map[string]any) { r["spec"] = obj{"session": "<img>"} }),
		"a damaged transcript":    run(func(r, _ map[string]any) { r["state"] = obj{"messages": "x"} }),
		"one call twice":          strings.Replace(run(func(_, _ map[string]any) {}), `"calls":[`, `"calls":[{"id":"x1-1","run":"x1","from":"model","tool":"a","at":"2026-12-01T00:00:00Z","seq":0},`, 1),
		"a setting that starts":   settings(obj{"browser": obj{"path": "/bin/sh"}}),
		"where data lie":          settings(obj{"data_dir": "/tmp"}),
		"a theme of its own":      settings(obj{"panel": obj{"theme": "x"}}),
		"a negative time":         settings(obj{"timeout": "-1h"}),
		"no origin":               settings(obj{"allow_origins": []string{"https://a.example/path"}}),
		"steps without end":       settings(obj{"max_steps": 1e9}),
		"a key of another":        settings(entry(obj{"secret": "mine"})),
		"a key in the clear":      settings(entry(obj{"base_url": "http://x.example/v1"})),
		"a header":                settings(entry(obj{"headers": obj{"x": "{{secret:MINE}}"}})),
		"a key for a secret":      settings(entry(obj{"secret": "sk-0123456789abcdef0123456789abcdef"})),
	}
	file := r.cfg.settingsFile()
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			o.refused("data.import", obj{"data": []byte(text), "apply": true})
			var s summary
			o.into(&s, "data.summary", obj{})
			after, err := os.ReadFile(file)
			if s.Runs != 0 || err != nil || !bytes.Equal(before, after) {
				t.Errorf("something came in: %+v %v", s, err)
			}
		})
	}
	// What can be imported was allowed nothing here, whatever it says of itself.
	o.ask("data.import", obj{"apply": true, "data": []byte(run(func(r, _ map[string]any) {
		r["spec"] = obj{"goal": "g", "session": "s1", "origins": []string{"https://bank.example"}}
		r["state"] = obj{"task": obj{"goal": "g", "origins": []string{"https://bank.example"}}, "messages": []any{}}
	}))})
	if files := filesWith(t, r.cfg.DataDir, "bank.example"); len(files) > 0 {
		t.Errorf("origins came along: %v", files)
	}
}

func FuzzReadBundle(f *testing.F) {
	f.Add([]byte(`{"format":"wb-export","version":1,"runs":[{"run":{"id":"x"}}]}`))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readBundle(b)
		if err == nil && (got.Format != exportFormat || got.Version != exportVersion) {
			t.Errorf("%+v", got)
		}
		for i := range got.Runs {
			_ = harmless(&got.Runs[i])
		}
	})
}
