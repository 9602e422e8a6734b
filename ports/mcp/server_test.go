package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wb-agent/wb/ports"
)

// scripted is a Caller that remembers calls and answers by tool.
func scripted(t *testing.T, seen *[]ports.Call, answer ports.CallFunc) Options {
	n := 0
	return Options{Version: "test",
		Caller: ports.CallFunc(func(ctx context.Context, c ports.Call) (ports.Result, error) {
			*seen = append(*seen, c)
			return answer(ctx, c)
		}),
		Specs: func() []ports.Spec {
			return []ports.Spec{{Name: "look", Risk: ports.RiskRead, Input: json.RawMessage(`{"type":"object"}`)},
				{Name: "press", Risk: ports.RiskAct, Input: json.RawMessage(`{"type":"object"}`)}}
		},
		Begin: func(context.Context) (string, func(), error) {
			n++
			return "run" + string(rune('0'+n)), func() {}, nil
		}}
}

// connect makes a client of one session.
func connect(t *testing.T, s *Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	srv, err := s.session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := srv.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "0"}, o).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Each session's calls belong to its own run, come from MCP, and name nothing else about themselves.
func TestSessionsAreRuns(t *testing.T) {
	var seen []ports.Call
	s := New(scripted(t, &seen, func(context.Context, ports.Call) (ports.Result, error) { return ports.TextResult("x"), nil }))
	for range 2 {
		c := connect(t, s, nil)
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "press", Arguments: map[string]any{"a": 1}}); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range seen {
		if want := "run" + string(rune('1'+i)); c.Run != want || c.From != ports.FromMCP || c.Tool != "press" || string(c.Args) != `{"a":1}` {
			t.Errorf("call %d: %+v, want run %s", i, c, want)
		}
	}
	tools, err := connect(t, s, nil).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) != 2 || !tools.Tools[0].Annotations.ReadOnlyHint || tools.Tools[1].Annotations.ReadOnlyHint {
		t.Errorf("tools %+v", tools.Tools)
	}
}

// Every kind of content crosses; a failure is a tool error with its code and its fix, not a broken session.
func TestResults(t *testing.T) {
	tests := map[string]struct {
		res  ports.Result
		err  error
		want string // JSON of the content
		bad  bool
	}{
		"text":     {res: ports.TextResult("hi"), want: `[{"type":"text","text":"hi"}]`},
		"picture":  {res: ports.Result{Content: []ports.Content{{Type: "image", MIME: "image/png", Data: []byte{1}}}}, want: `[{"type":"image","mimeType":"image/png","data":"AQ=="}]`},
		"audio":    {res: ports.Result{Content: []ports.Content{{Type: "audio", MIME: "audio/wav", Data: []byte{1}}}}, want: `[{"type":"audio","mimeType":"audio/wav","data":"AQ=="}]`},
		"resource": {res: ports.Result{Content: []ports.Content{{Type: "resource", URI: "test://x", MIME: "text/plain", Text: "t"}}}, want: `[{"type":"resource","resource":{"uri":"test://x","mimeType":"text/plain","text":"t"}}]`},
		"data":     {res: ports.Result{Data: json.RawMessage(`{"a":1}`)}, want: `[{"type":"text","text":"{\"a\":1}"}]`},
		"own fail": {res: ports.ErrorResult("no"), want: `[{"type":"text","text":"no"}]`, bad: true},
		"refusal":  {err: ports.NewError(ports.CodeRefused, "not there", "name it"), want: `[{"type":"text","text":"refused: not there\nwhat to do: name it"}]`, bad: true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var seen []ports.Call
			s := New(scripted(t, &seen, func(context.Context, ports.Call) (ports.Result, error) { return tt.res, tt.err }))
			res, err := connect(t, s, nil).CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(res.Content)
			if err != nil {
				t.Fatal(err)
			}
			var a, b any
			if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(tt.want), &b) != nil || !cmp.Equal(a, b) || res.IsError != tt.bad {
				t.Errorf("got %s, error %v; want %s, %v", got, res.IsError, tt.want, tt.bad)
			}
		})
	}
}

// A question goes to the client whose run it is; one that takes none is "needs a person".
func TestAsk(t *testing.T) {
	var seen []ports.Call
	var s *Server
	var got ports.Answer
	var askErr error
	s = New(scripted(t, &seen, func(ctx context.Context, c ports.Call) (ports.Result, error) {
		got, askErr = s.Ask(ctx, ports.Question{Kind: ports.AskClarify, Text: "which?", Options: []string{"red", "blue"}, Run: c.Run})
		return ports.TextResult("x"), nil
	}))
	answers := connect(t, s, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "blue"}}, nil
	}})
	if _, err := answers.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"}); err != nil || askErr != nil || got.Choice != "blue" {
		t.Errorf("answer %+v, %v, %v; want blue", got, askErr, err)
	}
	silent := connect(t, s, nil)
	if _, err := silent.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"}); err != nil || ports.CodeOf(askErr) != ports.CodeNeedsUser {
		t.Errorf("%v, %v; want %s", askErr, err, ports.CodeNeedsUser)
	}
}

// Nobody but a client with the token, at the exact address, gets through.
func TestHTTPDoors(t *testing.T) {
	const host = "127.0.0.1:7070"
	var seen []ports.Call
	h := New(scripted(t, &seen, func(context.Context, ports.Call) (ports.Result, error) { return ports.Result{}, nil })).HTTP(host, "t0ken")
	tests := map[string]struct {
		host, origin, path, auth string
		want                     int
	}{
		"with a header":        {host, "", "/mcp", "Bearer t0ken", http.StatusOK},
		"with the path":        {host, "", "/mcp/t0ken", "", http.StatusOK},
		"its own origin":       {host, "http://" + host, "/mcp/t0ken", "", http.StatusOK},
		"no token":             {host, "", "/mcp", "", http.StatusUnauthorized},
		"a wrong one":          {host, "", "/mcp", "Bearer t0keN", http.StatusUnauthorized},
		"an empty one":         {host, "", "/mcp/", "", http.StatusUnauthorized},
		"another path":         {host, "", "/other", "Bearer t0ken", http.StatusUnauthorized},
		"a rebound name":       {"evil.example:7070", "", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"a rebound page":       {"evil.example:7070", "http://evil.example:7070", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"localhost by name":    {"localhost:7070", "", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"a page":               {host, "https://evil.example", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"an opaque page":       {host, "null", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"a page on this host":  {host, "http://127.0.0.1:9999", "/mcp", "Bearer t0ken", http.StatusForbidden},
		"the same over https?": {host, "https://" + host, "/mcp", "Bearer t0ken", http.StatusForbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+tt.path, strings.NewReader(body))
			r.Host = tt.host
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.auth != "" {
				r.Header.Set("Authorization", tt.auth)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("status %d (%s), want %d", w.Code, w.Body, tt.want)
			}
		})
	}
}
