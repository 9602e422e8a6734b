package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zalando/go-keyring"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

// env makes both functions of the environment from a map.
func env(vars map[string]string) Options {
	return Options{
		Env: func(k string) (string, bool) { v, ok := vars[k]; return v, ok },
		Environ: func() (all []string) {
			for k, v := range vars {
				all = append(all, k+"="+v)
			}
			return all
		},
	}
}

// fakeRing is a keyring in memory. With hang it never answers, with broken it fails.
type fakeRing struct {
	items  map[string]string
	hang   chan struct{}
	broken error
	asked  atomic.Int32
}

func (r *fakeRing) Get(_, user string) (string, error) {
	r.asked.Add(1)
	if r.hang != nil {
		<-r.hang
	}
	v, ok := r.items[user]
	if !ok && r.broken == nil {
		return "", keyring.ErrNotFound
	}
	return v, r.broken
}

func (r *fakeRing) Set(_, user, v string) error { r.items[user] = v; return r.broken }

func (r *fakeRing) Delete(_, user string) error {
	if _, ok := r.items[user]; !ok {
		return keyring.ErrNotFound
	}
	delete(r.items, user)
	return r.broken
}

func TestSources(t *testing.T) {
	t.Run("environment", func(t *testing.T) {
		portstest.Secrets(t, func(t *testing.T, held map[string]ports.Secret) ports.Secrets {
			vars := map[string]string{}
			for n, s := range held {
				vars["WB_SECRET_"+n], vars["WB_SECRET_"+n+"_ORIGINS"] = s.Value, strings.Join(s.Origins, ", ")
			}
			return New(env(vars))
		})
	})
	for _, where := range []string{InKeyring, InFile} {
		t.Run(where, func(t *testing.T) {
			portstest.Secrets(t, func(t *testing.T, held map[string]ports.Secret) ports.Secrets {
				s := New(Options{ring: &fakeRing{items: map[string]string{}}, File: filepath.Join(t.TempDir(), "d", "secrets.json")})
				for n, sec := range held {
					if err := s.Set(t.Context(), n, sec, where); err != nil {
						t.Fatal(err)
					}
				}
				return s
			})
		})
	}
}

func TestChainAndList(t *testing.T) {
	ctx := t.Context()
	opt := env(map[string]string{"WB_SECRET_A": "from env", "WB_SECRET_A_ORIGINS": "https://a.test", "OTHER": "x", "WB_SECRET_": "y"})
	opt.ring, opt.File = &fakeRing{items: map[string]string{}}, filepath.Join(t.TempDir(), "s.json")
	opt.Bind = map[string][]string{"a": {"https://wider.test"}, "b": {"https://bound.test"}}
	s := New(opt)
	for _, set := range []struct{ name, value, where string }{{"a", "from ring", ""}, {"b", "ring", InKeyring}, {"b", "file", InFile}, {"c", "file", InFile}} {
		if err := s.Set(ctx, set.name, ports.Secret{Value: set.value}, set.where); err != nil {
			t.Fatal(err)
		}
	}
	list, failed := s.List(ctx)
	got := fmt.Sprint(list, failed)
	want := "[{A environment [https://a.test]} {A keyring [https://wider.test]} {B keyring [https://bound.test]} {B file [https://bound.test]} {C file []}] []"
	if got != want {
		t.Errorf("list\n%s, want\n%s", got, want)
	}
	if sec, err := s.Secret(ctx, "a"); err != nil || sec.Value != "from env" || len(sec.Origins) != 1 {
		t.Errorf("A: %v, %v", sec.Origins, err)
	}
	for _, name := range []string{"b", "c"} {
		if err := s.Delete(ctx, name); err != nil {
			t.Error(err)
		}
		if _, err := s.Secret(ctx, name); ports.CodeOf(err) != ports.CodeAuth {
			t.Errorf("%s deleted: %v", name, err)
		}
		if err := s.Delete(ctx, name); ports.CodeOf(err) != ports.CodeUsage {
			t.Errorf("%s deleted twice: %v", name, err)
		}
	}
	if err := New(Options{}).Set(ctx, "x", ports.Secret{Value: "v"}, ""); ports.CodeOf(err) != ports.CodeUsage {
		t.Errorf("nowhere to set: %v", err)
	}
}

func TestFile(t *testing.T) {
	for name, tt := range map[string]struct {
		content string
		mode    os.FileMode
		want    string // in the error, "" for none
		fix     string
	}{
		"short form": {`{"k":"v"}`, 0o600, "", ""},
		"long form":  {`{"K":{"value":"v","origins":["https://a"]}}`, 0o400, "", ""},
		"wide mode":  {`{"K":"v"}`, 0o640, "can be read by others (mode 0640)", "chmod 600"},
		"not json":   {`K = "hush-hush"`, 0o600, "not a JSON object", "write it as"},
		"bad value":  {`{"K":["hush-hush"]}`, 0o600, "neither text nor", "correct"},
		"bad name":   {`{"a b":"hush-hush"}`, 0o600, "not well-formed", "letters"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.mode&0o077 != 0 {
				t.Skip("this system has no such modes")
			}
			path := filepath.Join(t.TempDir(), "s.json")
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, tt.mode); err != nil {
				t.Fatal(err)
			}
			sec, err := New(Options{File: path}).Secret(t.Context(), "K")
			if tt.want == "" {
				if err != nil || sec.Value != "v" {
					t.Errorf("got %v", err)
				}
				return
			}
			if ports.CodeOf(err) != ports.CodeAuth || !strings.Contains(err.Error(), tt.want) || !strings.Contains(ports.FixOf(err), tt.fix) || strings.Contains(err.Error(), "hush") {
				t.Errorf("got %v, fix %q", err, ports.FixOf(err))
			}
		})
	}
}

func TestFileIsWrittenPrivately(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "s.json")
	s := New(Options{File: path})
	for i := range 2 {
		if err := s.Set(t.Context(), fmt.Sprint("N", i), ports.Secret{Value: "v"}, InFile); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Dir(path) + "/.secrets-*"); left != nil {
		t.Errorf("left behind: %v", left)
	}
	var all map[string]item
	if b, err := os.ReadFile(path); err != nil || json.Unmarshal(b, &all) != nil || len(all) != 2 {
		t.Errorf("%v %v", all, err)
	}
}

func TestKeyringThatHangs(t *testing.T) {
	r := &fakeRing{hang: make(chan struct{})}
	defer close(r.hang)
	s := New(Options{ring: r, Timeout: time.Millisecond})
	for range 3 {
		_, err := s.Secret(t.Context(), "K")
		if ports.CodeOf(err) != ports.CodeAuth || !strings.Contains(err.Error(), "does not answer") || !strings.Contains(ports.FixOf(err), "unlock") {
			t.Fatalf("got %v, fix %q", err, ports.FixOf(err))
		}
	}
	if n := r.asked.Load(); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

func TestKeyringThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	s := New(Options{ring: &fakeRing{items: map[string]string{}, broken: errors.New("locked up")}, File: path})
	if _, err := s.Secret(t.Context(), "K"); err == nil || !strings.Contains(err.Error(), "keyring (keyring: locked up), file") {
		t.Errorf("got %v", err)
	}
	if err := s.Set(context.Background(), "K", ports.Secret{Value: "v"}, ""); err != nil {
		t.Errorf("falls through to the file: %v", err)
	}
	if sec, err := s.Secret(t.Context(), "K"); err != nil || sec.Value != "v" {
		t.Errorf("got %v", err)
	}
	if _, failed := s.List(t.Context()); len(failed) != 1 {
		t.Errorf("failed places: %v", failed)
	}
}

func TestNoSessionBus(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reaches its keyring over a bus")
	}
	s := New(Options{Keyring: true, Env: func(string) (string, bool) { return "", false }})
	if _, err := s.Secret(t.Context(), "K"); err == nil || !strings.Contains(err.Error(), "no session bus") {
		t.Errorf("got %v", err)
	}
}
