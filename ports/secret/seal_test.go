package secret

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// Sealed secrets come back with the passphrase and no other way; those of the environment do not come along.
func TestSeal(t *testing.T) {
	const value = "sk-canary-123456"
	o := env(map[string]string{"WB_SECRET_OUTSIDE": "from-the-environment"})
	o.File = filepath.Join(t.TempDir(), "secrets.json")
	s := New(o)
	if err := s.Set(t.Context(), "mine", ports.Secret{Value: value, Origins: []string{"https://a.test"}}, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Seal(t.Context(), "short"); ports.CodeOf(err) != ports.CodeUsage {
		t.Errorf("a short passphrase: %v", err)
	}
	sealed, err := s.Seal(t.Context(), "correct horse")
	if err != nil || strings.Contains(sealed, value) || !strings.HasPrefix(sealed, "-----BEGIN AGE ENCRYPTED FILE-----") {
		t.Fatalf("%s %v", sealed, err)
	}
	for name, c := range map[string][2]string{"wrong passphrase": {sealed, "correct house"}, "none": {sealed, ""}, "damaged": {strings.Replace(sealed, "A", "B", 5), "correct horse"}, "not age": {"hello", "correct horse"}, "huge": {strings.Repeat("x", maxSealed+1), "correct horse"}} {
		if _, err := Open(c[0], c[1]); ports.CodeOf(err) != ports.CodeUsage || ports.FixOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	opened, err := Open(sealed, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"MINE"}, opened.Names()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if done, err := s.Restore(t.Context(), opened); err != nil || len(done) != 0 {
		t.Errorf("what is here was replaced: %v %v", done, err)
	}
	other := New(Options{File: filepath.Join(t.TempDir(), "secrets.json")})
	if done, err := other.Restore(t.Context(), opened); err != nil || cmp.Diff([]string{"MINE"}, done) != "" {
		t.Errorf("%v %v", done, err)
	}
	got, err := other.Secret(t.Context(), "mine")
	if err != nil || got.Value != value || cmp.Diff([]string{"https://a.test"}, got.Origins) != "" {
		t.Errorf("%+v %v", got.Origins, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", opened, opened, opened); strings.Contains(text, value) {
		t.Error("opened secrets can be printed")
	}
}
