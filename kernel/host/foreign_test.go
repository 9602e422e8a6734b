package host

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// An unmodified server on the official SDK is a plugin: nothing but the requests is written to its stdin.
func TestForeignServer(t *testing.T) {
	p := load(t, "testdata/foreign", Config{ID: "foreign", Instances: PerRun}, nil)
	ctx := context.Background()
	tools, err := p.Specs(ctx)
	if err != nil || len(tools) != 1 || tools[0].Name != "greet" || len(tools[0].Input) == 0 {
		t.Fatalf("%+v %v", tools, err)
	}
	greet := func(run string) (o struct {
		Greeting string
		Calls    int
	}) {
		t.Helper()
		r, err := p.Call(ctx, ports.Call{Run: run, Tool: "greet", Args: json.RawMessage(`{"name":"x"}`)})
		if err != nil || r.IsError || json.Unmarshal(r.Data, &o) != nil {
			t.Fatalf("%+v %v", r, err)
		}
		return o
	}
	if o := greet("a"); o.Greeting != "hello x" || o.Calls != 1 {
		t.Fatal(o)
	}
	t0 := time.Now()
	const n = 50
	for range n {
		greet("a")
	}
	t.Logf("%v a call", time.Since(t0)/n)
	if a, b := greet("a"), greet("b"); a.Calls != n+2 || b.Calls != 1 {
		t.Fatalf("runs share state: %v %v", a, b)
	}
	p.EndRun("a")
	if o := greet("a"); o.Calls != 1 {
		t.Fatal("state outlived its run")
	}
	r, err := p.Call(ctx, ports.Call{Tool: "greet", Args: json.RawMessage(`{"name":3}`)})
	if err == nil && !r.IsError {
		t.Fatalf("wrong arguments were accepted: %+v", r)
	}
}
