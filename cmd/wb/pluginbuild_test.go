package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestSetHash(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", `{"sha256": "", "id": "x"}`, `{"sha256": "H", "id": "x"}`},
		{"old", "{\n  \"id\":\"x\",\n  \"sha256\":\"abc\" }\n", "{\n  \"id\":\"x\",\n  \"sha256\":\"H\" }\n"},
		{"missing", `{"id":"x"}`, "{\n  \"sha256\": \"H\",\"id\":\"x\"}"},
		{"nothing", `{}`, `{"sha256": "H"}`},
		{"deeper", `{"limits":{"sha256":"a"},"sha256":null}`, `{"limits":{"sha256":"a"},"sha256":"H"}`},
		{"escaped", `{"id":"}\"","sha256" : "a"}`, `{"id":"}\"","sha256" : "H"}`},
		{"list", `[]`, ""},
		{"cut", `{"id":"x"`, ""},
		{"text", `x`, ""},
	} {
		got, err := setHash([]byte(c.in), "H")
		if string(got) != c.want || (err != nil) != (c.want == "") || err != nil && ports.CodeOf(err) != ports.CodeUsage {
			t.Errorf("%s: %s %v", c.name, got, err)
		}
	}
}

func FuzzSetHash(f *testing.F) {
	f.Add([]byte(`{"a":[{"sha256":1}],"sha256":"x"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := setHash(b, zeros)
		if err != nil || !json.Valid(b) {
			return
		}
		var m map[string]json.RawMessage
		if err := json.Unmarshal(got, &m); err != nil || !strings.Contains(string(got), zeros) {
			t.Fatalf("%s -> %s: %v", b, got, err)
		}
	})
}
