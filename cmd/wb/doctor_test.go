package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports/mockmodel"
)

// An endpoint that answers is not reported as broken, over the real plugins of both families.
func TestDoctorAsksTheModel(t *testing.T) {
	for family, path := range map[string]string{"openai": "/v1", "anthropic": ""} {
		t.Run(family, func(t *testing.T) {
			book, err := mockmodel.Parse([]byte(`[{reply: {text: x}}]`))
			if err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(mockmodel.New(book))
			t.Cleanup(srv.Close)
			cfg := testConfig(t)
			cfg.Provider = "mock"
			cfg.Providers = map[string]ModelEntry{"mock": {Family: family, BaseURL: srv.URL + path, Model: "m"}}
			a, err := build(t.Context(), cfg, parts{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(a.close)
			if c := a.checkModel(t.Context()); !c.OK || !strings.HasSuffix(c.Note, "answers") {
				t.Fatalf("%+v", c)
			}
		})
	}
}
