package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/plugins"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/primitive"
)

// loadPlugins compiles the built-ins and gives each its identity and grants; then the installed ones.
func (a *app) loadPlugins(ctx context.Context) (err error) {
	if a.runtime, err = host.New(ctx, host.Options{CacheDir: a.config().CacheDir + "/wasm"}); err != nil {
		return err
	}
	a.closers = append(a.closers, func() error { return a.runtime.Close(context.Background()) })
	a.closers = append(a.closers, func() error {
		for _, p := range a.plugins {
			p.Close()
		}
		return nil
	})
	a.runtime.SetCaller(a.kernel)
	bin, err := plugins.Module()
	if err != nil {
		return err
	}
	mod, err := a.runtime.LoadBuiltins(ctx, bin)
	if err != nil {
		return err
	}
	list, err := host.ParseBuiltins(plugins.Builtins())
	if err != nil {
		return err
	}
	for _, m := range list {
		p, err := mod.Plugin(m.Config(m.Grants))
		if err != nil {
			return err
		}
		a.plugins[m.ID] = p
	}
	return a.loadInstalled(ctx)
}

// grants are a plugin's effective grants.
func (a *app) grants(id string) []ports.Grant {
	if p := a.plugins[id]; p != nil {
		return p.Grants()
	}
	return nil
}

// familyClient is the family of a model that an MCP client lends.
const familyClient = "client"

// endpoints are the configured ones, and with a client its model as the endpoint "client". Plugins that name no endpoint get it, unless
// the person chose a provider. It takes no tools, so runs of an agent never use it.
func (a *app) endpoints() (all map[string]ports.Endpoint, byDefault string) {
	c := a.config()
	all, byDefault = c.endpoints(), c.Provider
	if a.client == nil {
		return all, byDefault
	}
	if _, taken := all[familyClient]; !taken {
		all[familyClient] = ports.Endpoint{ID: familyClient, Family: familyClient}
	}
	if c.layers.origin("provider") == "defaults" {
		byDefault = familyClient
	}
	return all, byDefault
}

// provider returns the plugin that speaks a family.
func (a *app) provider(_ context.Context, family string) (ports.Provider, error) {
	if family == familyClient && a.client != nil {
		return a.client, nil
	}
	if p := a.plugins[family]; p != nil {
		return p, nil
	}
	return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("no plugin speaks to family %q", family), "use family: openai or family: anthropic")
}

// fetchGrants says where each plugin's requests may go: what its grants name, and for a provider the
// base_url of the entries of its family.
func (a *app) fetchGrants() (reach map[string][]string, grants map[string][]guard.GrantedFetch) {
	reach, grants = map[string][]string{}, map[string][]guard.GrantedFetch{}
	for _, e := range a.config().endpoints() {
		if o := guard.OriginOf(e.BaseURL); o != "" && !slices.Contains(reach[e.Family], o) {
			reach[e.Family] = append(reach[e.Family], o)
		}
	}
	for id, p := range a.plugins {
		for _, g := range p.Grants() {
			if g.Covers("http.fetch") {
				grants[id] = append(grants[id], guard.GrantedFetch{Origins: g.Origins, Methods: g.Methods})
			}
		}
	}
	return reach, grants
}

// reach is what a call's request may touch, hop by hop. Addresses on this machine or its network are
// reached only where the config (base_url) or the person (the policy's origins) names them exactly.
func (a *app) reach(c ports.Call) (allow, local []string) {
	policy := a.guard.Policy(c.Run)
	for _, g := range policy.Grants[c.From] {
		for _, o := range g.Origins {
			if o != "config" {
				allow = append(allow, o)
				continue
			}
			for _, r := range policy.Reach[c.From] {
				allow = append(allow, r)
				if guard.Private(r) {
					local = append(local, r)
				}
			}
		}
	}
	return allow, append(local, policy.Origins...)
}

// bindings are the origins that secrets are bound to by the entries that name them.
func (c *Config) bindings() (map[string][]string, error) {
	trusted, err := c.layers.trusted()
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, e := range trusted.Providers {
		if u, err := url.Parse(e.BaseURL); e.Secret != "" && err == nil {
			out[e.Secret] = append(out[e.Secret], guard.OriginOf(u.String()))
		}
	}
	offers, err := catalog()
	if err != nil {
		return nil, err
	}
	for _, o := range offers { // the page may add them; its own word binds nothing
		if _, said := out[o.ID]; !said && !o.Local {
			out[o.ID] = []string{guard.OriginOf(o.BaseURL)}
		}
	}
	return out, nil
}

// endpoint finds a provider entry, "" meaning the configured default.
func (c *Config) endpoint(id string) (ports.Endpoint, error) {
	return primitive.Models{All: func() (map[string]ports.Endpoint, string) { return c.endpoints(), c.Provider }}.Endpoint(id)
}
