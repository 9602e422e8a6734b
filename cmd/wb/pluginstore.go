package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

const (
	manifestName = "plugin.json"
	sigName      = "plugin.json.sig"
	maxManifest  = 64 << 10 // bytes of plugin.json
	maxPlugin    = 64 << 20 // bytes of a plugin's files, unpacked
)

// pluginID is what the host accepts; a path made of it stays in its folder.
var pluginID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)

// entryForm is a module's file name on every system.
var entryForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,80}\.wasm$`)

// pluginHome is where installed plugins live: ID/plugin.json and ID/ENTRY below dir, and what was agreed to
// in the lock file.
type pluginHome struct{ dir, lock string }

// pluginHomeFor asks the trusted configuration: a project file, which somebody else may have written, must
// not bring plugins along with a lock file that grants them everything.
func pluginHomeFor(cfg *Config) (pluginHome, error) {
	trusted, err := cfg.layers.trusted()
	if err == nil {
		err = trusted.fillIn()
	}
	if err != nil {
		return pluginHome{}, err
	}
	return pluginHome{filepath.Join(trusted.DataDir, "plugins"), filepath.Join(trusted.DataDir, "plugins.lock")}, nil
}

// bundle is a plugin's files, read and checked against each other.
type bundle struct {
	m        host.Manifest
	manifest []byte
	entry    []byte
	sig      []byte // as it came, nil for none
	source   string
}

// newBundle checks that files are one plugin.
func newBundle(manifest, entry, sig []byte, source string) (bundle, error) {
	m, err := host.ParseManifest(manifest)
	if err != nil {
		return bundle{}, err
	}
	if m.Runtime != "wasm" {
		return bundle{}, ports.NewError(ports.CodeUsage, fmt.Sprintf("plugin %s: runtime %q cannot be installed", m.ID, m.Runtime), "use runtime wasm")
	}
	if !entryForm.MatchString(m.Entry) {
		return bundle{}, ports.NewError(ports.CodeUsage, fmt.Sprintf("plugin %s: entry %q is not a module's name", m.ID, clean(m.Entry, 60)), "call it plugin.wasm")
	}
	if got := hashOf(entry); got != m.SHA256 {
		return bundle{}, ports.NewError(ports.CodeBadModule, fmt.Sprintf("plugin %s: %s is not the file that plugin.json names (sha256 is %s)", m.ID, m.Entry, got),
			"get both from the same place again; if they are yours: wb plugin build")
	}
	return bundle{m, manifest, entry, sig, source}, nil
}

// read reads an installed plugin and checks it against its pin.
func (h pluginHome) read(id string, p pin) (bundle, error) {
	root, err := os.OpenRoot(filepath.Join(h.dir, id))
	if err != nil {
		return bundle{}, unpinned(id, "its files are gone")
	}
	defer root.Close() // only read from
	manifest, err := readIn(root, manifestName, maxManifest)
	if err != nil {
		return bundle{}, unpinned(id, err.Error())
	}
	if hashOf(manifest) != p.Manifest {
		return bundle{}, unpinned(id, "plugin.json has changed since you added it")
	}
	m, err := host.ParseManifest(manifest)
	if err != nil {
		return bundle{}, err
	}
	if m.ID != id {
		return bundle{}, unpinned(id, fmt.Sprintf("plugin.json is that of %q", m.ID))
	}
	entry, err := readIn(root, m.Entry, maxPlugin)
	if err != nil {
		return bundle{}, unpinned(id, err.Error())
	}
	if hashOf(entry) != p.Entry {
		return bundle{}, unpinned(id, m.Entry+" has changed since you added it")
	}
	if m.SHA256 != p.Entry {
		return bundle{}, unpinned(id, "plugin.json names another module")
	}
	return bundle{m: m, manifest: manifest, entry: entry, source: p.Source}, nil
}

func unpinned(id, why string) error {
	return ports.NewError(ports.CodeBadModule, "plugin "+id+": "+why,
		"add it again from a source you trust: wb plugin add, or take it out: wb plugin remove "+id)
}

// readIn reads a regular file of at most limit bytes below root; no link leads out of it.
func readIn(root *os.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read from
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a file", name)
	}
	return readAtMost(f, name, limit)
}

// readAtMost reads all of r, which is called name, unless it is larger than limit bytes.
func readAtMost(r io.Reader, name string, limit int64) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if n > limit {
		return nil, ports.NewError(ports.CodeOversized, fmt.Sprintf("%s is larger than %d KiB", name, limit>>10),
			"a plugin may be 64 MiB and its plugin.json 64 KiB; strip the module (-ldflags='-s -w')")
	}
	return b.Bytes(), nil
}

// put installs b and pins it, whole or not at all: the files are written beside their place, moved there,
// and moved back if the lock cannot be written.
func (h pluginHome) put(b bundle, p pin) error {
	lock, err := readLock(h.lock)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return storageError(h.dir, err)
	}
	tmp, err := os.MkdirTemp(h.dir, ".new-")
	if err != nil {
		return storageError(h.dir, err)
	}
	defer os.RemoveAll(tmp) // moved already if all went well; else what was replaced
	for name, data := range map[string][]byte{manifestName: b.manifest, b.m.Entry: b.entry, sigName: b.sig} {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(tmp, name), data, 0o600); err != nil {
			return storageError(tmp, err)
		}
	}
	old := tmp + "-old"
	defer os.RemoveAll(old)
	place := filepath.Join(h.dir, b.m.ID)
	if err := os.Rename(place, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return storageError(place, err)
	}
	err = os.Rename(tmp, place)
	if err == nil {
		lock.set(b.m.ID, p)
		if err = lock.write(h.lock); err == nil {
			return nil
		}
		_ = os.Rename(place, tmp) // put back what was there; err says more
	}
	_ = os.Rename(old, place) // none where it is new
	return storageError(place, err)
}

// drop takes a plugin out: first its pin, so that what is left of it never runs.
func (h pluginHome) drop(id string) error {
	lock, err := readLock(h.lock)
	if err != nil {
		return err
	}
	_, pinned := lock.Plugins[id]
	place := filepath.Join(h.dir, id)
	if _, err := os.Lstat(place); err != nil && !pinned {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("no plugin %q is installed", id), "`wb plugin list` shows what is")
	}
	if pinned {
		delete(lock.Plugins, id)
		if err := lock.write(h.lock); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(place); err != nil {
		return storageError(place, err)
	}
	return nil
}

// leftOut is an installed plugin that does not run, and why.
type leftOut struct {
	ID  string
	Err error
}

// loadInstalled opens the installed plugins. One that is not what was agreed to is left out; the others,
// and wb, go on.
func (a *app) loadInstalled(ctx context.Context) error {
	home, err := pluginHomeFor(a.config())
	if err != nil {
		return err
	}
	lock, err := readLock(home.lock)
	if err != nil {
		a.leaveOut("plugins.lock", err)
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(lock.Plugins)) {
		p, err := a.openInstalled(ctx, home, id, lock.Plugins[id])
		if err != nil {
			a.leaveOut(id, err)
			continue
		}
		a.plugins[id] = p
		a.installed = append(a.installed, id)
	}
	return nil
}

func (a *app) openInstalled(ctx context.Context, home pluginHome, id string, p pin) (*host.Plugin, error) {
	if a.plugins[id] != nil || slices.Contains(reservedIDs, id) {
		return nil, takenID(id)
	}
	b, err := home.read(id, p)
	if err != nil {
		return nil, err
	}
	return a.runtime.Open(ctx, b.m, b.entry, p.Grants)
}

// addPluginTools registers what the plugins offer: the built-ins' tools, which must be there, then those of
// the installed ones, which may not take another's name.
func (a *app) addPluginTools(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(a.plugins)) {
		if slices.Contains(a.installed, id) {
			continue
		}
		if err := a.addTools(ctx, id, a.plugins[id]); err != nil {
			return err
		}
	}
	for _, id := range slices.Clone(a.installed) {
		if err := a.addTools(ctx, id, a.plugins[id]); err != nil {
			a.tools.Drop(id)
			a.plugins[id].Close()
			delete(a.plugins, id)
			a.installed = slices.DeleteFunc(a.installed, func(s string) bool { return s == id })
			a.leaveOut(id, err)
		}
	}
	return nil
}

func (a *app) addTools(ctx context.Context, id string, p *host.Plugin) error {
	ts, err := p.Tools(ctx)
	if err != nil {
		return err
	}
	for _, t := range ts {
		if err := a.tools.Add(id, t); err != nil {
			return err
		}
	}
	return nil
}

// checkInstalled says for doctor how the added plugins are.
func (a *app) checkInstalled() []check {
	if len(a.leftOut) == 0 {
		return []check{{Name: "added plugins", OK: true, Note: fmt.Sprintf("%d run as they were added", len(a.installed))}}
	}
	var out []check
	for _, l := range a.leftOut {
		out = append(out, checked("plugin "+l.ID, "", l.Err))
	}
	return out
}

func (a *app) leaveOut(id string, err error) {
	a.leftOut = append(a.leftOut, leftOut{id, err})
	a.log.Warn("plugin is left out", "plugin", id, "err", clean(err.Error(), 500), "fix", clean(ports.FixOf(err), 300))
}

// reservedIDs mean somebody else where a plugin's id stands.
var reservedIDs = []string{ports.FromUser, ports.FromModel, ports.FromKernel, ports.FromMCP, "host", "client"}

func takenID(id string) error {
	return ports.NewError(ports.CodeUsage, fmt.Sprintf("plugin id %q belongs to wb itself", id), "the author has to choose another id")
}
