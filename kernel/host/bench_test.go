package host

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"
)

func BenchmarkCall(b *testing.B) {
	k := samples(b, Limits{}, Pool)
	f := load(b, "testdata/foreign", Config{ID: "foreign"}, nil)
	run := func(name string, p *Plugin, c ports.Call) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r, err := p.Call(context.Background(), c); err != nil || r.IsError {
					b.Fatal(r, err)
				}
			}
		})
	}
	run("flat", k.plugins["text"], ports.Call{Tool: "text_count", Args: json.RawMessage(`{"text":"a b c"}`)})
	run("nested", k.plugins["relay"], ports.Call{Tool: "relay_via", Args: via("text_count", `{"text":"a b c"}`)})
	run("foreign", f, ports.Call{Tool: "greet", Args: json.RawMessage(`{"name":"x"}`)})
}

// BenchmarkParallel counts calls that GOMAXPROCS goroutines finish together.
func BenchmarkParallel(b *testing.B) {
	k := samples(b, Limits{Idle: 8}, Pool)
	c := ports.Call{Tool: "text_count", Args: json.RawMessage(`{"text":"a b c"}`)}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := k.plugins["text"].Call(context.Background(), c); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func compileOnce(b *testing.B, dir string, bin []byte) {
	ctx := context.Background()
	rt, err := New(ctx, Options{CacheDir: dir})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := rt.Compile(ctx, bin); err != nil {
		b.Fatal(err)
	}
	if err := rt.Close(ctx); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkStart: cold compiles, cached reads native code from disk, instance is a new guest with its handshake.
func BenchmarkStart(b *testing.B) {
	bin, dir := wasm(b, "testdata/sample"), filepath.Join(b.TempDir(), "cache")
	compile := func(b *testing.B, dir string) {
		for b.Loop() {
			compileOnce(b, dir, bin)
		}
	}
	b.Run("guard", func(b *testing.B) {
		for b.Loop() {
			if _, err := wasmguard.Rewrite(bin, wasmguard.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("cold", func(b *testing.B) { compile(b, "") })
	compileOnce(b, dir, bin)
	b.Run("cached", func(b *testing.B) { compile(b, dir) })
	b.Run("instance", func(b *testing.B) {
		k := samples(b, Limits{Idle: -1}, Pool)
		for b.Loop() {
			call(b, k.plugins["text"], "text_count", `{"text":"a"}`)
		}
	})
}

// BenchmarkMemory reports what a live instance adds to the resident set, and an idle one to the CPU.
func BenchmarkMemory(b *testing.B) {
	const n = 50
	for b.Loop() { // one measurement a run; the loop would clear the metrics at its start
	}
	p := load(b, "testdata/sample", Config{ID: "relay", Entry: "relay", Limits: Limits{Idle: n, Live: n}}, nil)
	call(b, p, "relay_dive", `{"levels":1}`)
	before := rss(b)
	var ins []*instance
	var back []func()
	for range n {
		in, giveBack, err := p.acquire(context.Background(), ports.Call{})
		if err != nil {
			b.Fatal(err)
		}
		ins, back = append(ins, in), append(back, giveBack)
	}
	for _, in := range ins {
		if _, err := in.request(in.newExchange(context.Background(), ports.Call{}, ask{}), abi.MethodToolsList, abi.JSON(struct{}{})); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rss(b)-before)/n/1024, "KiB/instance")
	cpu := cpuTime(b)
	time.Sleep(time.Second)
	b.ReportMetric(float64((cpuTime(b) - cpu).Microseconds()), "idle-µs-CPU/s")
	b.ReportMetric(float64(rss(b))/(1<<20), "MiB-process")
	for _, f := range back {
		f()
	}
}
