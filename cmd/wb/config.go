package main

import (
	_ "embed"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/local"
)

//go:embed defaults.yaml
var defaultConfig []byte

// Config is everything a person can set. The tags are the keys of config files; `wb config show` prints
// them with their origin.
type Config struct {
	Provider     string                `koanf:"provider"`
	Mode         string                `koanf:"mode"`
	MaxSteps     int                   `koanf:"max_steps"`
	Timeout      time.Duration         `koanf:"timeout"`
	Journal      string                `koanf:"journal"`
	Locale       string                `koanf:"locale"`
	Policy       string                `koanf:"policy"`
	AllowOrigins []string              `koanf:"allow_origins"`
	DataDir      string                `koanf:"data_dir"`
	CacheDir     string                `koanf:"cache_dir"`
	Log          string                `koanf:"log"`
	Listen       string                `koanf:"listen"`
	Browser      BrowserConfig         `koanf:"browser"`
	Retention    RetentionConfig       `koanf:"retention"`
	Panel        PanelConfig           `koanf:"panel"`
	Providers    map[string]ModelEntry `koanf:"providers"`
	LocalServers map[string]string     `koanf:"local_servers"`

	layers layers
}

// BrowserConfig says which browser to drive.
type BrowserConfig struct {
	Path    string   `koanf:"path"`
	Profile string   `koanf:"profile"`
	Headed  bool     `koanf:"headed"`
	Args    []string `koanf:"args"`
}

// RetentionConfig bounds the journal.
type RetentionConfig struct {
	Runs   int           `koanf:"runs"`
	Age    time.Duration `koanf:"age"`
	SizeMB int64         `koanf:"size_mb"`
}

// PanelConfig is how the panel and the settings page look.
type PanelConfig struct {
	Locale   string `koanf:"locale"`
	Theme    string `koanf:"theme"`
	Verbose  int    `koanf:"verbose"`
	Welcomed bool   `koanf:"welcomed"`
}

// ModelEntry is a provider entry: all data.
type ModelEntry struct {
	Family  string            `koanf:"family"`
	BaseURL string            `koanf:"base_url"`
	Model   string            `koanf:"model"`
	Secret  string            `koanf:"secret"`
	Tier    string            `koanf:"tier"`
	Context int               `koanf:"context"`
	Vision  bool              `koanf:"vision"`
	PDF     bool              `koanf:"pdf"`
	NoTools bool              `koanf:"no_tools"`
	Headers map[string]string `koanf:"headers"`
}

// loadConfig reads every layer, the later ones winning: defaults, system, user, the settings page's, project (or the
// file named), environment, flags. flags are what the command line set, by key.
func loadConfig(file string, flags map[string]any) (*Config, error) {
	ls, err := readLayers(file, flags)
	if err != nil {
		return nil, err
	}
	c, err := ls.config() // without the page's settings it knows where those lie
	if err != nil {
		return nil, err
	}
	page, err := readSettings(c.settingsFile())
	if err != nil {
		return nil, err
	}
	return c.withSettings(page)
}

// withSettings is the configuration with another layer of the settings page.
func (c *Config) withSettings(page layer) (*Config, error) { return c.layers.with(page).config() }

// config is what the layers say together, checked and completed.
func (ls layers) config() (*Config, error) {
	k, err := ls.merged()
	if err != nil {
		return nil, err
	}
	c := &Config{layers: ls}
	if err := unmarshalStrict(k, c); err != nil {
		return nil, configError("config", err)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, c.fillIn()
}

// check refuses values that cannot work, and says which ones can.
func (c *Config) check() error {
	oneOf := func(key, v string, allowed ...string) error {
		for _, a := range allowed {
			if v == a {
				return nil
			}
		}
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %q is not known (set in %s)", key, v, c.layers.origin(key)),
			"use one of: "+strings.Join(allowed, ", "))
	}
	checks := []error{
		oneOf("mode", c.Mode, "ask", "act", "dev"),
		oneOf("journal", c.Journal, "full", "metadata"),
		oneOf("panel.theme", c.Panel.Theme, "system", "light", "dark"),
		oneOf("log", c.Log, "debug", "info", "warn", "error"),
	}
	for kind, at := range c.LocalServers {
		key := "local_servers." + kind
		checks = append(checks, oneOf(key, kind, local.Kinds()...))
		if a, err := netip.ParseAddrPort(at); err != nil || !a.Addr().IsLoopback() {
			checks = append(checks, ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %q is no loopback address (set in %s)", key, at, c.layers.origin(key)), "write it like 127.0.0.1:11434"))
		}
	}
	for id, p := range c.Providers {
		key := "providers." + id + "."
		if looksLikeKey(p.Secret) {
			checks = append(checks, ports.NewError(ports.CodeUsage, fmt.Sprintf("%ssecret holds what looks like a key, not a name (set in %s)", key, c.layers.origin(key+"secret")),
				"take it out of there; keep it with wb secret set NAME and write secret: NAME"))
		}
		checks = append(checks, oneOf(key+"tier", p.Tier, "", "compact", "mid", "full"))
		if p.Family == "" || p.BaseURL == "" {
			checks = append(checks, ports.NewError(ports.CodeUsage, "providers."+id+" needs family and base_url",
				"such as  "+id+": {family: openai, base_url: https://host/v1, model: NAME}"))
		}
	}
	if c.MaxSteps < 1 {
		checks = append(checks, ports.NewError(ports.CodeUsage, "max_steps must be 1 or more", ""))
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// fillIn completes what depends on the machine.
func (c *Config) fillIn() error {
	home, err := os.UserHomeDir()
	if err != nil && (c.DataDir == "" || c.CacheDir == "") {
		return ports.NewError(ports.CodeUsage, "no home folder: "+err.Error(), "set data_dir and cache_dir")
	}
	c.DataDir = firstOf(c.DataDir, xdg("XDG_DATA_HOME", filepath.Join(home, ".local", "share")))
	c.CacheDir = firstOf(c.CacheDir, xdg("XDG_CACHE_HOME", filepath.Join(home, ".cache")))
	c.Locale = firstOf(c.Locale, strings.TrimSuffix(os.Getenv("LANG"), ".UTF-8"))
	return nil
}

func xdg(name, otherwise string) string {
	return filepath.Join(firstOf(os.Getenv(name), otherwise), "wb")
}

func firstOf(vs ...string) string {
	for _, v := range vs {
		if v != "" {
			return v
		}
	}
	return ""
}

// endpoints are the provider entries as the kernel knows them.
func (c *Config) endpoints() map[string]ports.Endpoint {
	out := map[string]ports.Endpoint{}
	for id, p := range c.Providers {
		tier := ports.Tier(p.Tier)
		if tier == "" {
			tier = ports.TierFull
		}
		out[id] = ports.Endpoint{ID: id, Family: p.Family, BaseURL: strings.TrimSuffix(p.BaseURL, "/"), Model: p.Model, Secret: p.Secret,
			Tier: tier, Context: p.Context, Vision: p.Vision, PDF: p.PDF, NoTools: p.NoTools, Headers: p.Headers}
	}
	return out
}
