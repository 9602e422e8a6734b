package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/ports"
)

// layer is one source of configuration. A project file lies in the folder wb is started in, so somebody
// else may have written it: it is not trusted with where a secret may be sent.
type layer struct {
	name    string // as shown to a person
	k       *koanf.Koanf
	trusted bool
	page    bool // what the settings page wrote
}

type layers []layer

// page is the layer that the settings page writes.
func (ls layers) page() layer {
	i := slices.IndexFunc(ls, func(l layer) bool { return l.page })
	if i < 0 {
		return layer{k: koanf.New("."), page: true}
	}
	return ls[i]
}

// sets reports whether any layer but the defaults says something under a key.
func (ls layers) sets(key string) bool {
	return slices.ContainsFunc(ls[1:], func(l layer) bool { return l.k.Exists(key) })
}

// locked names the layer that wins over what the page sets for a key, "" if none does.
func (ls layers) locked(key string) string {
	for _, l := range slices.Backward(ls) {
		if l.page {
			break
		}
		if l.k.Exists(key) {
			return l.name
		}
	}
	return ""
}

// with are the layers with another one of the page.
func (ls layers) with(page layer) layers {
	out := slices.Clone(ls)
	for i := range out {
		if out[i].page {
			out[i] = page
		}
	}
	return out
}

// merged is all layers in one, the later ones winning.
func (ls layers) merged() (*koanf.Koanf, error) {
	k := koanf.New(".")
	for _, l := range ls {
		if err := k.Merge(l.k); err != nil {
			return nil, configError(l.name, err)
		}
	}
	return k, nil
}

// origin names the layer that a key's value comes from.
func (ls layers) origin(key string) string {
	for _, l := range slices.Backward(ls) {
		if l.k.Exists(key) {
			return l.name
		}
	}
	return "defaults"
}

// trusted is the configuration without what a project file says, or the settings page: its keys are bound where they
// are stored, so that no change of an address sends a key there.
func (ls layers) trusted() (*Config, error) {
	k, err := slices.DeleteFunc(slices.Clone(ls), func(l layer) bool { return !l.trusted }).merged()
	if err != nil {
		return nil, err
	}
	c := &Config{}
	return c, unmarshalStrict(k, c)
}

// readLayers reads every source there is, weakest first. An unknown key is an error that names the
// nearest known one.
func readLayers(file string, flags map[string]any) (layers, error) {
	def, err := parseLayer("defaults", defaultConfig, ".yaml", true)
	if err != nil {
		return nil, err
	}
	out := layers{def}
	files := configFiles(file)
	for i, f := range files {
		if i == len(files)-1 { // what is nearer to a run than the page's settings
			out = append(out, layer{name: "settings", k: koanf.New("."), page: true})
		}
		b, err := os.ReadFile(f.path)
		if errors.Is(err, os.ErrNotExist) && !f.named {
			continue
		}
		if err != nil {
			return nil, ports.NewError(ports.CodeUsage, "config: "+err.Error(), "name a file that can be read, or leave --config out")
		}
		l, err := parseLayer(f.path, b, filepath.Ext(f.path), f.trusted)
		if err == nil && !f.trusted {
			err = mayBeStrange(l)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	env, err := envLayer(os.Environ())
	if err != nil {
		return nil, err
	}
	fl, err := mapLayer("flags", flags)
	if err != nil {
		return nil, err
	}
	return append(out, env, fl), nil
}

type configFile struct {
	path    string
	named   bool // must exist
	trusted bool
}

// configFiles lists where config files may lie. A named file takes the project file's place, and is the
// person's own word.
func configFiles(named string) []configFile {
	var out []configFile
	if runtime.GOOS != "windows" {
		out = append(out, configFile{"/etc/wb/config.yaml", false, true})
	}
	if dir, err := os.UserConfigDir(); err == nil {
		out = append(out, configFile{filepath.Join(dir, "wb", "config.yaml"), false, true})
	}
	if named != "" {
		return append(out, configFile{named, true, true})
	}
	return append(out, configFile{"wb.yaml", false, false})
}

func parseLayer(name string, b []byte, ext string, trusted bool) (layer, error) {
	var p koanf.Parser
	switch ext {
	case ".yaml", ".yml":
		p = yaml.Parser()
	case ".toml":
		p = toml.Parser()
	case ".json":
		p = json.Parser()
	default:
		return layer{}, ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %q is not a config format", name, ext), "use .yaml, .toml or .json")
	}
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(b), p); err != nil {
		return layer{}, configError(name, err)
	}
	return layer{name: name, k: k, trusted: trusted}, knownKeys(name, k)
}

func mapLayer(name string, m map[string]any) (layer, error) {
	k := koanf.New(".")
	if err := k.Load(confmap.Provider(m, "."), nil); err != nil {
		return layer{}, configError(name, err)
	}
	return layer{name: name, k: k, trusted: true}, knownKeys(name, k)
}

// envLayer reads WB_ variables: WB_MAX_STEPS is max_steps, WB_BROWSER_PATH is browser.path,
// WB_PROVIDERS_NAME_BASE_URL is providers.name.base_url. WB_SECRET_* belong to the secrets.
func envLayer(environ []string) (layer, error) {
	m := map[string]any{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		rest, ok := strings.CutPrefix(name, "WB_")
		if !ok || strings.HasPrefix(rest, "SECRET_") {
			continue
		}
		key := envKey(strings.ToLower(rest))
		if key == "" {
			return layer{}, ports.NewError(ports.CodeUsage, fmt.Sprintf("environment: %s sets nothing", name), "did you mean WB_"+
				strings.ToUpper(strings.NewReplacer(".", "_").Replace(nearestKey(strings.ToLower(rest)))))
		}
		m[key] = value
		if isList(key) {
			m[key] = strings.Split(value, ",")
		}
	}
	return mapLayer("environment", m)
}

// envKey finds the key that a variable names, "" if there is none.
func envKey(v string) string {
	for _, k := range schemaKeys() {
		if strings.ReplaceAll(k, ".", "_") == v {
			return k
		}
		pre, post, ok := strings.Cut(k, ".*.")
		if !ok {
			continue
		}
		mid, found := strings.CutPrefix(v, pre+"_")
		if mid, ok := strings.CutSuffix(mid, "_"+post); found && ok && mid != "" {
			return pre + "." + mid + "." + post
		}
	}
	return ""
}

// knownKeys refuses keys that no setting has.
func knownKeys(name string, k *koanf.Koanf) error {
	known := schemaKeys()
	for _, key := range k.Keys() {
		if matchesAny(known, key) {
			continue
		}
		fix := "`wb config show` lists all settings"
		if near := nearestKey(key); near != "" {
			fix = "did you mean " + near + "?"
		}
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: unknown setting %q", name, key), fix)
	}
	return nil
}

func matchesAny(known []string, key string) bool {
	return slices.ContainsFunc(known, func(k string) bool {
		want, got := strings.Split(k, "."), strings.Split(key, ".")
		if open := want[len(want)-1] == "**"; open && len(got) >= len(want)-1 { // a map of anything, or an empty one
			want = want[:len(want)-1]
			got = got[:len(want)]
		}
		return slices.EqualFunc(want, got, func(w, g string) bool { return w == "*" || w == g })
	})
}

func nearestKey(key string) string {
	best, bestD := "", max(3, len(key)/2)
	for _, k := range schemaKeys() {
		if d := levenshtein.ComputeDistance(key, strings.TrimSuffix(k, ".**")); d < bestD {
			best, bestD = k, d
		}
	}
	return best
}

// schemaKeys are the keys of Config: a map of settings has * for its name, a map of anything ends in **.
func schemaKeys() []string { return keysOf(reflect.TypeFor[Config](), "") }

func keysOf(t reflect.Type, prefix string) []string {
	var out []string
	for f := range t.Fields() {
		tag := f.Tag.Get("koanf")
		if tag == "" {
			continue
		}
		key := prefix + tag
		switch {
		case f.Type.Kind() == reflect.Struct:
			out = append(out, keysOf(f.Type, key+".")...)
		case f.Type.Kind() == reflect.Map && f.Type.Elem().Kind() == reflect.Struct:
			out = append(out, keysOf(f.Type.Elem(), key+".*.")...)
		case f.Type.Kind() == reflect.Map:
			out = append(out, key+".**")
		default:
			out = append(out, key)
		}
	}
	return out
}

func isList(key string) bool { return key == "allow_origins" || key == "browser.args" }

// unmarshalStrict decodes all of k into out and refuses what out has no place for.
func unmarshalStrict(k *koanf.Koanf, out any) error {
	return k.UnmarshalWithConf("", out, koanf.UnmarshalConf{DecoderConfig: &mapstructure.DecoderConfig{
		Result: out, TagName: "koanf", WeaklyTypedInput: true, ErrorUnused: true,
		DecodeHook: mapstructure.ComposeDecodeHookFunc(strictDuration, mapstructure.StringToTimeDurationHookFunc()),
	}})
}

// strictDuration refuses a bare number where a duration is wanted: 30 would be 30 nanoseconds.
func strictDuration(from, to reflect.Type, v any) (any, error) {
	if to == reflect.TypeFor[time.Duration]() && from.Kind() != reflect.String && from != to {
		return nil, fmt.Errorf("%v needs a unit, such as 30s or 10m", v)
	}
	return v, nil
}

func configError(name string, err error) error {
	return &ports.Error{Code: ports.CodeUsage, Msg: name, Err: err, Fix: "`wb config check` says what is wrong, `wb config show` what is set"}
}
