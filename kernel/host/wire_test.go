package host

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestNotificationsAreEvents(t *testing.T) {
	p, _ := probe(t, Config{}, nil)
	var got []string
	_, err := p.Call(context.Background(), ports.Call{Tool: "probe_note", Emit: func(e ports.Event) {
		got = append(got, e.Kind+" "+e.Text+" "+string(e.Data))
	}})
	want := []string{`progress half {"progress":1,"total":2}`, `log careful {"level":"warning"}`}
	if err != nil || !slices.Equal(got, want) {
		t.Fatal(got, err)
	}
	if got := call(t, p, "probe_note", "{}"); got != "noted" { // nobody listens
		t.Fatal(got)
	}
}

// What a guest calls is nested in the call it serves, whatever it says.
func TestNestedCallIsTheHosts(t *testing.T) {
	p, last := probe(t, Config{}, map[string]ports.Result{"ui.ask": {Data: json.RawMessage(`{"text":"the red one"}`)}})
	r, err := p.Call(context.Background(), ports.Call{ID: "7", Run: "r", Tab: "t1", Mode: ports.ModeAsk, Tier: ports.TierMid, From: ports.FromModel, Tool: "probe_ask"})
	if err != nil || r.Text() != "the red one" {
		t.Fatal(r, err)
	}
	c := *last
	if c.Parent != "7" || c.Run != "r" || c.Tab != "t1" || c.Mode != ports.ModeAsk || c.Tier != ports.TierMid || c.From != "probe" || c.Depth != 1 || c.ID != "" {
		t.Fatalf("%+v", c)
	}
	r, err = p.Call(context.Background(), ports.Call{Tab: "t1", Mode: ports.ModeDev, Tier: ports.TierFull, Tool: "probe_where"})
	if err != nil || r.Text() != "t1 dev full" {
		t.Fatal(r, err)
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	p, _ := probe(t, Config{}, nil)
	_, err := p.Call(context.Background(), ports.Call{Tool: "probe_fail"})
	if ports.CodeOf(err) != ports.CodeStaleRef || ports.FixOf(err) != "look again" || err.Error() != "while looking: e3 is gone" {
		t.Fatalf("%v %q", err, ports.FixOf(err))
	}
	if _, err := p.Call(context.Background(), ports.Call{Tool: "probe_ask"}); ports.CodeOf(err) != ports.CodeRefused {
		t.Fatal(err)
	}
}

func TestProviderAndAdapter(t *testing.T) {
	p, _ := probe(t, Config{}, nil)
	req := ports.ChatRequest{Messages: []ports.Message{{Role: "user", Content: []ports.Part{
		{Type: "text", Text: "hello"}, {Type: "image", MIME: "image/png", Data: make([]byte, 200_000), Handle: "h123"}}}}}
	var streamed []string
	reply, err := p.Chat(context.Background(), ports.Call{}, req, func(d ports.Delta) { streamed = append(streamed, d.Text) })
	want := []string{"hello", "image/png of 200000 bytes"}
	if err != nil || !slices.Equal(streamed, want) || len(reply.Message.Content) != 2 || reply.Finish != "stop" {
		t.Fatal(streamed, reply, err)
	}
	if len(req.Messages[0].Content[1].Data) != 200_000 {
		t.Fatal("the caller's request was changed")
	}
	models, err := p.Models(context.Background(), ports.Call{}, ports.Endpoint{})
	if err != nil || len(models) != 2 {
		t.Fatal(models, err)
	}
	notes, err := p.Match(context.Background(), "https://a.example/")
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "a.example") {
		t.Fatal(notes, err)
	}
	text := samples(t, Limits{}, Pool).plugins["text"]
	if _, err := text.Match(context.Background(), "x"); ports.CodeOf(err) != ports.CodeGuest {
		t.Fatal(err)
	}
}

// Third parties may raise what is assumed of their tools, not lower it.
func TestSpecs(t *testing.T) {
	ctx := context.Background()
	act := []ports.Grant{{Tool: "browser.act"}}
	look := []ports.Grant{{Tool: "browser.read"}, {Tool: "http.fetch", Origins: []string{"https://a.example"}}}
	cases := map[string]struct {
		c            Config
		fetch, sends ports.Risk // declared read, and act in mode ask
		modes        []ports.Mode
	}{
		"builtin":       {Config{Builtin: true, Grants: act}, ports.RiskRead, ports.RiskAct, []ports.Mode{ports.ModeAsk, ports.ModeAct}},
		"looks_only":    {Config{Grants: look}, ports.RiskRead, ports.RiskAct, []ports.Mode{ports.ModeAct}},
		"may_act":       {Config{Grants: act}, ports.RiskAct, ports.RiskAct, []ports.Mode{ports.ModeAct}},
		"posts":         {Config{Grants: []ports.Grant{{Tool: "http.fetch", Methods: []string{"POST"}}}}, ports.RiskAct, ports.RiskAct, []ports.Mode{ports.ModeAct}},
		"whole_browser": {Config{Grants: []ports.Grant{{Tool: "browser.*"}}}, ports.RiskAct, ports.RiskAct, []ports.Mode{ports.ModeAct}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p, _ := probe(t, c.c, nil)
			tools, err := p.Tools(ctx)
			if err != nil || len(tools) != 8 {
				t.Fatal(len(tools), err)
			}
			fetch, sends := tools[0].Spec(), tools[1].Spec()
			if fetch.Risk != c.fetch || sends.Risk != c.sends || !slices.Equal(sends.Modes, c.modes) || fetch.Owner != "probe" {
				t.Fatalf("%+v\n%+v", fetch, sends)
			}
			r, err := tools[5].Call(ctx, ports.Call{Tool: "something else", Tab: "t"})
			if err != nil || !strings.HasPrefix(r.Text(), "t ") {
				t.Fatal(r, err)
			}
		})
	}
}
