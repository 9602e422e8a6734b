package secret

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// item is a secret as it is stored.
type item struct {
	Value   string   `json:"value"`
	Origins []string `json:"origins,omitempty"`
}

// file is a JSON file that only its owner can read. It is read anew each time: it is small, and another
// process may have changed it.
type file struct {
	path string
	mu   sync.Mutex // one change at a time
}

func (*file) name() string { return InFile }

func (f *file) get(_ context.Context, name string) (ports.Secret, bool, error) {
	all, err := f.load()
	it, ok := all[name]
	return ports.Secret{Value: it.Value, Origins: it.Origins}, ok, err
}

func (f *file) list(context.Context) ([]string, error) {
	all, err := f.load()
	return slices.Sorted(maps.Keys(all)), err
}

func (f *file) set(_ context.Context, name string, s ports.Secret) error {
	return f.change(func(all map[string]item) { all[name] = item{s.Value, s.Origins} })
}

func (f *file) remove(_ context.Context, name string) (was bool, err error) {
	all, err := f.load()
	if _, ok := all[name]; !ok || err != nil {
		return false, err
	}
	return true, f.change(func(all map[string]item) { delete(all, name) })
}

func (f *file) load() (map[string]item, error) {
	h, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]item{}, nil
	}
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeAuth, Msg: "secrets file", Err: err}
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeAuth, Msg: "secrets file", Err: err}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, ports.NewError(ports.CodeAuth, fmt.Sprintf("%s can be read by others (mode %04o)", f.path, info.Mode().Perm()), "run: chmod 600 "+f.path)
	}
	if !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return nil, ports.NewError(ports.CodeAuth, f.path+" is no small regular file", "name another file for secrets")
	}
	return decode(h, f.path)
}

func decode(h *os.File, path string) (map[string]item, error) {
	var raw map[string]json.RawMessage
	if err := json.NewDecoder(h).Decode(&raw); err != nil {
		// The cause would quote the file.
		return nil, ports.NewError(ports.CodeAuth, path+" is not a JSON object", `write it as {"NAME": {"value": "…", "origins": ["https://…"]}}`)
	}
	all := make(map[string]item, len(raw))
	for key, v := range raw {
		name, err := Canonical(key)
		if err != nil {
			return nil, err
		}
		var it item
		if json.Unmarshal(v, &it.Value) != nil && json.Unmarshal(v, &it) != nil {
			return nil, ports.NewError(ports.CodeAuth, path+": "+name+" is neither text nor {value, origins}", "correct it")
		}
		all[name] = it
	}
	return all, nil
}

// change writes a new file beside the old one and puts it in its place.
func (f *file) change(edit func(map[string]item)) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, err := f.load()
	if err != nil {
		return err
	}
	edit(all)
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := replace(f.path, append(b, '\n')); err != nil {
		return &ports.Error{Code: ports.CodeStorage, Msg: "secrets file", Fix: "check the disk and the permissions of " + filepath.Dir(f.path), Err: err}
	}
	return nil
}

func replace(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	h, err := os.CreateTemp(dir, ".secrets-*") // 0600
	if err != nil {
		return err
	}
	_, err = h.Write(b)
	err = errors.Join(err, h.Sync(), h.Close())
	if err == nil {
		err = os.Rename(h.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(h.Name()))
	}
	return nil
}
