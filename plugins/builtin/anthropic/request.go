package anthropic

import (
	"encoding/json"
	"slices"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/chat"
)

// defaultMax is how many tokens an answer may have where the request does not say: the API wants a number.
const defaultMax = 4096

type request struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	System      string    `json:"system,omitempty"`
	Messages    []message `json:"messages"`
	Tools       []tool    `json:"tools,omitempty"`
	Temperature *float64  `json:"temperature,omitempty"`
	Stream      bool      `json:"stream,omitempty"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input_schema"`
}

// block is one of text, image, document, tool_use and tool_result.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text,omitempty"`
	Source  *source         `json:"source,omitempty"`
	Title   string          `json:"title,omitempty"` // of a document
	ID      string          `json:"id,omitempty"`
	Name    string          `json:"name,omitempty"`
	Input   json.RawMessage `json:"input,omitempty"`
	UseID   string          `json:"tool_use_id,omitempty"`
	Content []block         `json:"content,omitempty"`
	IsError bool            `json:"is_error,omitempty"`
}

type source struct {
	Type string `json:"type"`
	MIME string `json:"media_type"`
	Data string `json:"data"`
}

// Request says where to post what.
func (family) Request(req sdk.ChatRequest, q chat.Quirks) (string, map[string]string, any) {
	out := request{Model: req.Endpoint.Model, MaxTokens: req.MaxTokens, System: req.System, Messages: messages(req.Messages),
		Temperature: req.Temperature, Stream: req.Stream}
	if out.MaxTokens <= 0 {
		out.MaxTokens = defaultMax
	}
	if q.NoTemperature {
		out.Temperature = nil
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
	}
	return base(req.Endpoint) + "/messages", headers(req.Endpoint), out
}

// messages makes turns alternate between user and assistant, as the API wants them: what follows in the
// same role is merged, results first, and the first is the user's.
func messages(turns []sdk.Turn) []message {
	var out []message
	for _, t := range turns {
		role, blocks := "user", contents(t.Content)
		switch t.Role {
		case "assistant":
			role, blocks = "assistant", append(blocks, uses(t.Calls)...)
		case "tool":
			blocks = []block{{Type: "tool_result", UseID: t.CallID, Content: blocks, IsError: t.IsError}}
		}
		if len(blocks) == 0 {
			continue // the API refuses an empty message
		}
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Content = append(out[n-1].Content, blocks...)
			continue
		}
		out = append(out, message{role, blocks})
	}
	if len(out) == 0 || out[0].Role == "assistant" {
		out = append([]message{{"user", []block{{Type: "text", Text: "(the conversation so far)"}}}}, out...)
	}
	for _, m := range out {
		slices.SortStableFunc(m.Content, func(a, b block) int { return rank(a) - rank(b) })
	}
	return out
}

// rank puts results first in a user's message and uses last in an assistant's.
func rank(b block) int {
	switch b.Type {
	case "tool_result":
		return 0
	case "tool_use":
		return 2
	}
	return 1
}

func contents(parts []sdk.Part) (out []block) {
	for _, p := range parts {
		switch {
		case p.Type == "image":
			out = append(out, block{Type: "image", Source: &source{"base64", p.MIME, chat.Attach(p)}})
		case p.Type == "file":
			out = append(out, block{Type: "document", Title: p.Name, Source: &source{"base64", p.MIME, chat.Attach(p)}})
		case p.Text != "":
			out = append(out, block{Type: "text", Text: p.Text})
		}
	}
	return out
}

func uses(calls []sdk.ModelCall) (out []block) {
	for _, c := range calls {
		var object map[string]json.RawMessage
		input := json.RawMessage(c.Args)
		if json.Unmarshal(input, &object) != nil || object == nil {
			input, _ = json.Marshal(map[string]string{"text": c.Args}) // strings
			if c.Args == "" {
				input = json.RawMessage(`{}`)
			}
		}
		out = append(out, block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: input})
	}
	return out
}
