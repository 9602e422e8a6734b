package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

var (
	zeros = strings.Repeat("0", 64)
	ones  = strings.Repeat("1", 64)
)

func TestLockComesBackAsItWasWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plugins.lock")
	l, err := readLock(file)
	if err != nil || len(l.Plugins) != 0 {
		t.Fatalf("a lock that is not there: %+v %v", l, err)
	}
	l.set("notes", pin{Version: "1", Manifest: zeros, Entry: ones, Source: "https://a.example/n.zip", Key: "k",
		Grants: []ports.Grant{{Tool: "http.fetch", Origins: []string{"https://a.example"}, Methods: []string{"POST"}}}})
	for range 2 { // also over one that is there
		if err := l.write(file); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readLock(file)
	if diff := cmp.Diff(l, got); err != nil || diff != "" {
		t.Fatal(err, diff)
	}
	info, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatal(info.Mode(), err)
	}
	if es, _ := os.ReadDir(filepath.Dir(file)); len(es) != 1 {
		t.Fatalf("left behind: %v", es)
	}
}

func TestLockRefusesWhatItDoesNotUnderstand(t *testing.T) {
	pinned := func(id, hash string) string {
		return `{"version":1,"plugins":{"` + id + `":{"version":"1","manifest_sha256":"` + hash + `","entry_sha256":"` + ones + `","grants":null,"source":"x"}}}`
	}
	if _, err := parseLock([]byte(pinned("notes", zeros))); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"empty":         ``,
		"cut":           pinned("notes", zeros)[:60],
		"newer":         `{"version":2}`,
		"unknown field": `{"version":1,"plugin":{}}`,
		"two":           `{"version":1}{"version":1}`,
		"path as id":    pinned("../../x", zeros),
		"no hash":       pinned("notes", ""),
		"upper case":    pinned("notes", strings.Repeat("A", 64)),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "plugins.lock")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readLock(file); ports.CodeOf(err) != ports.CodeUsage || ports.FixOf(err) == "" {
				t.Fatal(err)
			}
		})
	}
}

func FuzzLock(f *testing.F) {
	f.Add([]byte(`{"version":1,"plugins":{"a":{"version":"1","manifest_sha256":"` + zeros + `","entry_sha256":"` + ones + `"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := parseLock(b)
		for id := range l.Plugins {
			if err == nil && filepath.Base(id) != id {
				t.Fatalf("%q is a path", id)
			}
		}
	})
}
