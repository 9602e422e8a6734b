package host

import (
	"encoding/json"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// TestWordsThatLookLikeAHandle: what a page says must not stop a request that tells a model of it.
func TestWordsThatLookLikeAHandle(t *testing.T) {
	p := &Plugin{id: "p", limits: Limits{}.withDefaults()}
	in := &instance{p: p}
	x := in.newExchange(t.Context(), ports.Call{}, ask{})
	h, err := x.handles.add("image/png", []byte("picture"), nil)
	if err != nil {
		t.Fatal(err)
	}
	body := `the page says {{attach:x}} and {{attach:../../etc}} beside {{attach:` + h + `}}`
	got, err := x.attachments(ports.Call{Tool: "http.fetch", Args: ports.JSON(map[string]string{"url": "https://a.example", "body": body})})
	if err != nil || len(got) != 1 || string(got[h]) != "picture" {
		t.Errorf("got %d attachments, %v", len(got), err)
	}
	var none json.RawMessage
	if got, err := x.attachments(ports.Call{Tool: "kv.put", Args: none}); got != nil || err != nil {
		t.Errorf("another tool: %v %v", got, err)
	}
}

// TestStrangeDescriptions: a model reads a third party's words about a tool as such, and not without end.
func TestStrangeDescriptions(t *testing.T) {
	long := make([]byte, maxStrange*3)
	for i := range long {
		long[i] = 'x'
	}
	p := &Plugin{id: "weather"}
	s, err := p.spec(toolSpec("look", string(long), `{"type":"object"}`))
	if err != nil || len(s.Description) > maxStrange+100 || s.Description[:16] != "[plugin weather]" {
		t.Errorf("%d bytes, %.40q, %v", len(s.Description), s.Description, err)
	}
	if _, err := p.spec(toolSpec("look", "", `{"type":"object","title":"`+string(make([]byte, maxSchema))+`"}`)); ports.CodeOf(err) != ports.CodeOversized {
		t.Errorf("a schema without end: %v", err)
	}
	own := &Plugin{id: "page", builtin: true}
	if s, err := own.spec(toolSpec("look", "Look.", `{"type":"object"}`)); err != nil || s.Description != "Look." {
		t.Errorf("%q %v", s.Description, err)
	}
}

func toolSpec(name, about, schema string) abi.ToolSpec {
	return abi.ToolSpec{Name: name, Description: about, InputSchema: json.RawMessage(schema)}
}
