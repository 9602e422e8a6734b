package secret

import (
	"context"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// WB_SECRET_NAME holds a value, WB_SECRET_NAME_ORIGINS the origins it may be sent to, by commas or spaces.
const (
	envPrefix     = "WB_SECRET_"
	originsSuffix = "_ORIGINS"
)

type environment struct {
	lookup func(string) (string, bool)
	all    func() []string
}

func (environment) name() string { return InEnv }

func (e environment) get(_ context.Context, name string) (ports.Secret, bool, error) {
	v, ok := e.lookup(envPrefix + name)
	if !ok {
		return ports.Secret{}, false, nil
	}
	origins, _ := e.lookup(envPrefix + name + originsSuffix)
	return ports.Secret{Value: strings.TrimRight(v, "\r\n"), Origins: strings.FieldsFunc(origins, func(c rune) bool {
		return c == ',' || c == ' '
	})}, true, nil
}

func (e environment) list(context.Context) ([]string, error) {
	var names []string
	if e.all == nil {
		return nil, nil
	}
	for _, kv := range e.all() {
		key, _, _ := strings.Cut(kv, "=")
		if name, ok := strings.CutPrefix(key, envPrefix); ok && !strings.HasSuffix(name, originsSuffix) && validName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names, nil
}
