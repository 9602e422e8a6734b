package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// packed is one file to be put into an archive.
type packed struct {
	name, text string
	mode       fs.FileMode // 0: a file
}

func zipped(t testing.TB, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(f.mode | 0o644)
		fw, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fw.Write([]byte(f.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, files ...packed) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.text)), Typeflag: tar.TypeReg}
		if f.mode&fs.ModeSymlink != 0 {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, f.text, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(f.text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	many := []packed{{name: manifestName}}
	for i := range maxEntries {
		many = append(many, packed{name: fmt.Sprint("f", i)})
	}
	for _, c := range []struct {
		name  string
		files []packed
		want  string // folder, or "error: …"
	}{
		{"at the top", []packed{{name: "plugin.json", text: "{}"}, {name: "p.wasm"}}, "."},
		{"with a dot", []packed{{name: "./plugin.json"}, {name: "./p.wasm"}}, "."},
		{"in a folder", []packed{{name: "notes/plugin.json"}, {name: "notes/p.wasm"}}, "notes"},
		{"two folders", []packed{{name: "a/plugin.json"}, {name: "b/plugin.json"}}, "error: holds 2 plugin.json"},
		{"too deep", []packed{{name: "a/b/plugin.json"}}, "error: holds 0 plugin.json"},
		{"climbs", []packed{{name: "../../etc/passwd"}}, "error: leads out"},
		{"climbs later", []packed{{name: "plugin.json"}, {name: "a/../../x"}}, "error: leads out"},
		{"absolute", []packed{{name: "/etc/passwd"}}, "error: leads out"},
		{"backslash", []packed{{name: `..\x`}}, "error: leads out"},
		{"drive", []packed{{name: `c:x`}}, "error: leads out"},
		{"link", []packed{{name: "plugin.json", text: "/etc/passwd", mode: fs.ModeSymlink}}, "error: is a link"},
		{"twice", []packed{{name: "plugin.json"}, {name: "./plugin.json"}}, "error: is there twice"},
		{"many", many, "error: more than 1000 files"},
	} {
		for kind, pack := range map[string]func(testing.TB, ...packed) []byte{"zip": zipped, "tar.gz": tarred} {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				a, err := unpack("x."+kind, pack(t, c.files...))
				dir := ""
				if err == nil {
					dir, err = a.folder()
				}
				want, bad := strings.CutPrefix(c.want, "error: ")
				switch {
				case bad && (err == nil || !strings.Contains(err.Error(), want) || ports.FixOf(err) == ""):
					t.Errorf("got %v, want %s", err, want)
				case !bad && (err != nil || dir != want):
					t.Errorf("got %q %v, want %s", dir, err, want)
				}
			})
		}
	}
}

// A bomb costs as much memory as it may hold, and no more.
func TestArchiveBombs(t *testing.T) {
	big := packed{name: "a", text: strings.Repeat("\x00", maxPlugin/2)}
	files := []packed{big, {name: "b", text: big.text}, {name: "c", text: "x"}}
	for kind, b := range map[string][]byte{"zip": zipped(t, files...), "tar.gz": tarred(t, files...)} {
		if len(b) > 1<<20 {
			t.Fatalf("%s: no bomb: %d bytes", kind, len(b))
		}
		if _, err := unpack(kind, b); ports.CodeOf(err) != ports.CodeOversized {
			t.Errorf("%s: %v", kind, err)
		}
	}
	for name, b := range map[string][]byte{"text": []byte("hello"), "nothing": nil, "cut zip": zipped(t, files[2])[:40], "cut tar": tarred(t, files[2])[:40]} {
		if _, err := unpack(name, b); ports.CodeOf(err) != ports.CodeUsage || ports.FixOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzArchive(f *testing.F) {
	f.Add(zipped(f, packed{name: "plugin.json", text: "{}"}))
	f.Add(tarred(f, packed{name: "a/plugin.json", text: "{}"}))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := unpack("x", b)
		if err != nil {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(a.files)) {
			if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) {
				t.Fatalf("%q", name)
			}
		}
	})
}
