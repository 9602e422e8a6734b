package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

func fetchOf(methods, origins string) ports.Grant {
	return ports.Grant{Tool: "http.fetch", Origins: strings.Fields(origins), Methods: strings.Fields(methods)}
}

func TestGrantsInWords(t *testing.T) {
	for _, c := range []struct {
		grants []ports.Grant
		want   string
	}{
		{nil, noGrants},
		{[]ports.Grant{{Tool: "browser.read"}, {Tool: "kv.get"}, {Tool: "kv.keys"}}, "read pages in the browser; read the notes that it keeps"},
		{[]ports.Grant{fetchOf("GET POST", "https://api.x.example")}, "send HTTP requests to https://api.x.example (GET, POST)"},
		{[]ports.Grant{fetchOf("", "https://*.x.example config")}, "send HTTP requests to https://*.x.example and the base_url of the providers in your config that name it (GET)"},
		{[]ports.Grant{fetchOf("", "http://127.0.0.1:8080")}, "send HTTP requests to http://127.0.0.1:8080, on this machine or its network, where --allow-origin names it too (GET)"},
		{[]ports.Grant{{Tool: "browser.act", Origins: []string{"https://a.example"}}}, "fill in and press controls in pages, only on https://a.example"},
		{[]ports.Grant{{Tool: "new.thing\x1b[2J"}}, "call new.thing[2J"},
	} {
		if got := joinWords(c.grants); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func TestWiderGrants(t *testing.T) {
	read, all := ports.Grant{Tool: "browser.read"}, ports.Grant{Tool: "browser.*"}
	for _, c := range []struct {
		name        string
		before, now []ports.Grant
		want        int
	}{
		{"nothing", nil, nil, 0},
		{"first", nil, []ports.Grant{read}, 1},
		{"same", []ports.Grant{read}, []ports.Grant{read}, 0},
		{"less", []ports.Grant{all}, []ports.Grant{read}, 0},
		{"family of one", []ports.Grant{read}, []ports.Grant{all}, 1},
		{"method", []ports.Grant{fetchOf("GET", "https://a.example")}, []ports.Grant{fetchOf("GET POST", "https://a.example")}, 1},
		{"no method is GET", []ports.Grant{fetchOf("GET", "https://a.example")}, []ports.Grant{fetchOf("", "https://a.example")}, 0},
		{"origin", []ports.Grant{fetchOf("", "https://a.example")}, []ports.Grant{fetchOf("", "https://a.example https://b.example")}, 1},
		{"below", []ports.Grant{fetchOf("", "https://*.a.example")}, []ports.Grant{fetchOf("", "https://x.a.example")}, 0},
		{"above", []ports.Grant{fetchOf("", "https://x.a.example")}, []ports.Grant{fetchOf("", "https://*.a.example")}, 1},
		{"bound no more", []ports.Grant{{Tool: "browser.act", Origins: []string{"https://a.example"}}}, []ports.Grant{{Tool: "browser.act"}}, 1},
		{"split up", []ports.Grant{fetchOf("GET POST", "https://a.example")}, []ports.Grant{fetchOf("GET", "https://a.example"), fetchOf("POST", "https://a.example")}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wider(c.before, c.now); len(got) != c.want {
				t.Errorf("got %+v, want %d", got, c.want)
			}
		})
	}
}

func TestPickGrants(t *testing.T) {
	asked := []ports.Grant{{Tool: "browser.read"}, {Tool: "browser.act"}, fetchOf("GET POST", "https://a.example https://b.example")}
	for _, c := range []struct{ patterns, want string }{
		{"", "browser.act browser.read http.fetch@https://a.example http.fetch@https://b.example"},
		{"none", "none"},
		{"browser.*", "browser.act browser.read"},
		{"browser.read http.fetch@https://b.example", "browser.read http.fetch@https://b.example"},
		{"http.fetch@https://c.example", "error"},
		{"kv.get", "error"},
		{"none browser.read", "error"},
	} {
		got, err := pick(asked, strings.Fields(c.patterns))
		text := strings.Join(patternsOf(got), " ")
		if err != nil {
			text = "error"
			if !strings.Contains(ports.FixOf(err), "browser.act") {
				t.Errorf("fix: %s", ports.FixOf(err))
			}
		}
		if diff := cmp.Diff(c.want, text); diff != "" {
			t.Errorf("%s: %s", c.patterns, diff)
		}
	}
	got, _ := pick(asked, []string{"http.fetch"})
	if len(got) != 1 || len(got[0].Methods) != 2 {
		t.Errorf("a pattern takes the methods that are asked: %+v", got)
	}
}
