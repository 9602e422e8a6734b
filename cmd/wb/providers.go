package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/secret"
)

// providerEntry is a model endpoint as the settings page shows it. Its key never comes along.
type providerEntry struct {
	providerInfo
	BaseURL string `json:"base_url"`
	Context int    `json:"context"`
	Tier    string `json:"tier"`
	Key     string `json:"key"`    // environment, keyring or file; "" where there is none
	Origin  string `json:"origin"` // what set its address
	Own     bool   `json:"own"`    // the page set it, and can take it away
}

// providerList is all that the page's first section shows.
type providerList struct {
	Providers []providerEntry `json:"providers"`
	Catalog   []offer         `json:"catalog"`
	Provider  string          `json:"provider"` // the default
	Locked    string          `json:"locked,omitempty"`
}

func (d *daemon) listProviders(ctx context.Context, _ struct{}) (any, error) {
	c := d.config()
	offers, err := catalog()
	if err != nil {
		return nil, err
	}
	l := providerList{Providers: []providerEntry{}, Catalog: offers, Provider: c.Provider, Locked: c.layers.locked("provider")}
	keys := d.keys(ctx)
	for _, e := range c.chosen(keys) {
		p := providerEntry{providerInfo: d.shown(ctx, e), BaseURL: e.BaseURL, Context: e.Context, Tier: string(e.Tier), Key: keys.of(e.Secret).Source,
			Origin: c.layers.origin("providers." + e.ID + ".base_url"), Own: c.layers.page().k.Exists("providers." + e.ID)}
		p.Own = p.Own || p.Key != "" && p.Key != secret.InEnv && p.Origin == "defaults"
		l.Providers = append(l.Providers, p)
	}
	return l, nil
}

// chosen are the endpoints that somebody has set up: by a file, by the page, or by giving a key to one of the
// defaults. The default one is always there.
func (c *Config) chosen(keys keys) []ports.Endpoint {
	var out []ports.Endpoint
	for id, e := range c.endpoints() {
		if id == c.Provider || keys.of(e.Secret).Source != "" || c.layers.sets("providers."+id) {
			out = append(out, e)
		}
	}
	slices.SortFunc(out, func(a, b ports.Endpoint) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// keys are the secrets there are, by name, without their values.
type keys map[string]secret.Entry

// keys asks every place once. One that cannot be asked holds no key that could be used.
func (d *daemon) keys(ctx context.Context) keys {
	out := keys{}
	entries, _ := d.secrets.List(ctx)
	for _, e := range entries {
		if _, better := out[e.Name]; !better {
			out[e.Name] = e
		}
	}
	return out
}

// of is the secret of a name as a config writes it; empty if it is nowhere.
func (k keys) of(name string) secret.Entry {
	n, err := secret.Canonical(name)
	if name == "" || err != nil {
		return secret.Entry{}
	}
	return k[n]
}

// newProvider is what the page says of an endpoint. A key is kept, and never comes back.
type newProvider struct {
	ID      string `json:"id"`
	Family  string `json:"family"`
	BaseURL string `json:"base_url"`
	Model   string `json:"model"`
	Context int    `json:"context"`
	Vision  bool   `json:"vision"`
	Tier    string `json:"tier"`
	Key     string `json:"key,omitempty"`
}

var providerID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// check refuses what cannot work or would send a key in the clear; no error quotes the key.
func (p *newProvider) check() error {
	wrong := func(msg, fix string) error { return ports.NewError(ports.CodeInvalidArgs, msg, fix) }
	p.BaseURL, p.Model = strings.TrimRight(strings.TrimSpace(p.BaseURL), "/"), strings.TrimSpace(p.Model)
	u, err := url.Parse(p.BaseURL)
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	switch {
	case !providerID.MatchString(p.ID):
		return wrong(fmt.Sprintf("the name %.60q is not possible", p.ID), "use lower-case letters, digits and -, beginning with a letter")
	case !slices.Contains([]string{"openai", "anthropic"}, p.Family):
		return wrong(fmt.Sprintf("family %.40q is not known", p.Family), "use openai (nearly all) or anthropic")
	case err != nil || guard.OriginOf(p.BaseURL) == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return wrong("the address is none", "write it like https://host/v1")
	case u.Scheme != "https" && !guard.Private(guard.OriginOf(p.BaseURL)):
		return wrong("the address would send your pages and your key unencrypted", "use https://; http:// is for servers on this computer or its network")
	case len(p.BaseURL) > 500 || len(p.Model) > 200 || strings.ContainsFunc(p.Model, unprintable):
		return wrong("the address or the model's name is too long or not printable", "")
	case p.Context < 1024 || p.Context > 100_000_000:
		return wrong("the context window is not possible", "give its size in tokens, such as 16384")
	case !slices.Contains([]string{"compact", "mid", "full"}, p.Tier):
		return wrong(fmt.Sprintf("%.40q is no set of tools", p.Tier), "use compact, mid or full")
	case len(p.Key) > 4096 || strings.ContainsFunc(p.Key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return wrong("the key holds characters that no key has", "copy it again")
	}
	return nil
}

func (d *daemon) saveProvider(ctx context.Context, p newProvider) (any, error) {
	p.Key = strings.TrimSpace(p.Key)
	d.redact.Add(p.Key) // before anything can quote it
	if err := p.check(); err != nil {
		return nil, err
	}
	origin := guard.OriginOf(p.BaseURL)
	name := d.secretFor(p)
	key := d.keys(ctx).of(name)
	switch {
	case p.Key == "" && key.Source != "" && !slices.Contains(key.Origins, origin):
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("the key of %s is bound to %s", p.ID, strings.Join(key.Origins, ", ")), "enter a key for the new address")
	case p.Key != "" && key.Source == secret.InEnv:
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("the key of %s comes from the environment, which wins over one that is kept", p.ID), "leave the key empty, or start wb without that variable")
	}
	return struct{}{}, d.change(func(k *koanf.Koanf) error {
		entry := map[string]any{"family": p.Family, "base_url": p.BaseURL, "model": p.Model, "context": p.Context, "vision": p.Vision, "tier": p.Tier, "secret": name}
		if err := k.Set("providers."+p.ID, entry); err != nil {
			return err
		}
		if !k.Exists("provider") && d.config().layers.locked("provider") == "" && !d.anyReady(ctx) {
			return k.Set("provider", p.ID) // the first one that works
		}
		return nil
	}, func() error {
		if p.Key == "" {
			return nil
		}
		return d.secrets.Set(ctx, name, ports.Secret{Value: p.Key, Origins: []string{origin}}, "")
	})
}

// secretFor names the key of an endpoint: its own id. A server on this computer that was given none needs none.
func (d *daemon) secretFor(p newProvider) string {
	was := d.config().Providers[p.ID].Secret
	if p.Key == "" && was == "" && guard.Private(guard.OriginOf(p.BaseURL)) {
		return ""
	}
	return firstOf(was, p.ID)
}

func (d *daemon) anyReady(ctx context.Context) bool {
	for _, e := range d.config().endpoints() {
		if d.shown(ctx, e).Ready {
			return true
		}
	}
	return false
}

// removeProvider takes away what the page set, with the key if no other entry names it.
func (d *daemon) removeProvider(ctx context.Context, a named) (any, error) {
	c := d.config()
	e, ok := c.Providers[a.ID]
	if !ok {
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("no provider %.60q", a.ID), "")
	}
	err := d.change(func(k *koanf.Koanf) error {
		k.Delete("providers." + a.ID)
		if k.String("provider") == a.ID {
			k.Delete("provider")
		}
		return nil
	}, nil)
	if err != nil || e.Secret == "" {
		return struct{}{}, err
	}
	now := d.config()
	for id, other := range now.Providers { // an entry of the defaults alone is as good as none
		if other.Secret == e.Secret && (id != a.ID || now.layers.sets("providers."+id)) {
			return struct{}{}, nil
		}
	}
	if source := d.keys(ctx).of(e.Secret).Source; source == "" || source == secret.InEnv {
		return struct{}{}, nil
	}
	if err := d.secrets.Delete(ctx, e.Secret); err != nil {
		return nil, err
	}
	d.tellChanged() // it was told before the key went
	return struct{}{}, nil
}

// testTime bounds a test: a large model of one's own may have to be loaded first.
const testTime = 2 * time.Minute

// testProvider asks an endpoint for a word, as a run would.
func (d *daemon) testProvider(ctx context.Context, a named) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	began := time.Now()
	req := ports.ChatRequest{Endpoint: ports.Endpoint{ID: a.ID}, MaxTokens: 256, Messages: []ports.Message{{Role: "user", Content: []ports.Part{{Type: "text", Text: "Answer with the single word: ready"}}}}}
	res, err := d.askModel(ctx, "model.chat", ports.JSON(req))
	if err != nil {
		return nil, err
	}
	var reply ports.ChatReply
	if err := json.Unmarshal(res.Data, &reply); err != nil {
		return nil, err
	}
	return map[string]any{"ms": time.Since(began).Milliseconds(), "text": clean(textOf(reply.Message), 200)}, nil
}

func (d *daemon) listModels(ctx context.Context, a struct {
	Provider string `json:"provider"`
}) (any, error) {
	res, err := d.askModel(ctx, "model.list", ports.JSON(map[string]string{"endpoint": a.Provider}))
	if err != nil {
		return nil, err
	}
	return res.Data, nil
}

// askModel makes a call to a configured endpoint outside of any run: it may reach what providers may, and nothing else.
func (d *daemon) askModel(ctx context.Context, tool string, args json.RawMessage) (ports.Result, error) {
	run := newID()
	var p guard.Policy
	p.Reach, p.Grants = d.fetchGrants()
	d.guard.Begin(run, p)
	defer func() {
		d.guard.End(run)
		for _, p := range d.plugins {
			p.EndRun(run)
		}
	}()
	return d.kernel.Call(ctx, ports.Call{Run: run, From: ports.FromUser, Tool: tool, Args: args})
}
