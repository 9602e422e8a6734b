package main

import (
	"net/http/httptest"
	"testing"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/ports/portstest"
)

// Both providers pass the suite as guests of the real host, over the real fetch port, at the wire.
func TestProviders(t *testing.T) {
	for family, path := range map[string]string{"openai": "/v1", "anthropic": ""} {
		t.Run(family, func(t *testing.T) {
			portstest.Provider(t, func(t *testing.T, playbook string) portstest.Endpoint { return openProvider(t, family, path, playbook) })
		})
	}
}

func openProvider(t *testing.T, family, path, playbook string) portstest.Endpoint {
	book, err := mockmodel.Parse([]byte(playbook))
	if err != nil {
		t.Fatal(err)
	}
	mock := mockmodel.New(book)
	srv := httptest.NewServer(mock)
	t.Cleanup(srv.Close)
	cfg := testConfig(t)
	cfg.Provider = "mock"
	cfg.Providers = map[string]ModelEntry{"mock": {Family: family, BaseURL: srv.URL + path, Model: "m", Vision: true, PDF: true}}
	a, err := build(t.Context(), cfg, parts{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.close)
	if err := a.beginRun(t.Context(), "r1", ports.Call{}, agent.Task{Goal: "x"}); err != nil {
		t.Fatal(err)
	}
	p, err := a.provider(t.Context(), family)
	if err != nil {
		t.Fatal(err)
	}
	at, err := cfg.endpoint("")
	if err != nil {
		t.Fatal(err)
	}
	return portstest.Endpoint{Provider: p, At: at, Call: ports.Call{ID: "c1", Run: "r1", From: ports.FromKernel, Tool: "model.chat"},
		Bodies: func() []string {
			var out []string
			for _, r := range mock.Requests() {
				out = append(out, string(r.Body))
			}
			return out
		}}
}

// testConfig is the defaults with a data folder of the test's own; compiled plugins are shared.
func testConfig(t *testing.T) *Config {
	t.Helper()
	cfg, err := loadConfig("", map[string]any{"data_dir": t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}
