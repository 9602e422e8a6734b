package fetch

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

var secretMark = regexp.MustCompile(`\{\{secret:([A-Za-z0-9_.-]{1,128})\}\}`)

// injected are the secret values that one request has sent so far.
type injected struct {
	values []string
	forms  [][]byte // what they may look like, longest first
}

func (in *injected) add(value string) {
	if value == "" || slices.Contains(in.values, value) {
		return
	}
	in.values = append(in.values, value)
	for _, form := range ports.SecretForms(value) {
		in.forms = append(in.forms, []byte(form))
	}
	slices.SortStableFunc(in.forms, func(a, b []byte) int { return len(b) - len(a) })
}

// fill puts secrets into headers that go to an origin. On the first hop a secret that is not bound to
// the origin is refused; on a later one its header is left out, since the server chose that hop.
func (f *Fetcher) fill(ctx context.Context, in *injected, headers http.Header, origin string, first bool) (http.Header, error) {
	out := http.Header{}
	for name, values := range headers {
		value, bound, err := f.fillValue(ctx, in, values[0], origin)
		if err != nil {
			return nil, err
		}
		if !bound.ok {
			if first {
				return nil, ports.NewError(ports.CodeRefused, "secret "+bound.name+" is not for "+origin,
					"bind it to this origin: WB_SECRET_"+envName(bound.name)+"_ORIGINS="+origin)
			}
			continue
		}
		out.Set(name, value)
	}
	return out, nil
}

// binding says whether a header's secrets may go where it goes, and which may not.
type binding struct {
	ok   bool
	name string
}

func (f *Fetcher) fillValue(ctx context.Context, in *injected, value, origin string) (string, binding, error) {
	for _, m := range secretMark.FindAllStringSubmatch(value, -1) {
		s, err := f.secret(ctx, m[1])
		if err != nil {
			return "", binding{}, err
		}
		if !within(origin, s.Origins) {
			return "", binding{name: m[1]}, nil
		}
		if strings.ContainsFunc(s.Value, control) {
			return "", binding{}, ports.NewError(ports.CodeAuth, "secret "+m[1]+" holds a line break or another control character", "store it again without it")
		}
		if f.opt.Seen != nil {
			f.opt.Seen(s.Value)
		}
		in.add(s.Value)
		value = strings.ReplaceAll(value, m[0], s.Value)
	}
	return value, binding{ok: true}, nil
}

func (f *Fetcher) secret(ctx context.Context, name string) (ports.Secret, error) {
	if f.opt.Secrets == nil {
		return ports.Secret{}, ports.NewError(ports.CodeAuth, "secret "+name+": no secrets are configured", "set WB_SECRET_"+envName(name))
	}
	return f.opt.Secrets.Secret(ctx, name)
}

// envName is how a secret is called in the environment.
func envName(name string) string {
	return strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
}
