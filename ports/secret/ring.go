package secret

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/wb-agent/wb/ports"
)

// ring is what we need of a system keyring; a missing item is keyring.ErrNotFound.
type ring interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

type systemRing struct{}

func (systemRing) Get(service, user string) (string, error) { return keyring.Get(service, user) }
func (systemRing) Set(service, user, password string) error {
	return keyring.Set(service, user, password)
}
func (systemRing) Delete(service, user string) error { return keyring.Delete(service, user) }

// Items of the keyring: one a secret, and the list of their names, which no keyring of ours can give.
const (
	service = "wb"
	index   = ".names"
)

// ringStore keeps secrets in a keyring. One that does not answer in time is not asked again: each
// question would leave a goroutine behind.
type ringStore struct {
	ring    ring
	timeout time.Duration

	mu   sync.Mutex
	dead error
}

func newKeyring(opt Options) *ringStore {
	r := &ringStore{ring: opt.ring, timeout: opt.Timeout}
	if r.ring == nil {
		r.ring = systemRing{}
		r.dead = absent(opt.Env)
	}
	return r
}

// absent reports a Linux or BSD without a session bus. Without this the D-Bus client would try to start
// one.
func absent(env func(string) (string, bool)) error {
	switch runtime.GOOS {
	case "darwin", "windows":
		return nil
	}
	if bus, _ := env("DBUS_SESSION_BUS_ADDRESS"); bus != "" {
		return nil
	}
	if dir, _ := env("XDG_RUNTIME_DIR"); dir != "" {
		if _, err := os.Stat(dir + "/bus"); err == nil {
			return nil
		}
	}
	return ports.NewError(ports.CodeAuth, "no session bus, so no keyring", "")
}

func (*ringStore) name() string { return InKeyring }

// do asks the keyring, but not for ever.
func (r *ringStore) do(ctx context.Context, f func() error) error {
	r.mu.Lock()
	dead := r.dead
	r.mu.Unlock()
	if dead != nil {
		return dead
	}
	done := make(chan error, 1)
	go func() { done <- f() }()
	timer := time.NewTimer(r.timeout)
	defer timer.Stop()
	select {
	case err := <-done:
		if err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return &ports.Error{Code: ports.CodeAuth, Msg: "keyring", Err: err}
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		err := ports.NewError(ports.CodeAuth, "keyring does not answer; is it locked?", "unlock the keyring and start wb again")
		r.mu.Lock()
		r.dead = err
		r.mu.Unlock()
		return err
	}
}

func (r *ringStore) get(ctx context.Context, name string) (ports.Secret, bool, error) {
	raw, err := r.read(ctx, name)
	if errors.Is(err, keyring.ErrNotFound) {
		return ports.Secret{}, false, nil
	}
	var it item
	if err == nil && json.Unmarshal([]byte(raw), &it) != nil {
		it = item{Value: raw} // put there by hand
	}
	return ports.Secret{Value: it.Value, Origins: it.Origins}, err == nil, err
}

func (r *ringStore) read(ctx context.Context, user string) (string, error) {
	got := make(chan string, 1)
	err := r.do(ctx, func() error {
		v, err := r.ring.Get(service, user)
		got <- v
		return err
	})
	if err != nil {
		return "", err
	}
	return <-got, nil
}

func (r *ringStore) write(ctx context.Context, user string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return r.do(ctx, func() error { return r.ring.Set(service, user, string(b)) })
}

func (r *ringStore) list(ctx context.Context) ([]string, error) {
	raw, err := r.read(ctx, index)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	var names []string
	if err == nil && json.Unmarshal([]byte(raw), &names) != nil {
		err = ports.NewError(ports.CodeAuth, "keyring: the list of names is damaged", "set the secrets again")
	}
	return names, err
}

func (r *ringStore) set(ctx context.Context, name string, s ports.Secret) error {
	if err := r.write(ctx, name, item{s.Value, s.Origins}); err != nil {
		return err
	}
	names, err := r.list(ctx)
	if err != nil || slices.Contains(names, name) {
		return err
	}
	return r.write(ctx, index, append(names, name))
}

func (r *ringStore) remove(ctx context.Context, name string) (was bool, err error) {
	err = r.do(ctx, func() error { return r.ring.Delete(service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	names, err := r.list(ctx)
	if err != nil {
		return true, err
	}
	return true, r.write(ctx, index, slices.DeleteFunc(names, func(n string) bool { return n == name }))
}
