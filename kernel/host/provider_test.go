package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// endpoint plays http.fetch and a model endpoint behind it.
func endpoint(bodies ...string) ports.CallFunc {
	return func(_ context.Context, c ports.Call) (ports.Result, error) {
		if c.Tool != "http.fetch" {
			return ports.Result{}, ports.NewError(ports.CodeRefused, c.Tool, "")
		}
		b := bodies[0]
		bodies = bodies[1:]
		return ports.Result{Data: json.RawMessage(`{"status":200,"headers":{"Content-Type":"text/event-stream"}}`),
			Body: io.NopCloser(strings.NewReader(b))}, nil
	}
}

const openaiStream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\r\n\r\n" +
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"x\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"

const anthropicStream = `data: {"type":"message_start","message":{"model":"c"}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c1","name":"x","input":{}}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"}}

data: {"type":"message_stop"}

`

// The built-in providers, in the real host.
func TestProvidersInTheSandbox(t *testing.T) {
	for name, stream := range map[string]string{"openai": openaiStream, "anthropic": anthropicStream} {
		t.Run(name, func(t *testing.T) {
			p := load(t, "testdata/providers", Config{ID: name, Entry: name, Builtin: true}, endpoint(stream))
			var text string
			reply, err := p.Chat(context.Background(), ports.Call{}, ports.ChatRequest{Stream: true, Endpoint: ports.Endpoint{ID: "e", Family: name, BaseURL: "https://a.example/v1"},
				Messages: []ports.Message{{Role: "user", Content: []ports.Part{{Type: "text", Text: "hi"}}}}}, func(d ports.Delta) { text += d.Text })
			if err != nil || text != "Hello" || reply.Finish != "tool_calls" || len(reply.Message.Calls) != 1 || reply.Message.Calls[0].Args != "{}" {
				t.Fatalf("%q %+v %v", text, reply, err)
			}
		})
	}
}

// BenchmarkDeltas counts pieces of a streamed answer through a provider guest.
func BenchmarkDeltas(b *testing.B) {
	const n = 1000
	var stream bytes.Buffer
	for i := range n {
		fmt.Fprintf(&stream, "data: {\"id\":\"chatcmpl-123456789\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"gpt\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"},\"finish_reason\":null}]}\n\n", i)
	}
	stream.WriteString("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	text := stream.String()
	p := load(b, "testdata/providers", Config{ID: "openai", Entry: "openai", Builtin: true}, ports.CallFunc(func(ctx context.Context, c ports.Call) (ports.Result, error) {
		return endpoint(text)(ctx, c)
	}))
	deltas := 0
	for b.Loop() {
		_, err := p.Chat(context.Background(), ports.Call{}, ports.ChatRequest{Stream: true, Endpoint: ports.Endpoint{BaseURL: "https://a.example"}}, func(ports.Delta) { deltas++ })
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(deltas)/b.Elapsed().Seconds(), "deltas/s")
}
