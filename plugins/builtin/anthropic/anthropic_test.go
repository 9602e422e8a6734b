package anthropic

import (
	"encoding/json"
	"flag"

	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

var update = flag.Bool("update", false, "rewrite the transcripts")

func TestTranscripts(t *testing.T) { sdktest.Transcripts(t, Plugin, "testdata/*.txtar", *update) }

// Whatever an endpoint sends, the plugin answers or says what is wrong; it never panics.
func FuzzAnswer(f *testing.F) {
	f.Add("data: {\"type\":\"content_block_delta\",\"index\":-1,\"delta\":{\"partial_json\":\"{\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n")
	f.Add(`{"type":"message","stop_reason":"end_turn","content":[{"type":"text","text":"a"}]}`)
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
