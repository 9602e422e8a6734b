package portstest

import (
	"context"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// Endpoint is a provider with an endpoint of its family that plays a playbook (ports/mockmodel).
type Endpoint struct {
	Provider ports.Provider
	Call     ports.Call // in whose name requests are made
	At       ports.Endpoint
	Bodies   func() []string // requests that have arrived, oldest first
}

// Provider is the suite of every ports.Provider: what a model says arrives whole, in order and once,
// whatever its wire looks like and whatever goes wrong on it.
func Provider(t *testing.T, open func(t *testing.T, playbook string) Endpoint) {
	const hello = `[{reply: {text: "hello, wörld\nand more"}}]`
	t.Run("text", func(t *testing.T) {
		e := open(t, hello)
		reply, deltas, err := e.chat(t.Context(), ask("hi"))
		if err != nil {
			t.Fatal(err)
		}
		if got := text(reply.Message); got != "hello, wörld\nand more" || streamed(deltas) != got {
			t.Errorf("reply %q, streamed %q", got, streamed(deltas))
		}
		if reply.Usage.Input == 0 || reply.Usage.Output == 0 || reply.Finish != "stop" {
			t.Errorf("usage %+v, finish %q", reply.Usage, reply.Finish)
		}
	})
	t.Run("calls", func(t *testing.T) {
		e := open(t, `[{reply: {text: both, calls: [{tool: look, args: {a: 1}}, {tool: press, args: {b: "ü\"\\"}}]}}]`)
		reply, _, err := e.chat(t.Context(), ask("hi"))
		if err != nil {
			t.Fatal(err)
		}
		c := reply.Message.Calls
		if len(c) != 2 || c[0].Name != "look" || c[1].Name != "press" || c[0].ID == "" || c[0].ID == c[1].ID ||
			c[0].Args != `{"a":1}` || !strings.Contains(c[1].Args, `ü\"\\`) || reply.Finish != "tool_calls" {
			t.Errorf("calls %+v, finish %q", c, reply.Finish)
		}
	})
	t.Run("a whole conversation", func(t *testing.T) {
		e := open(t, `[{when: {system: be brief, last_tool: look, last_result: the page}, reply: {text: seen}}]`)
		req := ask("hi")
		req.System = "be brief"
		req.Messages = append(req.Messages, ports.Message{Role: "assistant", Calls: []ports.ToolCall{{ID: "c1", Name: "look", Args: `{}`}}},
			ports.Message{Role: "tool", CallID: "c1", Content: []ports.Part{{Type: "text", Text: "the page"}}})
		if reply, _, err := e.chat(t.Context(), req); err != nil || text(reply.Message) != "seen" {
			t.Errorf("reply %+v, %v", reply, err)
		}
	})
	t.Run("a picture", func(t *testing.T) {
		e := open(t, hello)
		req := ask("hi")
		req.Messages[0].Content = append(req.Messages[0].Content, ports.Part{Type: "image", MIME: "image/png", Data: []byte("picture")})
		if _, _, err := e.chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if b := e.Bodies(); len(b) != 1 || !strings.Contains(b[0], "cGljdHVyZQ==") {
			t.Errorf("the picture did not arrive in %d requests", len(b))
		}
	})
	t.Run("a file", func(t *testing.T) {
		e := open(t, hello)
		req := ask("hi")
		req.Messages[0].Content = append(req.Messages[0].Content, ports.Part{Type: "file", MIME: "application/pdf", Name: "report.pdf", Data: []byte("picture")})
		if _, _, err := e.chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if b := e.Bodies(); len(b) != 1 || !strings.Contains(b[0], "cGljdHVyZQ==") || !strings.Contains(b[0], "report.pdf") {
			t.Errorf("the file did not arrive in %d requests", len(b))
		}
	})
	t.Run("arguments that are not JSON", func(t *testing.T) {
		e := open(t, `[{reply: {calls: [{tool: look, raw: '{"a": '}]}}]`)
		reply, _, err := e.chat(t.Context(), ask("hi"))
		if err != nil || len(reply.Message.Calls) != 1 || reply.Message.Calls[0].Args != `{"a": ` {
			t.Errorf("calls %+v, %v: what the model wrote is the agent's to refuse", reply.Message.Calls, err)
		}
	})
	t.Run("faults", func(t *testing.T) { providerFaults(t, open) })
}

func providerFaults(t *testing.T, open func(t *testing.T, playbook string) Endpoint) {
	const call = `reply: {calls: [{tool: press, args: {n: 1}}]}`
	tests := map[string]struct {
		playbook string
		wantCode string // "": the reply is whole
		requests int    // 0: any number
	}{
		"a cut stream is asked again, once":   {`[{when: {times: 1}, ` + call + `, fault: {cut_after: 60}}, {` + call + `}]`, "", 2},
		"a stream that is always cut":         {`[{` + call + `, fault: {cut_after: 60}}]`, "any", 0},
		"an error in the stream":              {`[{` + call + `, fault: {in_stream_error: overloaded}}]`, "any", 0},
		"garbage":                             {`[{fault: {garbage: true}}]`, "any", 0},
		"a wrong key":                         {`[{fault: {status: 401}}]`, ports.CodeAuth, 1},
		"too long a prompt":                   {`[{fault: {status: 400, message: "This model's maximum context length is 8192 tokens"}}]`, ports.CodeOverflow, 1},
		"a refusal":                           {`[{fault: {status: 404, message: "no such model"}}]`, ports.CodeModel, 1},
		"an endpoint that takes no tool list": {`[{when: {times: 1}, fault: {reject_tools: true}, ` + call + `}, {reply: {text: '{"tool": "press", "args": {"n": 1}}'}}]`, "", 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			e := open(t, tt.playbook)
			reply, _, err := e.chat(t.Context(), ask("hi"))
			code := ports.CodeOf(err)
			switch {
			case tt.wantCode == "" && (err != nil || len(reply.Message.Calls) != 1 || reply.Message.Calls[0].Name != "press"):
				t.Errorf("reply %+v, %v; want the one call", reply, err)
			case tt.wantCode == "any" && (code == "" || len(reply.Message.Calls) > 0):
				t.Errorf("reply %+v, %v; want an error with a code and no call", reply, err)
			case tt.wantCode != "" && tt.wantCode != "any" && code != tt.wantCode:
				t.Errorf("code %q (%v), want %q", code, err, tt.wantCode)
			}
			if n := len(e.Bodies()); tt.requests > 0 && n != tt.requests {
				t.Errorf("%d requests, want %d", n, tt.requests)
			}
		})
	}
	t.Run("a caller that gives up", func(t *testing.T) {
		e := open(t, `[{fault: {hang: true}}]`)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, _, err := e.chat(ctx, ask("hi"))
			done <- err
		}()
		for len(e.Bodies()) == 0 && t.Context().Err() == nil {
			select {
			case err := <-done:
				t.Fatalf("returned before it was cancelled: %v", err)
			default:
			}
		}
		cancel()
		if err := <-done; ports.CodeOf(err) != ports.CodeCancelled {
			t.Errorf("got %v, want %s", err, ports.CodeCancelled)
		}
	})
}

func (e Endpoint) chat(ctx context.Context, req ports.ChatRequest) (ports.ChatReply, []ports.Delta, error) {
	var deltas []ports.Delta
	req.Endpoint = e.At
	reply, err := e.Provider.Chat(ctx, e.Call, req, func(d ports.Delta) { deltas = append(deltas, d) })
	return reply, deltas, err
}

// ask is a streamed request that offers two tools.
func ask(words string) ports.ChatRequest {
	schema := []byte(`{"type":"object"}`)
	return ports.ChatRequest{Stream: true, MaxTokens: 100, Tools: []ports.ToolDecl{{Name: "look", Input: schema}, {Name: "press", Input: schema}},
		Messages: []ports.Message{{Role: "user", Content: []ports.Part{{Type: "text", Text: words}}}}}
}

func text(m ports.Message) string {
	var b strings.Builder
	for _, p := range m.Content {
		b.WriteString(p.Text)
	}
	return b.String()
}

// streamed is what a reader of the deltas has seen.
func streamed(ds []ports.Delta) string {
	var s string
	for _, d := range ds {
		if d.Reset {
			s = ""
		}
		s += d.Text
	}
	return s
}
