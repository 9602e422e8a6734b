package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

// kernel finds the plugin of a tool by its name's first word, as a registry would.
type kernel struct {
	plugins map[string]*Plugin
	before  func(ports.Call) error
}

func (k *kernel) Call(ctx context.Context, c ports.Call) (ports.Result, error) {
	if k.before != nil {
		if err := k.before(c); err != nil {
			return ports.Result{}, err
		}
	}
	name, _, _ := strings.Cut(c.Tool, "_")
	if p := k.plugins[name]; p != nil {
		return p.Call(ctx, c)
	}
	return ports.Result{}, &ports.Error{Code: ports.CodeRefused, Msg: "no tool " + c.Tool}
}

// samples loads both plugins of the one sample module.
func samples(t testing.TB, l Limits, mode Mode) *kernel {
	k := &kernel{plugins: map[string]*Plugin{}}
	for _, name := range []string{"text", "relay"} {
		k.plugins[name] = load(t, "testdata/sample", Config{ID: name, Entry: name, Instances: mode, Limits: l}, k)
	}
	return k
}

func via(tool, args string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"tool":%q,"args":%s}`, tool, args))
}

func TestHandshakeAndTools(t *testing.T) {
	k := samples(t, Limits{}, Pool)
	for name, want := range map[string]string{"text": "text_count", "relay": "relay_via"} {
		tools, err := k.plugins[name].Specs(context.Background())
		if err != nil || len(tools) == 0 || tools[0].Name != want {
			t.Fatalf("%+v %v", tools, err)
		}
	}
	if got := call(t, k.plugins["text"], "text_count", `{"text":"a b"}`); got != `{"words":2,"bytes":3}` {
		t.Fatal(got)
	}
	if _, err := k.plugins["text"].Call(context.Background(), ports.Call{Tool: "nope"}); ports.CodeOf(err) != ports.CodeGuest {
		t.Fatal(err)
	}
	if n := k.plugins["text"].Live(); n != 1 {
		t.Fatalf("%d instances for sequential calls", n)
	}
}

// Lines longer than a pipe's buffer pass in both directions, nested ones too.
func TestLargeLines(t *testing.T) {
	k := samples(t, Limits{}, Pool)
	args := fmt.Sprintf(`{"text":%q}`, strings.Repeat("word ", 200_000))
	want := `{"words":200000,"bytes":1000000}`
	if got := call(t, k.plugins["text"], "text_count", args); got != want {
		t.Fatal(got)
	}
	echo := &kernel{plugins: map[string]*Plugin{}}
	big := strings.Repeat("y", 1<<20)
	p := load(t, "testdata/sample", Config{ID: "relay", Entry: "relay"}, ports.CallFunc(func(context.Context, ports.Call) (ports.Result, error) {
		return ports.Result{Data: json.RawMessage(`{"big":"` + big + `"}`)}, nil
	}))
	echo.plugins["relay"] = p
	if got := call(t, p, "relay_via", string(via("x", "{}"))); got != `{"big":"`+big+`"}` {
		t.Fatal(len(got))
	}
}

// Ten calls, each of which calls into the same plugin while all ten are in progress.
func TestTenReentrantCalls(t *testing.T) {
	const n = 10
	k := samples(t, Limits{Idle: n}, Pool)
	var all sync.WaitGroup
	all.Add(n)
	k.before = func(c ports.Call) error {
		if c.From != "relay" || c.Depth != 1 || c.Run != "r" {
			return fmt.Errorf("the host lost who calls: %+v", c)
		}
		all.Done()
		all.Wait()
		return nil
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			r, err := k.plugins["relay"].Call(context.Background(), ports.Call{Run: "r", Tool: "relay_via", Args: via("relay_dive", `{"levels":1}`)})
			if err != nil || r.Text() != `{"reached":1}` {
				t.Errorf("%+v %v", r, err)
			}
		})
	}
	wg.Wait()
	if live := k.plugins["relay"].Live(); live != n {
		t.Fatalf("%d instances kept, want %d", live, n)
	}
}

func TestDepth(t *testing.T) {
	k := samples(t, Limits{}, Pool)
	if got := call(t, k.plugins["relay"], "relay_dive", `{"levels":8}`); got != `{"reached":8}` {
		t.Fatal(got)
	}
	r, err := k.Call(context.Background(), ports.Call{Tool: "relay_dive", Args: json.RawMessage(`{"levels":9}`)})
	if ports.CodeOf(err) != ports.CodeTooDeep {
		t.Fatalf("%+v %v", r, err)
	}
	_, err = k.Call(context.Background(), ports.Call{Depth: MaxDepth, Tool: "relay_dive", Args: json.RawMessage(`{"levels":1}`)})
	if ports.CodeOf(err) != ports.CodeTooDeep {
		t.Fatal(err)
	}
}

func TestLiveCapFailsAtOnce(t *testing.T) {
	k := samples(t, Limits{Live: 3}, Pool)
	r, err := k.Call(context.Background(), ports.Call{Tool: "relay_dive", Args: json.RawMessage(`{"levels":4}`)})
	if ports.CodeOf(err) != ports.CodeExhausted {
		t.Fatalf("%+v %v", r, err)
	}
	if got := call(t, k.plugins["relay"], "relay_dive", `{"levels":3}`); got != `{"reached":3}` {
		t.Fatal(got)
	}
}

// A single instance serves calls in turn; a nested call into it fails at once, for it would wait for itself.
func TestSingle(t *testing.T) {
	k := samples(t, Limits{}, Single)
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() { call(t, k.plugins["relay"], "relay_dive", `{"levels":1}`) })
	}
	wg.Wait()
	if n := k.plugins["relay"].Live(); n != 1 {
		t.Fatalf("%d instances", n)
	}
	t0 := time.Now()
	r, err := k.Call(context.Background(), ports.Call{Tool: "relay_dive", Args: json.RawMessage(`{"levels":2}`)})
	if ports.CodeOf(err) != ports.CodeBusy || time.Since(t0) > time.Second {
		t.Fatalf("%+v %v", r, err)
	}
}
