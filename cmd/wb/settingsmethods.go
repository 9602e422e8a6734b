package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
)

// settingsMethods are what the settings page and the first steps ask beside what a panel does.
func (d *daemon) settingsMethods() map[string]func(context.Context, json.RawMessage) (any, error) {
	return map[string]func(context.Context, json.RawMessage) (any, error){
		"settings.get":     asked(d.getSettings),
		"settings.set":     asked(d.setSetting),
		"providers.list":   asked(d.listProviders),
		"providers.save":   asked(d.saveProvider),
		"providers.remove": asked(d.removeProvider),
		"providers.test":   asked(d.testProvider),
		"providers.window": asked(d.findWindow),
		"local.find":       asked(d.findLocal),
		"sample.open":      asked(d.openSample),
		"data.summary":     asked(d.dataSummary),
		"data.export":      asked(d.exportData),
		"data.import":      asked(d.importData),
		"data.delete":      asked(d.deleteData),
		"about":            asked(d.about),
		"doctor":           asked(d.doctor),
		"grants.list":      asked(d.listGrants),
		"grants.add":       asked(d.addGrant),
		"grants.revoke":    asked(d.revokeGrant),
	}
}

type named struct {
	ID string `json:"id"`
}

// tellChanged lets every panel ask anew: the state of things, and what a page of settings shows.
func (d *daemon) tellChanged() { d.pairings.notify("changed", struct{}{}) }

// settingsNow are the settings that the page shows, and for those that it cannot change what has set them.
type settingsNow struct {
	Values map[string]any    `json:"values"`
	Locked map[string]string `json:"locked"`
}

// shownSettings are those with a field of their own on the page.
var shownSettings = []string{"mode", "max_steps", "timeout", "panel.locale", "panel.theme", "panel.verbose", "retention.runs", "retention.age", "retention.size_mb"}

func (d *daemon) getSettings(context.Context, struct{}) (any, error) {
	ls := d.config().layers
	k, err := ls.merged()
	if err != nil {
		return nil, err
	}
	now := settingsNow{Values: map[string]any{}, Locked: map[string]string{}}
	for _, key := range shownSettings {
		now.Values[key] = k.Get(key)
		if by := ls.locked(key); by != "" {
			now.Locked[key] = by
		}
	}
	return now, nil
}

func (d *daemon) setSetting(_ context.Context, a struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}) (any, error) {
	v, err := d.config().validSetting(a.Key, a.Value)
	if err != nil {
		return nil, err
	}
	if by := d.config().layers.locked(a.Key); by != "" {
		return nil, ports.NewError(ports.CodeUsage, a.Key+" is set by "+by, "change it there")
	}
	return struct{}{}, d.change(func(k *koanf.Koanf) error { return k.Set(a.Key, v) }, nil)
}

// grant is something that a run may do without being asked, and who said so.
type grant struct {
	Origin string   `json:"origin"`
	Do     []string `json:"do"` // write, or deeds of a policy file
	By     string   `json:"by"` // file or other layer
	Own    bool     `json:"own"`
}

// listGrants are the standing permissions: origins that every run may write to, and the rules of the policy file.
func (d *daemon) listGrants(context.Context, struct{}) (any, error) {
	c := d.config()
	out := []grant{}
	own := c.layers.page().k.Strings("allow_origins")
	by := c.layers.origin("allow_origins")
	for _, o := range c.AllowOrigins {
		out = append(out, grant{Origin: o, Do: []string{"write"}, By: by, Own: slices.Contains(own, o) && c.layers.locked("allow_origins") == ""})
	}
	if c.Policy != "" {
		var p guard.Policy
		if err := readPolicy(c.Policy, &p); err != nil {
			return nil, err
		}
		for _, o := range p.Origins {
			out = append(out, grant{Origin: o, Do: []string{"write"}, By: c.Policy})
		}
		for _, r := range p.Allow {
			out = append(out, grant{Origin: r.Origin, Do: r.Do, By: c.Policy})
		}
	}
	return map[string]any{"grants": out}, nil
}

// origined names an origin.
type origined struct {
	Origin string `json:"origin"`
}

// addGrant lets every run write to an origin.
func (d *daemon) addGrant(_ context.Context, a origined) (any, error) {
	o := guard.OriginOf(a.Origin)
	if o == "" {
		return nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%.200q is no address of a site", a.Origin), "write it like https://shop.example")
	}
	if by := d.config().layers.locked("allow_origins"); by != "" {
		return nil, ports.NewError(ports.CodeUsage, "allow_origins is set by "+by, "change it there")
	}
	return struct{}{}, d.change(func(k *koanf.Koanf) error {
		own := d.config().AllowOrigins // also those of weaker files, which a list of the page's own would hide
		if slices.Contains(own, o) {
			return nil
		}
		return k.Set("allow_origins", append(slices.Clone(own), o))
	}, nil)
}

// revokeGrant takes back an origin that the page's own settings hold. What a file says is changed there.
func (d *daemon) revokeGrant(_ context.Context, a origined) (any, error) {
	own := d.config().layers.page().k.Strings("allow_origins")
	i := slices.Index(own, a.Origin)
	if i < 0 {
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("%.200q is not granted here", a.Origin), "what a file grants is taken back in the file")
	}
	return struct{}{}, d.change(func(k *koanf.Koanf) error { return k.Set("allow_origins", slices.Delete(own, i, i+1)) }, nil)
}

func (d *daemon) listClients(ctx context.Context, _ struct{}) (any, error) {
	all, err := d.clients.list(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]clientInfo, 0, len(all))
	for _, c := range all {
		out = append(out, infoOf(c))
	}
	return map[string]any{"clients": out}, nil
}

// clientInfo is a pairing as the page shows it.
type clientInfo struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Browser string `json:"browser,omitempty"`
	At      int64  `json:"at"` // milliseconds since 1970
}

func infoOf(c relay.Client) clientInfo {
	return clientInfo{ID: c.ID, Name: clean(c.Name, 80), Browser: c.Browser, At: c.Paired.UnixMilli()}
}
