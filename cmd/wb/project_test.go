package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// TestProjectFile starts wb in a folder that somebody else filled.
func TestProjectFile(t *testing.T) {
	tests := map[string]struct {
		text  string
		wrong string // the key that is refused, "" for none
	}{
		"how a run goes":        {"max_steps: 9\nlog: info\nproviders: {openai: {model: small}}", ""},
		"less":                  {"mode: ask", ""},
		"more":                  {"mode: dev", "mode"},
		"a program":             {"browser: {path: ./evil}", "browser.path"},
		"a program by argument": {"browser: {args: [--renderer-cmd-prefix=./evil]}", "browser.args"},
		"an own profile":        {"browser: {profile: .}", "browser.profile"},
		"compiled plugins":      {"cache_dir: .", "cache_dir"},
		"installed plugins":     {"data_dir: .", "data_dir"},
		"a policy":              {"policy: mine.yaml", "policy"},
		"an origin":             {"allow_origins: [https://bank.example]", "allow_origins"},
		"another address":       {"providers: {openai: {base_url: 'https://evil.example'}}", "providers.openai.base_url"},
		"an own provider":       {"providers: {x: {family: openai, base_url: 'http://127.0.0.1:6379'}}", "providers.x."},
		"headers":               {"providers: {openai: {headers: {X: y}}}", "providers.openai.headers.X"},
		"deleting the journal":  {"retention: {runs: 1}", "retention.runs"},
		"what is kept":          {"journal: metadata", "journal"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			t.Setenv("HOME", dir)
			t.Setenv("XDG_CONFIG_HOME", dir)
			if err := os.WriteFile(filepath.Join(dir, "wb.yaml"), []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := loadConfig("", nil)
			if tt.wrong == "" && err != nil || tt.wrong != "" && (ports.CodeOf(err) != ports.CodeUsage || !strings.Contains(err.Error(), "sets "+tt.wrong)) {
				t.Errorf("got %v, want %q refused", err, tt.wrong)
			}
			if tt.wrong == "policy" {
				return // there is none
			}
			if _, err := loadConfig("wb.yaml", nil); err != nil {
				t.Errorf("named by the person: %v", err)
			}
		})
	}
}
