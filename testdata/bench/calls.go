package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/wb-agent/wb/kernel"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/plugins"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/primitive"
	"github.com/wb-agent/wb/ports/sqlite"
)

// guest compiles the sample plugins of the host's tests.
func (b *bench) guest(ctx context.Context) ([]byte, error) {
	file := filepath.Join(b.dir, "sample.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./kernel/host/testdata/sample")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(file)
}

// calls: one plugin tool, called from the host directly and through the whole kernel.
func (b *bench) calls(ctx context.Context) ([]figure, error) {
	bin, err := b.guest(ctx)
	if err != nil {
		return nil, err
	}
	rt, err := host.New(ctx, host.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rt.Close(ctx) }()
	mod, err := rt.Compile(ctx, bin)
	if err != nil {
		return nil, err
	}
	p, err := mod.Plugin(host.Config{ID: "text", Entry: "text"})
	if err != nil {
		return nil, err
	}
	defer p.Close()
	c := ports.Call{Tool: "text_count", Run: "bench", From: ports.FromUser, Args: json.RawMessage(`{"text":"a b c"}`)}
	flat, err := times(func() error { _, err := p.Call(ctx, c); return err })
	if err != nil {
		return nil, err
	}
	whole, err := b.whole(ctx, p, c)
	if err != nil {
		return nil, err
	}
	return []figure{atMost("host -> guest -> host, journal excluded", 150*time.Microsecond, flat, ""),
		atMost("Kernel.Call of a plugin's read tool, SQLite journal", 300*time.Microsecond, whole, "")}, nil
}

// whole measures a call through schema, guard and journal. The tool is declared read-only, as page reading is.
func (b *bench) whole(ctx context.Context, p *host.Plugin, c ports.Call) (time.Duration, error) {
	store, err := sqlite.Open(ctx, filepath.Join(b.dir, "calls.db"), sqlite.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { _ = store.Close() }()
	tools := &kernel.Registry{}
	spec := ports.Spec{Name: "text_count", Risk: ports.RiskRead, Modes: []ports.Mode{ports.ModeAct},
		Input: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}
	if err := tools.Add("text", kernel.Func(spec, p.Call)); err != nil {
		return 0, err
	}
	pages := primitive.NewBrowser(func(context.Context) (ports.Browser, error) {
		return nil, ports.NewError(ports.CodeNoBrowser, "no browser is needed here", "")
	}, primitive.Vault{})
	g := guard.New(guard.Ground{Pages: pages}, func(string) []ports.Grant { return nil })
	g.Begin("bench", guard.Policy{})
	k := kernel.New(journaled{newJournal(store, tools)}, g, tools)
	return times(func() error { _, err := k.Call(ctx, c); return err })
}

type journaled struct{ *journal.Journal }

func (j journaled) Begin(ctx context.Context, c ports.Call) (ports.Call, kernel.End, error) {
	c, rec, err := j.Journal.Begin(ctx, c)
	if err != nil {
		return c, nil, err
	}
	return c, rec.End, nil
}

func newJournal(store ports.Store, tools *kernel.Registry) *journal.Journal {
	return journal.New(store, journal.Options{Clock: ports.ClockFunc(time.Now), NewID: rand.Text, Mutates: tools.Mutates, Redact: journal.NewRedactor()})
}

// journal: how many read calls a second the journal takes, with arguments and results of a usual size.
func (b *bench) journal(ctx context.Context) ([]figure, error) {
	store, err := sqlite.Open(ctx, filepath.Join(b.dir, "journal.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	tools := &kernel.Registry{}
	read := kernel.Func(ports.Spec{Name: "read_page", Risk: ports.RiskRead, Input: json.RawMessage(`{"type":"object"}`)}, nil)
	if err := tools.Add("page", read); err != nil {
		return nil, err
	}
	j := newJournal(store, tools)
	c := ports.Call{Tool: "read_page", Run: "bench", From: ports.FromModel, Args: json.RawMessage(`{"filter":"visible","page":1}`)}
	res := ports.TextResult(strings.Repeat(`textbox "Email" [e12] value="a@b.example"`+"\n", 50))
	per, err := times(func() error {
		_, rec, err := j.Begin(ctx, c)
		if err == nil {
			_, err = rec.End(nil, res, nil)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return []figure{atLeast("journal, read calls of 2 KB a second", 2000, float64(time.Second)/float64(per))}, nil
}

func atLeast(name string, limit, got float64) figure {
	return figure{name, fmt.Sprintf(">= %.0f/s", limit), fmt.Sprintf("%.0f/s", got), got >= limit, ""}
}

// streamed is how many pieces an answer has.
const streamed = 20_000

// stream: deltas through the provider that ships with wb, from the bytes of a response to the caller.
func (b *bench) stream(ctx context.Context) ([]figure, error) {
	rt, err := host.New(ctx, host.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = rt.Close(ctx) }()
	bin, err := plugins.Module()
	if err != nil {
		return nil, err
	}
	mod, err := rt.LoadBuiltins(ctx, bin)
	if err != nil {
		return nil, err
	}
	list, err := host.ParseBuiltins(plugins.Builtins())
	if err != nil {
		return nil, err
	}
	var out []figure
	for _, m := range list {
		if m.ID != "openai" {
			continue
		}
		f, err := b.streamOf(ctx, mod, m.Config(m.Grants))
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (b *bench) streamOf(ctx context.Context, mod *host.Module, cfg host.Config) (figure, error) {
	piece := `data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word "}}]}` + "\n\n"
	body := strings.Repeat(piece, streamed) + `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	cfg.Caller = ports.CallFunc(func(_ context.Context, c ports.Call) (ports.Result, error) {
		res := ports.DataResult(ports.FetchResponse{Status: 200, URL: "https://model.example/v1", Headers: map[string]string{"Content-Type": "text/event-stream"}})
		res.Body = io.NopCloser(strings.NewReader(body))
		return res, nil
	})
	p, err := mod.Plugin(cfg)
	if err != nil {
		return figure{}, err
	}
	defer p.Close()
	req := ports.ChatRequest{Endpoint: ports.Endpoint{ID: "m", Family: "openai", BaseURL: "https://model.example/v1", Model: "m"}, Stream: true,
		Messages: []ports.Message{{Role: "user", Content: []ports.Part{{Type: "text", Text: "go"}}}}}
	var ds []time.Duration
	for range 5 {
		n, began := 0, time.Now()
		if _, err := p.Chat(ctx, ports.Call{Run: "bench"}, req, func(ports.Delta) { n++ }); err != nil {
			return figure{}, err
		}
		if n == 0 {
			return figure{}, fmt.Errorf("no deltas came")
		}
		ds = append(ds, time.Since(began))
	}
	return atLeast("deltas a second through a provider's guest", 5000, streamed/median(ds).Seconds()), nil
}
