package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// maxEntries is how many files an archive may hold.
const maxEntries = 1000

// archive collects the files of a packed plugin in memory, so that nothing of it reaches the disk before it
// has been checked, and no path in it ever names a place there.
type archive struct {
	name  string
	files map[string][]byte
	left  int64 // bytes that may still come
	count int
}

func newArchive(name string) *archive {
	return &archive{name: name, files: map[string][]byte{}, left: maxPlugin}
}

// unpack reads a .zip or a .tar.gz, whichever b is.
func unpack(name string, b []byte) (*archive, error) {
	a := newArchive(name)
	var err error
	switch {
	case bytes.HasPrefix(b, []byte("PK")):
		err = a.unzip(b)
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		err = a.untar(b)
	default:
		err = ports.NewError(ports.CodeUsage, name+": neither a .zip nor a .tar.gz", "name plugin.json, its folder, or an archive of it")
	}
	if err != nil && ports.CodeOf(err) == "" {
		err = &ports.Error{Code: ports.CodeUsage, Msg: name, Err: err, Fix: "the archive is damaged: get it again"}
	}
	return a, err
}

func (a *archive) unzip(b []byte) error {
	r, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // those are refused by name below
		return err
	}
	for _, f := range r.File {
		if f.FileInfo().IsDir() {
			continue
		}
		if !f.Mode().IsRegular() {
			return a.unsafe(f.Name, "is a link or a device")
		}
		rc, err := f.Open()
		if err != nil {
			return err
		}
		err = a.add(f.Name, rc)
		_ = rc.Close() // read to its end, or refused
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) untar(b []byte) error {
	gz, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	r := tar.NewReader(gz)
	for {
		h, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, tar.ErrInsecurePath):
			return err
		case h.Typeflag == tar.TypeDir:
			if a.count++; a.count > maxEntries {
				return a.tooMany()
			}
			continue
		case h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg:
			return a.unsafe(h.Name, "is a link or a device")
		}
		if err := a.add(h.Name, r); err != nil {
			return err
		}
	}
}

func (a *archive) add(name string, r io.Reader) error {
	clean := path.Clean(strings.TrimPrefix(name, "./"))
	if strings.ContainsAny(name, "\\:\x00") || path.IsAbs(clean) || clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return a.unsafe(name, "leads out of the archive")
	}
	if _, twice := a.files[clean]; twice {
		return a.unsafe(name, "is there twice")
	}
	if a.count++; a.count > maxEntries {
		return a.tooMany()
	}
	b, err := io.ReadAll(io.LimitReader(r, a.left+1))
	if err != nil {
		return err
	}
	if a.left -= int64(len(b)); a.left < 0 {
		return ports.NewError(ports.CodeOversized, a.name+": holds more than 64 MiB", "pack plugin.json and the module alone, stripped (-ldflags='-s -w')")
	}
	a.files[clean] = b
	return nil
}

func (a *archive) tooMany() error {
	return ports.NewError(ports.CodeOversized, fmt.Sprintf("%s: holds more than %d files", a.name, maxEntries), "pack plugin.json and the module alone")
}

func (a *archive) unsafe(name, why string) error {
	return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %q %s", a.name, name, why), "do not use this archive, or unpack it yourself and add its folder")
}

// folder is where plugin.json lies: at the top, or in the only folder that has one.
func (a *archive) folder() (string, error) {
	found := []string{}
	for name := range a.files {
		if path.Base(name) == manifestName && strings.Count(name, "/") <= 1 {
			found = append(found, path.Dir(name))
		}
		if name == manifestName {
			return ".", nil
		}
	}
	if len(found) != 1 {
		return "", ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: holds %d plugin.json", a.name, len(found)), "an archive is one plugin, at its top or in one folder")
	}
	return found[0], nil
}
