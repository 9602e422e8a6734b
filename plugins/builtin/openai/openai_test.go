package openai

import (
	"encoding/json"
	"flag"
	"slices"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

func TestTranscripts(t *testing.T) { sdktest.Transcripts(t, Plugin, "testdata/*.txtar", *update) }

func TestModels(t *testing.T) {
	s := sdktest.Run(t, Plugin(), sdktest.Tools{"http.fetch": func(args json.RawMessage) (any, error) {
		return sdktest.Stream{Head: sdk.FetchHead{Status: 200}, Chunks: []string{`{"data":[{"id":"a"},`, `{"id":"b"}]}`}}, nil
	}})
	got, err := s.Models(sdk.Endpoint{ID: "x", BaseURL: "https://h/v1/", Secret: "K"})
	if err != nil || !slices.Equal(got, []string{"a", "b"}) {
		t.Fatal(got, err)
	}
	const want = `{"url":"https://h/v1/models","headers":{"Authorization":"Bearer {{secret:K}}"},"retry":true}`
	if string(s.Asked[0].Args) != want {
		t.Fatalf("%s", s.Asked[0].Args)
	}
}

// What an endpoint refused is not tried again.
func TestRefusalIsRemembered(t *testing.T) {
	p, posts := Plugin(), 0
	s := sdktest.Run(t, p, sdktest.Tools{"http.fetch": func(args json.RawMessage) (any, error) {
		if posts++; posts == 1 {
			return sdktest.Stream{Head: sdk.FetchHead{Status: 400}, Chunks: []string{`{"error":{"message":"m does not support tools"}}`}}, nil
		}
		return sdktest.Stream{Head: sdk.FetchHead{Status: 200}, Chunks: []string{`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`}}, nil
	}})
	req := sdk.ChatRequest{Messages: []sdk.Turn{{Role: "user", Content: []sdk.Part{{Type: "text", Text: "x"}}}},
		Tools: []sdk.ToolDecl{{Name: "t", Input: json.RawMessage(`{"type":"object"}`)}}}
	for range 2 {
		if _, _, err := s.Chat(req); err != nil {
			t.Fatal(err)
		}
	}
	if posts != 3 {
		t.Fatalf("%d requests", posts)
	}
}

// Whatever an endpoint sends, the plugin answers or says what is wrong; it never panics.
func FuzzAnswer(f *testing.F) {
	f.Add("data: {\"choices\":[{\"delta\":{\"content\":\"a\",\"tool_calls\":[{\"index\":-1,\"id\":\"x\",\"function\":{\"name\":\"n\",\"arguments\":{}}}]},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	f.Add(`{"choices":[{"message":{"content":[{"text":"a"}]}}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		s := sdktest.Run(t, Plugin(), sdktest.Tools{"http.fetch": func(json.RawMessage) (any, error) {
			return sdktest.Stream{Head: sdk.FetchHead{Status: 200}, Chunks: []string{body}}, nil
		}})
		reply, _, err := s.Chat(sdk.ChatRequest{Stream: true})
		if err != nil && sdk.CodeOf(err) == "" || err == nil && reply.Finish == "" {
			t.Fatal(reply, err)
		}
	})
}
