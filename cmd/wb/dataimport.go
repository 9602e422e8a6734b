package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	kjson "github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/secret"
	"github.com/wb-agent/wb/ports/sqlite"
)

// brought is what an import brings, or has brought.
type brought struct {
	Conversations int      `json:"conversations"`
	Known         int      `json:"known"`
	Settings      []string `json:"settings"`
	Providers     []string `json:"providers"`
	Origins       []string `json:"origins"`
	Keys          []string `json:"keys"`
}

// importData reads an export. All of it is checked before anything is stored, and what is here already stays. Without
// apply it only says what would come.
func (d *daemon) importData(ctx context.Context, a struct {
	Data       []byte `json:"data"`
	Passphrase string `json:"passphrase"`
	Apply      bool   `json:"apply"`
}) (any, error) {
	d.moving.Lock()
	defer d.moving.Unlock()
	f, err := readBundle(a.Data)
	if err != nil {
		return nil, err
	}
	fresh, err := d.freshSettings(f.Settings)
	if err != nil {
		return nil, err
	}
	runs, known, err := d.freshRuns(ctx, f.Runs)
	if err != nil {
		return nil, err
	}
	b := brought{Conversations: conversations(runs), Known: known, Settings: []string{}, Providers: []string{}, Origins: append([]string{}, fresh.Strings("allow_origins")...), Keys: append([]string{}, f.Keys...)}
	b.describe(fresh)
	if !a.Apply {
		return b, nil
	}
	var opened secret.Opened
	if a.Passphrase != "" && f.Secrets != "" {
		d.redact.Add(a.Passphrase)
		if opened, err = secret.Open(f.Secrets, a.Passphrase); err != nil {
			return nil, err
		}
	}
	return b, d.apply(ctx, fresh, runs, opened)
}

// apply stores what an import brings; after an error nothing of it is left.
func (d *daemon) apply(ctx context.Context, fresh *koanf.Koanf, runs []sqlite.Carried, opened secret.Opened) error {
	var keys []string
	stored := false
	err := d.change(func(k *koanf.Koanf) error { return k.Merge(fresh) }, func() (err error) {
		if err := d.store.Import(ctx, runs); err != nil {
			return err
		}
		stored = true
		keys, err = d.secrets.Restore(ctx, opened)
		return err
	})
	if err == nil {
		return nil
	}
	undo := context.WithoutCancel(ctx)
	for _, name := range keys {
		_ = d.secrets.Delete(undo, name) // the first error says more
	}
	if stored {
		var ids []string
		for _, r := range runs {
			ids = append(ids, r.Run.ID)
		}
		_ = d.store.Forget(undo, ids)
	}
	return err
}

// readBundle reads a file that may be anything.
func readBundle(data []byte) (bundleFile, error) {
	var f bundleFile
	bad := func(msg string) (bundleFile, error) {
		return bundleFile{}, ports.NewError(ports.CodeInvalidArgs, "this file cannot be imported: "+msg, "choose a file that wb exported")
	}
	if len(data) > maxExport {
		return bad("it is larger than 40 MB")
	}
	var r io.Reader = bytes.NewReader(data)
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return bad("it is damaged")
		}
		r = z
	}
	in := &io.LimitedReader{R: r, N: maxBundle}
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields()
	switch err := dec.Decode(&f); {
	case in.N == 0:
		return bad("it holds too much")
	case f.Format == exportFormat && f.Version > exportVersion:
		return bad(fmt.Sprintf("it is of format %d, and this wb reads %d; install a newer wb", f.Version, exportVersion))
	case err != nil:
		return bad("it is no export, or damaged")
	case f.Format != exportFormat || f.Version != exportVersion:
		return bad("it is no export")
	}
	if _, err := dec.Token(); err != io.EOF {
		return bad("something follows its end")
	}
	return f, nil
}

// freshSettings are the settings of a file that nobody has set on the page here. Its providers are held to what the
// page may say.
func (d *daemon) freshSettings(raw json.RawMessage) (*koanf.Koanf, error) {
	fresh := koanf.New(".")
	if len(raw) == 0 {
		return fresh, nil
	}
	in := koanf.New(".")
	if err := in.Load(rawbytes.Provider(raw), kjson.Parser()); err != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "its settings are damaged", "")
	}
	if err := knownSettings(in); err != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "its settings: "+err.Error(), "choose a file that wb exported")
	}
	here := d.config().layers.page().k
	for _, key := range in.Keys() {
		if strings.HasPrefix(key, "providers.") || here.Exists(key) {
			continue
		}
		v, err := d.importable(key, in)
		if err == nil {
			err = fresh.Set(key, v)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, id := range in.MapKeys("providers") {
		if here.Exists("providers." + id) {
			continue
		}
		if err := providerOf(id, in.Cut("providers."+id)); err != nil {
			return nil, err
		}
		if err := fresh.Set("providers."+id, in.Get("providers."+id)); err != nil {
			return nil, err
		}
	}
	page := d.config().layers.page()
	page.k = page.k.Copy()
	if err := page.k.Merge(fresh); err != nil {
		return nil, err
	}
	next, err := d.config().withSettings(page)
	if err == nil && next.Providers[next.Provider].Family == "" {
		fresh.Delete("provider") // it stood in a file that did not come along
	}
	return fresh, err
}

// importable is a setting's value as the page would have set it.
func (d *daemon) importable(key string, in *koanf.Koanf) (any, error) {
	switch key {
	case "provider": // it may come with the file
		return in.String(key), nil
	case "allow_origins":
		for _, o := range in.Strings(key) {
			if guard.OriginOf(o) != o || o == "" {
				return nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("this file cannot be imported: %.200q is no origin", o), "choose a file that wb exported")
			}
		}
		return in.Strings(key), nil
	}
	return d.config().validSetting(key, ports.JSON(in.Get(key)))
}

// providerOf holds an imported provider to the rules of one that is typed in. It may name no key but its own.
func providerOf(id string, k *koanf.Koanf) error {
	p := newProvider{ID: id, Family: k.String("family"), BaseURL: k.String("base_url"), Model: k.String("model"), Context: k.Int("context"), Vision: k.Bool("vision"), Tier: k.String("tier")}
	if err := p.check(); err != nil {
		return err
	}
	if s := k.String("secret"); s != "" && s != id {
		return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("the provider %s names a key that is not its own", id), "choose a file that wb exported")
	}
	return nil
}

func (b *brought) describe(fresh *koanf.Koanf) {
	for _, id := range fresh.MapKeys("providers") {
		b.Providers = append(b.Providers, id+": "+fresh.String("providers."+id+".base_url"))
	}
	for _, key := range fresh.Keys() {
		if !strings.HasPrefix(key, "providers.") && key != "allow_origins" {
			b.Settings = append(b.Settings, key)
		}
	}
	slices.Sort(b.Providers)
}

func conversations(runs []sqlite.Carried) int {
	talks := map[string]bool{}
	for _, r := range runs {
		if t := taskOf(r.Run); t.Session != "" {
			talks[t.Session] = true
		}
	}
	return len(talks)
}

// Forms of what a record names; they end in file names, logs and pages.
var (
	idForm   = regexp.MustCompile(`^[0-9A-Za-z-]{1,64}$`)
	toolForm = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,79}$`)
	fromForm = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
)

// freshRuns are the runs of a file that are not here, and how many conversations of it are.
func (d *daemon) freshRuns(ctx context.Context, all []sqlite.Carried) (fresh []sqlite.Carried, known int, err error) {
	here, err := d.store.Runs(ctx, 1_000_000)
	if err != nil {
		return nil, 0, err
	}
	have := map[string]bool{}
	for _, r := range here {
		have[r.ID] = true
	}
	var old []sqlite.Carried
	for _, c := range all {
		if err := harmless(&c); err != nil {
			return nil, 0, err
		}
		if have[c.Run.ID] {
			old = append(old, c)
			continue
		}
		have[c.Run.ID] = true
		fresh = append(fresh, c)
	}
	return fresh, conversations(old), nil
}

// harmless checks an imported run and takes from it what would let it act: it has ended, and nobody ever allowed it
// anything here.
func harmless(c *sqlite.Carried) error {
	r := &c.Run
	bad := func(what string) error {
		return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("this file cannot be imported: a task has no possible %s", what), "choose a file that wb exported")
	}
	statuses := []string{agent.StatusSuccess, agent.StatusPartial, agent.StatusFailed, agent.StatusRefused, agent.StatusNeedsUser, agent.StatusStopped, "interrupted"}
	switch {
	case !idForm.MatchString(r.ID) || r.Parent != "" && !idForm.MatchString(r.Parent):
		return bad("name")
	case !slices.Contains(statuses, r.Status):
		return bad("end")
	case len(r.Goal) > 100_000:
		return bad("text")
	}
	var err error
	if r.Spec, err = unarmed(r.Spec); err != nil {
		return bad("description")
	}
	if len(r.State) > 0 {
		var s map[string]json.RawMessage
		if err := json.Unmarshal(r.State, &s); err != nil {
			return bad("transcript")
		}
		var m []ports.Message
		if err := json.Unmarshal(s["messages"], &m); s["messages"] != nil && err != nil {
			return bad("transcript")
		}
		if s["task"], err = unarmed(s["task"]); err != nil {
			return bad("transcript")
		}
		r.State = ports.JSON(s)
	}
	for _, rec := range c.Calls {
		known := rec.From == "" || fromForm.MatchString(rec.From)
		if !idForm.MatchString(rec.ID) || rec.Run != r.ID || !known || !toolForm.MatchString(rec.Tool) || rec.ArgsBlob != "" || rec.ResultBlob != "" {
			return bad("record")
		}
	}
	return nil
}

// unarmed is a task without what it was allowed.
func unarmed(raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return raw, nil
	}
	var t agent.Task
	if err := json.Unmarshal(raw, &t); err != nil {
		return nil, err
	}
	if t.Session != "" && !idForm.MatchString(t.Session) {
		return nil, fmt.Errorf("session %.70q", t.Session)
	}
	t.Origins, t.Resume = nil, ""
	return ports.JSON(t), nil
}
