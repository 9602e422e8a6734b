package portstest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// Secrets tests a source of secrets. open returns one that holds exactly these, by canonical names
// (upper case, _).
func Secrets(t *testing.T, open func(t *testing.T, held map[string]ports.Secret) ports.Secrets) {
	held := map[string]ports.Secret{
		"API_KEY": {Value: "v4lue-1", Origins: []string{"https://a.test", "http://127.0.0.1:8080"}},
		"BARE":    {Value: `quote " and \ and ü`},
	}
	s := open(t, held)
	for _, tt := range []struct{ ask, is string }{{"API_KEY", "API_KEY"}, {"api-key", "API_KEY"}, {"bare", "BARE"}} {
		got, err := s.Secret(t.Context(), tt.ask)
		want := held[tt.is]
		if err != nil || got.Value != want.Value || !slices.Equal(got.Origins, want.Origins) {
			t.Errorf("Secret(%s): err %v, origins %v; want %v", tt.ask, err, got.Origins, want.Origins)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s", got, got, got, got); strings.Contains(shown, want.Value) {
			t.Errorf("printing shows the value: %s", shown)
		}
	}
	_, err := s.Secret(t.Context(), "ABSENT")
	code(t, err, ports.CodeAuth)
	if ports.FixOf(err) == "" || !strings.Contains(err.Error(), "ABSENT") {
		t.Errorf("error %v, fix %q", err, ports.FixOf(err))
	}
	for _, bad := range []string{"", "a b", "../x", "1A", "Ä", "a=b", "X_ORIGINS", strings.Repeat("a", 200)} {
		if _, err := s.Secret(t.Context(), bad); ports.CodeOf(err) == "" {
			t.Errorf("Secret(%q): %v, want an error of ports", bad, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Secret(ctx, "ABSENT"); err == nil {
		t.Error("a cancelled question was answered")
	}
}
