// Package secret finds secrets by name: in the environment, in the keyring of the operating system, and
// in a private file, in this order. It decides where a value may be sent (its origins) and sends nothing
// itself; ports/fetch does, and it alone asks.
//
// Read secret.go, then env.go, ring.go and file.go.
package secret

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Options says where to look; the zero value looks nowhere.
type Options struct {
	// Env looks a variable up, as os.LookupEnv does; Environ lists them all, as os.Environ does.
	Env     func(string) (string, bool)
	Environ func() []string
	// Keyring asks the keyring of the operating system.
	Keyring bool
	// File is a JSON file of {"NAME": {"value": "…", "origins": ["…"]}}; "" for none.
	File string
	// Bind gives origins to secrets that have none of their own: the base_url of the provider that names
	// the secret. A secret's own origins are never widened by it.
	Bind map[string][]string
	// Timeout bounds one question to the keyring [3 s].
	Timeout time.Duration

	ring ring // in place of the system's, in tests
}

// Where a secret lies.
const (
	InEnv     = "environment"
	InKeyring = "keyring"
	InFile    = "file"
)

// Entry is a secret without its value.
type Entry struct {
	Name    string
	Source  string // one of the In constants
	Origins []string
}

// Secrets is a ports.Secrets. It may be used from many goroutines.
type Secrets struct {
	opt     Options
	sources []source
}

// source is one place to look in.
type source interface {
	name() string
	// get returns ok false if the secret is not there, and an error if the place cannot be asked.
	get(ctx context.Context, name string) (s ports.Secret, ok bool, err error)
	list(ctx context.Context) ([]string, error)
}

// store is a source that can be written.
type store interface {
	source
	set(ctx context.Context, name string, s ports.Secret) error
	remove(ctx context.Context, name string) (was bool, err error)
}

// New returns the secrets that the options name.
func New(opt Options) *Secrets {
	if opt.Timeout == 0 {
		opt.Timeout = 3 * time.Second
	}
	if opt.Env == nil {
		opt.Env = func(string) (string, bool) { return "", false }
	}
	s := &Secrets{opt: opt, sources: []source{environment{opt.Env, opt.Environ}}}
	if opt.Keyring || opt.ring != nil {
		s.sources = append(s.sources, newKeyring(opt))
	}
	if opt.File != "" {
		s.sources = append(s.sources, &file{path: opt.File})
	}
	return s
}

var validName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,127}$`)

// Canonical is how a name is kept: upper case, with _ for - and dots.
func Canonical(name string) (string, error) {
	n := strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(name))
	if !validName.MatchString(n) {
		return "", ports.NewError(ports.CodeUsage, fmt.Sprintf("secret name %.60q is not well-formed", name), "use letters, digits and _, beginning with a letter")
	}
	if strings.HasSuffix(n, originsSuffix) {
		return "", ports.NewError(ports.CodeUsage, "secret name "+n+" ends like a list of origins", "choose another name")
	}
	return n, nil
}

// Secret returns a value and where it may be sent; CodeAuth says where it was looked for. A place that
// cannot be asked is passed over, and named if no other has the secret.
func (s *Secrets) Secret(ctx context.Context, name string) (ports.Secret, error) {
	n, err := Canonical(name)
	if err != nil {
		return ports.Secret{}, err
	}
	var looked []string
	fix := "set " + envPrefix + n + ", or run wb secret set " + n
	for _, src := range s.sources {
		found, ok, err := src.get(ctx, n)
		if err != nil {
			looked = append(looked, src.name()+" ("+err.Error()+")")
			fix = cmp.Or(ports.FixOf(err), fix)
			continue
		}
		if ok && found.Value != "" {
			return s.bound(n, found), nil
		}
		looked = append(looked, src.name())
	}
	if err := ctx.Err(); err != nil {
		return ports.Secret{}, &ports.Error{Code: ports.CodeCancelled, Msg: "secret " + n + ": cancelled", Err: err}
	}
	return ports.Secret{}, ports.NewError(ports.CodeAuth, "secret "+n+" is not set; looked in: "+strings.Join(looked, ", "), fix)
}

// bound adds the origins of the config where the secret has none of its own.
func (s *Secrets) bound(name string, sec ports.Secret) ports.Secret {
	if len(sec.Origins) > 0 {
		return sec
	}
	for bindName, origins := range s.opt.Bind {
		if n, err := Canonical(bindName); err == nil && n == name {
			sec.Origins = append(sec.Origins, origins...)
		}
	}
	return sec
}

// Set stores a secret in the keyring or the file; where is InKeyring, InFile, or "" for the first of them
// that is there.
func (s *Secrets) Set(ctx context.Context, name string, sec ports.Secret, where string) error {
	n, err := Canonical(name)
	if err != nil {
		return err
	}
	if sec.Value == "" {
		return ports.NewError(ports.CodeUsage, "secret "+n+": the value is empty", "")
	}
	var last error
	for _, src := range s.sources {
		st, ok := src.(store)
		if !ok || where != "" && where != src.name() {
			continue
		}
		if last = st.set(ctx, n, sec); last == nil || where != "" {
			return last
		}
	}
	if last != nil {
		return last
	}
	return ports.NewError(ports.CodeUsage, "secret "+n+": nowhere to store it", "turn the keyring on or name a secrets file in the config")
}

// Delete removes a secret from the keyring and the file; CodeUsage if neither has it.
func (s *Secrets) Delete(ctx context.Context, name string) error {
	n, err := Canonical(name)
	if err != nil {
		return err
	}
	gone := false
	var last error
	for _, src := range s.sources {
		if st, ok := src.(store); ok {
			was, err := st.remove(ctx, n)
			gone = gone || was
			if err != nil {
				last = err
			}
		}
	}
	switch {
	case gone:
		return nil
	case last != nil:
		return fmt.Errorf("secret %s was not found, and not every place could be asked: %w", n, last)
	}
	return ports.NewError(ports.CodeUsage, "secret "+n+" is neither in the keyring nor in the file", "wb secret list shows what there is")
}

// List names the secrets there are, by name; the same name in two places is listed twice, the one that
// counts first. Places that cannot be asked are in the second value.
func (s *Secrets) List(ctx context.Context) ([]Entry, []error) {
	var out []Entry
	var failed []error
	for _, src := range s.sources {
		names, err := src.list(ctx)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", src.name(), err))
		}
		for _, n := range names {
			if sec, ok, err := src.get(ctx, n); err == nil && ok {
				out = append(out, Entry{Name: n, Source: src.name(), Origins: s.bound(n, sec).Origins})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return out, failed
}

var _ ports.Secrets = (*Secrets)(nil)
