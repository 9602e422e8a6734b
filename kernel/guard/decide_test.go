package guard

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

const shop = "https://shop.example"

func TestDecide(t *testing.T) {
	named := Policy{Origins: []string{shop}}
	lifted := Policy{Origins: []string{shop}, Allow: []Rule{{Origin: shop, Do: []string{"pay", "eval", "close_tab"}}}}
	click := func(name string, f Facts) Facts {
		f.Kind, f.Name, f.Role = KindWrite, name, "button"
		if f.Top == "" {
			f.Top, f.Frame = shop, shop
		}
		return f
	}
	tests := map[string]struct {
		why  string
		p    Policy
		f    Facts
		from string
		want Verdict
		fix  string
	}{
		"click on a named origin":      {"the person named it", named, click("Add", Facts{}), "", Allowed, ""},
		"click elsewhere":              {"reading does not allow writing", named, click("Add", Facts{Top: "https://evil.example", Frame: "https://evil.example"}), "", Denied, "--allow-origin https://evil.example"},
		"same host, other port":        {"an origin is scheme, host and port", named, click("Add", Facts{Top: shop + ":8443", Frame: shop + ":8443"}), "", Denied, "--allow-origin"},
		"same host, plain http":        {"", named, click("Add", Facts{Top: "http://shop.example", Frame: "http://shop.example"}), "", Denied, "--allow-origin"},
		"foreign frame in named page":  {"the frame's own origin decides", named, click("Add", Facts{Top: shop, Frame: "https://ads.example"}), "", Denied, "ads.example"},
		"named frame in foreign page":  {"so does the page around it: it may cover the frame", named, click("Add", Facts{Top: "https://evil.example", Frame: shop}), "", Denied, "evil.example"},
		"opaque frame":                 {"no origin is no named origin", named, click("Add", Facts{Top: shop, Frame: "null"}), "", Denied, ""},
		"form sent elsewhere":          {"where the form goes counts", named, click("Save", Facts{Submits: true, Action: "https://evil.example/x"}), "", Denied, "evil.example"},
		"form sent home":               {"", named, click("Save", Facts{Submits: true, Action: shop + "/x"}), "", Allowed, ""},
		"link elsewhere":               {"a link is read", named, click("Docs", Facts{Link: "https://docs.example/"}), "", Allowed, ""},
		"pay":                          {"spending money is refused without a rule", named, click("Pay now", Facts{}), "", Ask, "do: [pay]"},
		"pay, allowed":                 {"", lifted, click("Pay now", Facts{}), "", Allowed, ""},
		"delete":                       {"a rule for one deed is none for another", lifted, click("Delete account", Facts{}), "", Ask, "do: [delete]"},
		"delete, in German":            {"", named, click("Löschen", Facts{}), "", Ask, "do: [delete]"},
		"a word that begins like it":   {"", named, click("Payload inspector", Facts{}), "", Allowed, ""},
		"a form with a card":           {"card fields make it a payment, whatever the button says", named, click("Continue", Facts{Submits: true, Action: shop, Fields: []string{"card"}}), "", Ask, "do: [pay]"},
		"typing the word":              {"a field named Delete is only typed into", named, Facts{Kind: KindWrite, Top: shop, Frame: shop, Role: "textbox", Name: "Delete"}, "", Allowed, ""},
		"no policy":                    {"a run without a policy only reads", Policy{}, click("Add", Facts{}), "", Denied, ""},
		"wildcard":                     {"", Policy{Origins: []string{"https://*.example"}}, click("Add", Facts{}), "", Allowed, ""},
		"wildcard is not the apex":     {"", Policy{Origins: []string{"https://*.shop.example"}}, click("Add", Facts{}), "", Denied, ""},
		"look":                         {"scrolling changes nothing", Policy{}, Facts{Kind: KindLook}, "", Allowed, ""},
		"read anywhere":                {"", named, Facts{Kind: KindNav, URL: "https://any.example/x?y"}, "", Allowed, ""},
		"back":                         {"", named, Facts{Kind: KindNav}, "", Allowed, ""},
		"a file":                       {"", named, Facts{Kind: KindNav, URL: "file:///etc/passwd"}, "", Denied, "http"},
		"browser pages":                {"", named, Facts{Kind: KindNav, URL: "chrome://settings"}, "", Denied, "http"},
		"script in an address":         {"", named, Facts{Kind: KindNav, URL: "javascript:alert(1)"}, "", Denied, "http"},
		"credentials in an address":    {"", named, Facts{Kind: KindNav, URL: "https://a:b@shop.example/"}, "", Denied, ""},
		"this machine":                 {"", named, Facts{Kind: KindNav, URL: "http://127.0.0.1:8080/"}, "", Denied, "--allow-origin http://127.0.0.1:8080"},
		"this machine, named":          {"", Policy{Origins: []string{"http://127.0.0.1:8080"}}, Facts{Kind: KindNav, URL: "http://127.0.0.1:8080/x"}, "", Allowed, ""},
		"this machine in IPv6":         {"", named, Facts{Kind: KindNav, URL: "http://[::ffff:127.0.0.1]/"}, "", Denied, ""},
		"the cloud's metadata":         {"", named, Facts{Kind: KindNav, URL: "http://169.254.169.254/latest"}, "", Denied, ""},
		"close own tab":                {"", named, Facts{Kind: KindTab, Verb: "close", Own: true}, "", Allowed, ""},
		"close a person's tab":         {"", named, Facts{Kind: KindTab, Verb: "close", Top: shop}, "", Denied, "close_tab"},
		"close a person's tab, lifted": {"", lifted, Facts{Kind: KindTab, Verb: "close", Top: shop}, "", Allowed, ""},
		"OK to a foreign dialog":       {"OK is an answer to the page", named, Facts{Kind: KindTab, Verb: "dialog", Top: "https://evil.example"}, "", Denied, ""},
		"eval":                         {"", named, Facts{Kind: KindEval, Top: shop, Frame: shop}, "", Denied, "do: [eval]"},
		"eval, lifted":                 {"", lifted, Facts{Kind: KindEval, Top: shop, Frame: shop}, "", Allowed, ""},
		"eval in a foreign frame":      {"", lifted, Facts{Kind: KindEval, Top: shop, Frame: "https://ads.example"}, "", Denied, ""},
		"fetch without a grant":        {"", named, Facts{Kind: KindFetch, URL: shop}, "stranger", Denied, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(tt.p, tt.f, ports.Call{From: tt.from, Tool: "x"})
			if d.Verdict != tt.want || !strings.Contains(d.Fix, tt.fix) {
				t.Errorf("%s: got %s (%s; fix %q), want %s with a fix naming %q", tt.why, d.Verdict, d.Reason, d.Fix, tt.want, tt.fix)
			}
			if d.Verdict != Allowed && (d.Reason == "" || d.Rule == "") {
				t.Errorf("a refusal without rule or reason: %+v", d)
			}
		})
	}
}

func TestFetchGrants(t *testing.T) {
	p := Policy{Grants: map[string][]GrantedFetch{
		"openai": {{Origins: []string{"config"}, Methods: []string{"POST"}}},
		"wiki":   {{Origins: []string{"https://*.wiki.example"}}},
	}, Reach: map[string][]string{"openai": {"https://api.example"}}}
	tests := map[string]struct {
		from, method, url string
		want              Verdict
	}{
		"configured":          {"openai", "POST", "https://api.example/v1/chat", Allowed},
		"configured, read":    {"openai", "GET", "https://api.example/v1/models", Allowed},
		"configured, put":     {"openai", "PUT", "https://api.example/", Denied},
		"another's config":    {"wiki", "GET", "https://api.example/", Denied},
		"somewhere else":      {"openai", "POST", "https://evil.example/", Denied},
		"below a host":        {"wiki", "GET", "https://en.wiki.example/x", Allowed},
		"below, but writing":  {"wiki", "POST", "https://en.wiki.example/x", Denied},
		"ends in the host":    {"wiki", "GET", "https://evilwiki.example/", Denied},
		"credentials in it":   {"wiki", "GET", "https://u:p@en.wiki.example/", Denied},
		"not a web address":   {"wiki", "GET", "file:///etc/passwd", Denied},
		"host in upper case":  {"openai", "POST", "https://API.EXAMPLE/v1", Allowed},
		"the standard port":   {"openai", "POST", "https://api.example:443/v1", Allowed},
		"another port":        {"openai", "POST", "https://api.example:8443/v1", Denied},
		"userinfo confusion":  {"openai", "POST", "https://api.example@evil.example/", Denied},
		"backslash confusion": {"openai", "POST", `https://evil.example\@api.example/`, Denied},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(p, Facts{Kind: KindFetch, URL: tt.url, Verb: tt.method}, ports.Call{From: tt.from, Tool: "http.fetch"})
			if d.Verdict != tt.want {
				t.Errorf("got %s (%s), want %s", d.Verdict, d.Reason, tt.want)
			}
		})
	}
}

func TestNavigation(t *testing.T) {
	p := Policy{Origins: []string{shop, "http://127.0.0.1:9000"}}
	tests := map[string]struct {
		n  ports.Navigation
		ok bool
	}{
		"a link out":            {ports.Navigation{URL: "https://other.example/", From: shop, Method: "GET"}, true},
		"a form home":           {ports.Navigation{URL: shop + "/save", From: shop, Method: "POST"}, true},
		"a form out":            {ports.Navigation{URL: "https://evil.example/take", From: shop, Method: "POST"}, false},
		"to this machine":       {ports.Navigation{URL: "http://127.0.0.1:631/", From: shop, Method: "GET"}, false},
		"to this machine, own":  {ports.Navigation{URL: "http://127.0.0.1:9000/x", From: shop, Method: "GET"}, true},
		"an empty frame":        {ports.Navigation{URL: "about:blank", Frame: true}, true},
		"a data frame":          {ports.Navigation{URL: "data:text/html,x", Frame: true}, true},
		"a file":                {ports.Navigation{URL: "file:///etc/passwd", From: shop}, false},
		"a browser page":        {ports.Navigation{URL: "chrome://settings", From: shop}, false},
		"a redirect to the LAN": {ports.Navigation{URL: "http://192.168.1.1/admin", From: "https://other.example/", Method: "GET"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := Navigation(p, tt.n)
			if (err == nil) != tt.ok || err != nil && ports.CodeOf(err) != ports.CodeBlocked {
				t.Errorf("got %v, want ok %v", err, tt.ok)
			}
		})
	}
}

func TestDoors(t *testing.T) {
	g := New(nil, func(id string) []ports.Grant {
		if id == "page" {
			return []ports.Grant{{Tool: "browser.read"}, {Tool: "kv.*"}}
		}
		return nil
	})
	act := ports.Spec{Name: "press", Risk: ports.RiskAct, Modes: []ports.Mode{ports.ModeAct}, Tiers: []ports.Tier{ports.TierFull}}
	read := ports.Spec{Name: "browser.read", Risk: ports.RiskRead}
	tests := map[string]struct {
		s  ports.Spec
		c  ports.Call
		ok bool
	}{
		"model acts in act":           {act, ports.Call{From: ports.FromModel, Mode: ports.ModeAct}, true},
		"model acts in ask":           {act, ports.Call{From: ports.FromModel, Mode: ports.ModeAsk}, false},
		"model of a smaller tier":     {act, ports.Call{From: ports.FromModel, Tier: ports.TierCompact}, false},
		"model at a primitive":        {read, ports.Call{From: ports.FromModel}, false},
		"MCP client at a primitive":   {read, ports.Call{From: ports.FromMCP}, false},
		"plugin with a grant":         {read, ports.Call{From: "page"}, true},
		"plugin with a family":        {ports.Spec{Name: "kv.get"}, ports.Call{From: "page"}, true},
		"plugin without":              {ports.Spec{Name: "model.chat"}, ports.Call{From: "page"}, false},
		"unknown plugin":              {read, ports.Call{From: "stranger"}, false},
		"plugin at another's tool":    {act, ports.Call{From: "page"}, false},
		"the kernel at a primitive":   {read, ports.Call{From: ports.FromKernel}, true},
		"a family is not its prefix":  {ports.Spec{Name: "kvx.get"}, ports.Call{From: "page"}, false},
		"nobody":                      {read, ports.Call{}, false},
		"person acts with their mode": {act, ports.Call{From: ports.FromUser, Mode: ports.ModeAsk}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.c.Tool, tt.c.Args = tt.s.Name, json.RawMessage(`{}`)
			err := g.Allow(context.Background(), tt.s, tt.c)
			if (err == nil) != tt.ok {
				t.Errorf("got %v, want ok %v", err, tt.ok)
			}
			if err != nil && ports.FixOf(err) == "" {
				t.Errorf("a refusal without a fix: %v", err)
			}
		})
	}
}

func FuzzOriginOf(f *testing.F) {
	for _, s := range []string{"https://a.example:443/x", "http://[::1]:80", "HTTPS://A", "//x", "https://a@b", "http://a\\@b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if o := OriginOf(s); o != "" && OriginOf(o) != o {
			t.Errorf("%q has origin %q, which has origin %q", s, o, OriginOf(o))
		}
	})
}
