package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/fetch"
)

// readFile gives one of a plugin's files by its name beside plugin.json; fs.ErrNotExist if there is none.
type readFile func(name string, limit int64) ([]byte, error)

// gather reads plugin.json, the entry that it names, and a signature if there is one.
func gather(source string, read readFile) (bundle, error) {
	manifest, err := read(manifestName, maxManifest)
	if err != nil {
		return bundle{}, missing(source, manifestName, err)
	}
	entry, err := entryName(manifest)
	if err != nil {
		return bundle{}, err
	}
	code, err := read(entry, maxPlugin)
	if err != nil {
		return bundle{}, missing(source, entry, err)
	}
	sig, err := read(sigName, 4<<10)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return bundle{}, missing(source, sigName, err)
	}
	return newBundle(manifest, code, sig, source)
}

// entryName is the entry of a manifest that may not have its hash yet.
func entryName(manifest []byte) (string, error) {
	m, err := parseUnbuilt(manifest)
	if err != nil {
		return "", err
	}
	if m.Runtime != "wasm" {
		return "", ports.NewError(ports.CodeUsage, fmt.Sprintf("plugin %s: runtime %q is built in", m.ID, m.Runtime), "use runtime wasm")
	}
	return m.Entry, nil
}

func missing(source, name string, err error) error {
	if ports.CodeOf(err) != "" {
		return err
	}
	fix := "name plugin.json, its folder, or a .zip or .tar.gz of it"
	if strings.HasSuffix(name, ".wasm") {
		fix = "build it first: wb plugin build"
	}
	return &ports.Error{Code: ports.CodeUsage, Msg: fmt.Sprintf("%s: no %s", clean(source, 300), clean(name, 100)), Fix: fix, Err: err}
}

// openSource reads a plugin from a plugin.json, a folder, an archive or an address. origins are what an
// address may redirect to beside its own origin.
func openSource(ctx context.Context, from string, redirects []string) (bundle, error) {
	if strings.Contains(from, "://") {
		return download(ctx, from, redirects)
	}
	abs, err := filepath.Abs(from)
	if err != nil {
		return bundle{}, err
	}
	info, err := os.Stat(abs)
	if err != nil {
		return bundle{}, missing(from, "plugin there", err)
	}
	if !info.IsDir() && filepath.Base(abs) != manifestName {
		return openArchiveFile(abs)
	}
	dir := abs
	if !info.IsDir() {
		dir = filepath.Dir(abs)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return bundle{}, missing(from, "folder there", err)
	}
	defer root.Close() // only read from
	return gather(dir, func(name string, limit int64) ([]byte, error) { return readIn(root, name, limit) })
}

func openArchiveFile(file string) (bundle, error) {
	f, err := os.Open(file)
	if err != nil {
		return bundle{}, missing(file, "file there", err)
	}
	defer f.Close() // only read from
	b, err := readAtMost(f, filepath.Base(file), maxPlugin)
	if err != nil {
		return bundle{}, err
	}
	return fromArchive(file, b)
}

func fromArchive(source string, b []byte) (bundle, error) {
	a, err := unpack(path.Base(filepath.ToSlash(source)), b)
	if err != nil {
		return bundle{}, err
	}
	dir, err := a.folder()
	if err != nil {
		return bundle{}, err
	}
	return gather(source, func(name string, limit int64) ([]byte, error) {
		b, ok := a.files[path.Join(dir, name)]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return readAtMost(bytes.NewReader(b), name, limit)
	})
}

// download reads a plugin.json and what lies beside it, or an archive, from the network.
func download(ctx context.Context, from string, redirects []string) (bundle, error) {
	u, err := url.Parse(from)
	origin := guard.OriginOf(from)
	if err != nil || origin == "" || u.Scheme != "https" && !guard.Private(origin) {
		return bundle{}, ports.NewError(ports.CodeUsage, fmt.Sprintf("%q is not an address to install from", clean(from, 200)), "use https://…, or a file")
	}
	f := fetch.New(fetch.Options{Version: version}) // it knows no secrets
	defer f.Close()                                 // drops idle connections
	site := site{fetcher: f, allow: append([]string{origin}, redirects...)}
	if guard.Private(origin) {
		site.local = []string{origin} // the person named it
	}
	if path.Base(u.Path) == manifestName {
		return gather(from, func(name string, limit int64) ([]byte, error) {
			return site.get(ctx, u.ResolveReference(&url.URL{Path: name, RawQuery: u.RawQuery}), limit)
		})
	}
	b, err := site.get(ctx, u, maxPlugin)
	if err != nil {
		return bundle{}, missing(from, "file there", err)
	}
	return fromArchive(from, b)
}

// site is where a plugin is downloaded from.
type site struct {
	fetcher      ports.Fetcher
	allow, local []string
}

// get reads at most limit bytes; fs.ErrNotExist if there is no such file.
func (s site) get(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	res, err := s.fetcher.Fetch(ctx, ports.FetchRequest{URL: u.String(), Stream: true, Retry: true, Timeout: 60_000, Allow: s.allow, Local: s.local})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close() // read to its end, or given up
	switch res.Status {
	case http.StatusNotFound, http.StatusGone:
		return nil, fs.ErrNotExist
	case http.StatusOK:
		return readAtMost(res.Body, path.Base(u.Path), limit)
	}
	return nil, ports.NewError(ports.CodeUnreachable, fmt.Sprintf("%s answered %d", clean(u.String(), 300), res.Status), "try it later, or check the address")
}

// setHash puts the entry's hash into a plugin.json and leaves everything else as it is written.
func setHash(manifest []byte, hash string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(manifest))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, ports.NewError(ports.CodeUsage, "plugin.json: not a JSON object", "`wb plugin new` shows one")
	}
	first := dec.InputOffset()
	fields := 0
	for ; dec.More(); fields++ {
		key, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, badJSON(err)
		}
		if key == "sha256" {
			end := dec.InputOffset()
			return splice(manifest, end-int64(len(v)), end, `"`+hash+`"`), nil
		}
	}
	if _, err := dec.Token(); err != nil {
		return nil, badJSON(err)
	}
	if fields == 0 {
		return splice(manifest, first, first, `"sha256": "`+hash+`"`), nil
	}
	return splice(manifest, first, first, "\n  \"sha256\": \""+hash+`",`), nil
}

func splice(b []byte, from, to int64, s string) []byte {
	return append(append(append([]byte{}, b[:from]...), s...), b[to:]...)
}

func badJSON(err error) error {
	return &ports.Error{Code: ports.CodeUsage, Msg: "plugin.json", Err: err, Fix: "correct the JSON"}
}
