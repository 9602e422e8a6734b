package secret

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"github.com/wb-agent/wb/ports"
)

// Sealed secrets are an age file (https://age-encryption.org/v1), armored, that a passphrase opens.

// work is the cost of scrypt, as a power of two: about a second and 256 MB. A file that asks for more is refused.
const work = 18

// maxSealed bounds a sealed file and what is in it, in bytes.
const maxSealed = 1 << 20

// minPassphrase is how many characters a passphrase has at least.
const minPassphrase = 8

// Stored names the secrets that lie in the keyring or the file: those that Set has put there.
func (s *Secrets) Stored(ctx context.Context) []string {
	var out []string
	entries, _ := s.List(ctx) // a place that cannot be asked has nothing to give
	for _, e := range entries {
		if e.Source != InEnv && !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

// Seal encrypts the stored secrets with a passphrase. Their values leave this package in no other form.
func (s *Secrets) Seal(ctx context.Context, passphrase string) (string, error) {
	if len([]rune(passphrase)) < minPassphrase {
		return "", ports.NewError(ports.CodeUsage, "the passphrase is too short", "use 8 characters or more")
	}
	all := map[string]item{}
	for _, name := range s.Stored(ctx) {
		for _, src := range s.sources {
			if src.name() == InEnv {
				continue
			}
			if found, ok, err := src.get(ctx, name); err == nil && ok {
				all[name] = item{found.Value, found.Origins}
				break
			}
		}
	}
	to, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return "", err
	}
	to.SetWorkFactor(work)
	var b bytes.Buffer
	a := armor.NewWriter(&b)
	w, err := age.Encrypt(a, to)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(w).Encode(all); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if err := a.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Opened are secrets out of a sealed file, not stored yet. They cannot be printed.
type Opened struct{ all map[string]item }

// Format implements fmt.Formatter: a value is never printed by mistake.
func (Opened) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secrets]") }

// Names lists them.
func (o Opened) Names() (out []string) {
	for name := range o.all {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Open decrypts a sealed file. What is wrong with it is told without quoting it.
func Open(sealed, passphrase string) (Opened, error) {
	wrong := ports.NewError(ports.CodeUsage, "the keys cannot be opened", "check the passphrase; without it, import without the keys")
	id, err := age.NewScryptIdentity(passphrase)
	if err != nil || len(sealed) > maxSealed {
		return Opened{}, wrong
	}
	id.SetMaxWorkFactor(work)
	r, err := age.Decrypt(armor.NewReader(strings.NewReader(sealed)), id)
	if err != nil {
		return Opened{}, wrong
	}
	b, err := io.ReadAll(io.LimitReader(r, maxSealed+1))
	var all map[string]item
	if err != nil || len(b) > maxSealed || json.Unmarshal(b, &all) != nil {
		return Opened{}, wrong
	}
	for name, it := range all {
		if n, err := Canonical(name); err != nil || n != name || it.Value == "" {
			return Opened{}, wrong
		}
	}
	return Opened{all}, nil
}

// Restore stores opened secrets that nothing here has, and returns the names of those.
func (s *Secrets) Restore(ctx context.Context, o Opened) ([]string, error) {
	var done []string
	have, _ := s.List(ctx)
	for _, name := range o.Names() {
		if slices.ContainsFunc(have, func(e Entry) bool { return e.Name == name }) {
			continue
		}
		it := o.all[name]
		if err := s.Set(ctx, name, ports.Secret{Value: it.Value, Origins: it.Origins}, ""); err != nil {
			return done, err
		}
		done = append(done, name)
	}
	return done, nil
}
