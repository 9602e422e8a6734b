package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var panelSrc = filepath.Join("..", "..", "extension", "src")

var (
	localeKey  = regexp.MustCompile(`(?m)^\s+'([a-z0-9._]+)': '((?:[^'\\]|\\.)*)',$`)
	hole       = regexp.MustCompile(`\{\w+\}`)
	quotedKey  = regexp.MustCompile(`['"]([a-z0-9]+(?:\.[a-z0-9_]+)+)['"]`)
	jsxText    = regexp.MustCompile(`>([^<>{}=;()&|]*[A-Za-z]{2}[^<>{}=;()&|]*)</`)
	visibleArg = regexp.MustCompile(`\b(?:aria-label|title|placeholder|alt|label)="[^"]*[A-Za-z]`)
)

// dictionary reads one locale's words.
func dictionary(t *testing.T, file string) map[string]string {
	t.Helper()
	name := filepath.Base(file)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]string{}
	for _, m := range localeKey.FindAllStringSubmatch(string(b), -1) {
		if _, twice := words[m[1]]; twice {
			t.Errorf("%s: %s stands twice", name, m[1])
		}
		words[m[1]] = m[2]
	}
	if lines := strings.Count(string(b), "': '"); lines != len(words) {
		t.Errorf("%s: %d of %d lines could be read: one key a line, in single quotes", name, len(words), lines)
	}
	return words
}

// Every locale has English's keys, no word is empty, and each keeps the places that are filled in.
func TestPanelLocales(t *testing.T) {
	for _, of := range []string{"shared", "settings"} {
		t.Run(of, func(t *testing.T) { sameWords(t, filepath.Join(panelSrc, of, "locales")) })
	}
}

func sameWords(t *testing.T, dir string) {
	en := dictionary(t, filepath.Join(dir, "en.ts"))
	files, err := filepath.Glob(filepath.Join(dir, "*.ts"))
	if err != nil || len(files) < 2 {
		t.Fatalf("locales: %v %v", files, err)
	}
	for _, f := range files {
		other := dictionary(t, f)
		holes := func(words map[string]string) map[string]map[string]bool {
			m := map[string]map[string]bool{}
			for k, v := range words {
				m[k] = map[string]bool{}
				for _, h := range hole.FindAllString(v, -1) {
					m[k][h] = true
				}
				if strings.TrimSpace(v) == "" {
					t.Errorf("%s: %s is empty", f, k)
				}
			}
			return m
		}
		if diff := cmp.Diff(holes(en), holes(other)); diff != "" {
			t.Errorf("%s (-en +it):\n%s", f, diff)
		}
	}
}

// Whatever a person can read comes from a dictionary, and every word of it is used.
func TestPanelSaysNothingByItself(t *testing.T) {
	for words, sources := range map[string]string{"shared": "[pb]a*", "settings": "settings"} { // shared: of the panel, the background and the page script
		t.Run(words, func(t *testing.T) {
			saidByKey(t, dictionary(t, filepath.Join(panelSrc, words, "locales", "en.ts")), sources)
		})
	}
}

func saidByKey(t *testing.T, unused map[string]string, sources string) {
	files, err := filepath.Glob(filepath.Join(panelSrc, sources, "*.ts*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range quotedKey.FindAllStringSubmatch(string(b), -1) {
			delete(unused, m[1])
		}
		if !strings.HasSuffix(f, ".tsx") {
			continue
		}
		for _, line := range strings.Split(string(b), "\n") {
			for _, m := range append(jsxText.FindAllString(line, -1), visibleArg.FindAllString(line, -1)...) {
				if m != ">wb up</" { // a command is the same in every language
					t.Errorf("%s says %q itself", filepath.Base(f), m)
				}
			}
		}
	}
	for k := range unused {
		t.Errorf("%s is never said", k)
	}
}
