package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/knadh/koanf/parsers/json"
	"github.com/knadh/koanf/parsers/toml/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
)

// policyFile is a policy as a person writes it.
type policyFile struct {
	Origins []string `koanf:"origins"`
	Allow   []struct {
		Origin string   `koanf:"origin"`
		Do     []string `koanf:"do"`
	} `koanf:"allow"`
}

// deeds are what a rule may allow.
var deeds = []string{"pay", "delete", "account", "permission", "eval", "close_tab"}

// readPolicy adds a policy file to p. Anything in it that is not understood is an error: a policy that is
// half read allows something else than it says.
func readPolicy(path string, p *guard.Policy) error {
	fail := func(msg, fix string) error {
		return ports.NewError(ports.CodeUsage, "policy "+path+": "+msg, fix)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return fail(err.Error(), "name a file that can be read")
	}
	parsers := map[string]koanf.Parser{".yaml": yaml.Parser(), ".yml": yaml.Parser(), ".toml": toml.Parser(), ".json": json.Parser()}
	parser := parsers[filepath.Ext(path)]
	if parser == nil {
		return fail("not a format that is read", "use .yaml, .toml or .json")
	}
	k := koanf.New(".")
	if err := k.Load(rawbytes.Provider(b), parser); err != nil {
		return fail(err.Error(), "")
	}
	var f policyFile
	if err := unmarshalStrict(k, &f); err != nil {
		return fail(err.Error(), "it has origins: [ORIGIN…] and allow: [{origin: ORIGIN, do: [DEED…]}…]")
	}
	for _, r := range f.Allow {
		if r.Origin != "*" && guard.OriginOf(r.Origin) == "" {
			return fail(fmt.Sprintf("%q is not an origin", r.Origin), `use scheme://host[:port], or "*" for all under origins:`)
		}
		for _, d := range r.Do {
			if !slices.Contains(deeds, d) {
				return fail(fmt.Sprintf("unknown deed %q", d), fmt.Sprintf("use one of: %v", deeds))
			}
		}
		p.Allow = append(p.Allow, guard.Rule{Origin: r.Origin, Do: r.Do})
	}
	for _, o := range f.Origins {
		if guard.OriginOf(o) == "" {
			return fail(fmt.Sprintf("%q is not an origin", o), "use scheme://host[:port], such as https://shop.example")
		}
	}
	p.Origins = append(p.Origins, f.Origins...)
	return nil
}
