package host

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// The official SDK's own example servers run as plugins, as they are.
func TestOfficialEverything(t *testing.T) {
	var asked []string
	p := load(t, "official/everything", Config{ID: "everything", Instances: PerRun}, ports.CallFunc(func(_ context.Context, c ports.Call) (ports.Result, error) {
		asked = append(asked, c.Tool)
		switch c.Tool {
		case "model.chat":
			return ports.DataResult(ports.ChatReply{Finish: "stop", Message: ports.Message{Role: "assistant", Content: []ports.Part{{Type: "text", Text: "a sample"}}}}), nil
		case "ui.ask":
			return ports.DataResult(ports.Answer{Choice: "allow", Text: "val"}), nil
		}
		return ports.Result{}, ports.NewError(ports.CodeRefused, "no "+c.Tool, "")
	}))
	ctx := context.Background()
	specs, err := p.Specs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		if s.Risk != ports.RiskAct || s.Trusted || len(s.Input) == 0 {
			t.Errorf("%+v", s)
		}
	}
	want := []string{"greet", "greet_structured", "greet_content_with_ResourceLink", "ping", "log", "sample", "elicit_form", "roots"}
	for _, w := range want {
		if !slices.Contains(names, w) {
			t.Errorf("%s is not among %v", w, names)
		}
	}
	for _, c := range []struct{ tool, args, want string }{
		{"greet", `{"name":"you"}`, "Hi you"},
		{"greet_structured", `{"name":"you"}`, "Hi you"},
		{"ping", `{}`, ""},
		{"log", `{}`, ""},
		{"sample", `{}`, "a sample"},
		{"elicit_form", `{}`, "val"},
		{"roots", `{}`, "unknown method roots/list"},
	} {
		r, err := p.Call(ctx, ports.Call{Run: "r", Tool: c.tool, Args: json.RawMessage(c.args)})
		if got := r.Text() + errText(err); !strings.Contains(got, c.want) {
			t.Errorf("%s: %+v %v", c.tool, r, err)
		}
	}
	if !slices.Equal(asked, []string{"model.chat", "ui.ask"}) {
		t.Error(asked)
	}
}

// A server that keeps state keeps it for one run.
func TestOfficialMemory(t *testing.T) {
	p := load(t, "official/memory", Config{ID: "memory", Instances: PerRun}, nil)
	call := func(run, tool, args string) string {
		t.Helper()
		r, err := p.Call(context.Background(), ports.Call{Run: run, Tool: tool, Args: json.RawMessage(args)})
		if err != nil {
			t.Fatal(err)
		}
		return r.Text() + string(r.Data)
	}
	call("a", "create_entities", `{"entities":[{"name":"wb","entityType":"program","observations":["small"]}]}`)
	if a, b := call("a", "read_graph", `{}`), call("b", "read_graph", `{}`); !strings.Contains(a, "program") || strings.Contains(b, "program") {
		t.Fatal(a, b)
	}
}
