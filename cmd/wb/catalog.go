package main

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/rawbytes"
	"github.com/knadh/koanf/v2"
)

//go:embed catalog.yaml
var catalogFile []byte

// offer is a service that the settings page can add with a key, or a server on this computer.
type offer struct {
	ID      string `json:"id" koanf:"-"`
	Name    string `json:"name" koanf:"name"`
	Family  string `json:"family" koanf:"family"`
	BaseURL string `json:"base_url" koanf:"base_url"`
	Model   string `json:"model" koanf:"model"`
	Context int    `json:"context" koanf:"context"`
	Vision  bool   `json:"vision,omitempty" koanf:"vision"`
	Local   bool   `json:"local,omitempty" koanf:"local"`
	Keys    string `json:"keys,omitempty" koanf:"keys"` // page where a person gets a key
}

// catalog is what can be added, by name. What defaults.yaml says of a service is not said again.
func catalog() ([]offer, error) {
	k := koanf.New("/") // ids of models hold dots
	if err := k.Load(rawbytes.Provider(catalogFile), yaml.Parser()); err != nil {
		return nil, configError("catalog", err)
	}
	all := map[string]offer{}
	if err := unmarshalStrict(k, &all); err != nil {
		return nil, configError("catalog", err)
	}
	def, err := parseLayer("defaults", defaultConfig, ".yaml", true)
	if err != nil {
		return nil, err
	}
	known, err := layers{def}.trusted()
	if err != nil {
		return nil, err
	}
	out := make([]offer, 0, len(all))
	for id, o := range all {
		o.ID = id
		if e, ok := known.Providers[id]; ok {
			o.Family, o.BaseURL, o.Model, o.Context, o.Vision = e.Family, e.BaseURL, e.Model, e.Context, e.Vision
		}
		o.Family = firstOf(o.Family, "openai")
		if o.Context == 0 {
			o.Context = 128_000
		}
		out = append(out, o)
	}
	slices.SortFunc(out, func(a, b offer) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return out, nil
}
