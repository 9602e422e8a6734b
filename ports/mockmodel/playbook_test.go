package mockmodel

import (
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

func TestParse(t *testing.T) {
	p, err := Parse([]byte(`
key: k
rules:
  - name: first
    when: {user: "(?i)order", turn: 1, tools: [click_ax], times: 2}
    reply: {text: hi, think: hm, calls: [{tool: click_ax, args: {ref: '{{ref role="button"}}', n: 3}}]}
  - fault: {delay: 1500ms, status: 429, retry_after: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	if p.Key != "k" || len(p.Rules) != 2 || p.Rules[1].Fault.Delay != 1500*time.Millisecond || !p.Rules[0].When.User.fits("ORDER") {
		t.Errorf("got %+v", p)
	}
	if p, err = Parse([]byte("- reply: {text: hi}\n")); err != nil || len(p.Rules) != 1 {
		t.Errorf("a bare list: %+v, %v", p, err)
	}
}

func TestParseErrors(t *testing.T) {
	for name, tt := range map[string]struct{ src, want string }{
		"empty":          {"", "empty"},
		"not yaml":       {"- {", "line 1"},
		"unknown key":    {"- when:\n    usr: x\n  reply: {text: hi}", `line 2: unknown key "usr", the nearest is "user"`},
		"unknown top":    {"ruels: []", `line 1: unknown key "ruels", the nearest is "rules"`},
		"bad expression": {"- when: {user: '('}\n  reply: {text: hi}", "line 1"},
		"nothing to do":  {"- when: {turn: 1}", "neither reply nor fault"},
		"good status":    {"- fault: {status: 200}", "status 200"},
		"bad finish":     {"- reply: {finish: done}", `finish "done"`},
		"no tool":        {"- reply: {calls: [{args: {}}]}", "names no tool"},
		"bad keys":       {"- reply: {calls: [{tool: t, args: {a: {1: x}}}]}", "arguments of t"},
		"a scalar":       {"hello", "line 1"},
		"negative":       {"- fault: {cut_after: -1}", "negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(tt.src))
			if ports.CodeOf(err) != ports.CodeUsage || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q in it", err, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("- when: {user: x}\n  reply: {text: '{{match \"(\"}}'}\n"))
	f.Add([]byte("rules: &a [*a]"))
	f.Add([]byte("- fault: {delay: 1s, hang: true}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, err := Parse(src)
		if err != nil {
			return
		}
		c := &Conversation{Messages: []Message{{Role: "user", Text: `button "Save" [e1]`}}}
		for _, r := range p.Rules {
			r.When.fits(c, 0)
			if r.Reply != nil {
				c.render(*r.Reply, func() string { return "id" })
			}
		}
	})
}
