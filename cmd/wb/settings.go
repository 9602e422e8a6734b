package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	kjson "github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/ports"
)

// What the settings page changes lies in a file of its own, settings.json in the data folder: a person's own
// config files are read and never written. Files that are nearer to a run (wb.yaml, --config), the environment and
// flags win over it; the page shows what they have set, and by whom.

// maxSettings bounds the file, in bytes.
const maxSettings = 1 << 20

// settingsFile is where the page's settings lie.
func (c *Config) settingsFile() string { return filepath.Join(c.DataDir, "settings.json") }

func isFolder(path string) bool {
	i, err := os.Stat(path)
	return err == nil && i.IsDir()
}

// readSettings reads the page's layer of a data folder; it is empty where nothing was ever changed.
func readSettings(path string) (layer, error) {
	l := layer{name: path, k: koanf.New("."), page: true}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || !isFolder(filepath.Dir(path)) {
		return l, nil // a data folder that is none is the store's to tell of
	}
	fail := func(err error) (layer, error) {
		return l, &ports.Error{Code: ports.CodeUsage, Msg: "settings: " + err.Error(), Fix: "correct " + path + ", or delete it to begin anew", Err: err}
	}
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxSettings {
		return fail(fmt.Errorf("%s is no small regular file", path))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	if err := l.k.Load(rawbytes.Provider(b), kjson.Parser()); err != nil {
		return fail(err)
	}
	if err := knownSettings(l.k); err != nil {
		return fail(err)
	}
	return l, nil
}

// pageKeys are what the page may set: nothing that starts a program or says where the data lie.
var pageKeys = []string{"provider", "mode", "max_steps", "timeout", "allow_origins", "panel.locale", "panel.theme", "panel.verbose", "panel.welcomed",
	"retention.runs", "retention.age", "retention.size_mb",
	"providers.*.family", "providers.*.base_url", "providers.*.model", "providers.*.secret", "providers.*.tier", "providers.*.context", "providers.*.vision"}

func knownSettings(k *koanf.Koanf) error {
	for _, key := range k.Keys() {
		if !matchesAny(pageKeys, key) {
			return fmt.Errorf("%q is not set there", key)
		}
	}
	return nil
}

// change edits the page's settings: what comes out is checked as a whole, prepare runs, the file is replaced, and
// only then does this process go by it. Nothing is changed after an error.
func (a *app) change(edit func(*koanf.Koanf) error, prepare func() error) error {
	a.changing.Lock()
	defer a.changing.Unlock()
	now := a.config()
	l := now.layers.page()
	l.k = l.k.Copy()
	if err := edit(l.k); err != nil {
		return err
	}
	next, err := now.withSettings(l)
	if err != nil {
		return err
	}
	if prepare != nil {
		if err := prepare(); err != nil {
			return err
		}
	}
	b, err := json.MarshalIndent(l.k.Raw(), "", "  ")
	if err == nil {
		err = replaceFile(next.settingsFile(), append(b, '\n'))
	}
	if err != nil {
		return &ports.Error{Code: ports.CodeStorage, Msg: "settings: " + err.Error(), Fix: "check the disk and the permissions of " + next.DataDir, Err: err}
	}
	a.live.Store(next)
	if a.changed != nil {
		a.changed()
	}
	return nil
}

// resetSettings forgets all that the page has set.
func (a *app) resetSettings() error {
	return a.change(func(k *koanf.Koanf) error {
		k.Delete("")
		return nil
	}, nil)
}

// replaceFile puts a new file, which only its owner may read, in the place of an old one.
func replaceFile(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

var localeForm = regexp.MustCompile(`^([a-z]{2}(-[A-Z]{2})?)?$`)

// validSetting reads a single setting's new value.
func (c *Config) validSetting(key string, raw json.RawMessage) (any, error) {
	wrong := func(fix string) error {
		return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%s: this value is not possible", key), fix)
	}
	oneOf := func(allowed ...string) (any, error) {
		var v string
		if json.Unmarshal(raw, &v) != nil || !slices.Contains(allowed, v) {
			return nil, wrong("use one of: " + strings.Join(allowed, ", "))
		}
		return v, nil
	}
	number := func(from, to int) (any, error) {
		var v int
		if json.Unmarshal(raw, &v) != nil || v < from || v > to {
			return nil, wrong(fmt.Sprintf("use a number from %d to %d", from, to))
		}
		return v, nil
	}
	switch key {
	case "mode":
		return oneOf("ask", "act", "dev")
	case "panel.theme":
		return oneOf("system", "light", "dark")
	case "panel.verbose":
		return number(0, 2)
	case "max_steps":
		return number(1, 1000)
	case "retention.runs":
		return number(0, 1_000_000)
	case "retention.size_mb":
		return number(0, 1_000_000)
	case "provider":
		return oneOf(slices.Sorted(maps.Keys(c.Providers))...)
	case "timeout", "retention.age":
		var v string
		d, err := time.Duration(0), json.Unmarshal(raw, &v)
		if err == nil {
			d, err = time.ParseDuration(v)
		}
		if err != nil || d < 0 {
			return nil, wrong("use a duration such as 30m or 720h; 0s is no limit")
		}
		return v, nil
	case "panel.locale":
		var v string
		if json.Unmarshal(raw, &v) != nil || !localeForm.MatchString(v) {
			return nil, wrong("use a language such as en or de")
		}
		return v, nil
	case "panel.welcomed":
		var v bool
		if json.Unmarshal(raw, &v) != nil {
			return nil, wrong("use true or false")
		}
		return v, nil
	}
	return nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%q is not set here", key), "`wb config show` lists all settings and where they are set")
}
