package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/chat"
	"github.com/wb-agent/wb/plugins/sdk/sse"
)

// answer is a chunk of a stream, with deltas, or a whole answer, with messages.
type answer struct {
	Model   string          `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Delta   piece  `json:"delta"`
	Message piece  `json:"message"`
	Finish  string `json:"finish_reason"`
}

type piece struct {
	Content   text   `json:"content"`
	Refusal   string `json:"refusal"`
	Reasoning string `json:"reasoning"`
	Thoughts  string `json:"reasoning_content"`
	Calls     []struct {
		Index    int    `json:"index"`
		ID       string `json:"id"`
		Function struct {
			Name string `json:"name"`
			Args args   `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// text is a string, or a list of parts as some endpoints have it.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if n := len(b); n > 1 && b[0] == '"' && bytes.IndexByte(b, '\\') < 0 && utf8.Valid(b) {
		*t = text(b[1 : n-1]) // as most are
		return nil
	}
	if len(b) > 0 && b[0] != '[' {
		return json.Unmarshal(b, (*string)(t))
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(b, &parts); err != nil {
		return err
	}
	for _, p := range parts {
		*t += text(p.Text)
	}
	return nil
}

// args are a string of JSON, or the JSON itself.
type args string

func (a *args) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		*a = args(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(a))
}

// Event takes one chunk.
func (f family) Event(e sse.Event, b *chat.Builder) error {
	if e.Data == "[DONE]" {
		if b.Finish == "" {
			return errors.New("the stream ended without a finish reason")
		}
		b.Ended = true
		return nil
	}
	return f.take([]byte(e.Data), b)
}

// Whole takes an answer that was not streamed.
func (f family) Whole(body []byte, b *chat.Builder) error {
	if err := f.take(body, b); err != nil {
		return err
	}
	if b.Finish == "" {
		return errors.New("the answer has no finish reason")
	}
	return nil
}

func (family) take(raw []byte, b *chat.Builder) error {
	var a answer
	if err := json.Unmarshal(raw, &a); err != nil {
		return err
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return b.Failed(raw)
	}
	if a.Model != "" {
		b.Model = a.Model
	}
	if a.Usage != nil {
		b.Usage = sdk.Usage{Input: a.Usage.Prompt, Output: a.Usage.Completion, CacheRead: a.Usage.Details.Cached}
	}
	if len(a.Choices) == 0 {
		return nil
	}
	c := a.Choices[0]
	c.Delta.into(b, false)
	c.Message.into(b, true)
	if c.Finish != "" {
		b.Finish = finish(c.Finish)
	}
	return nil
}

func (p piece) into(b *chat.Builder, whole bool) {
	if p.Reasoning == "" {
		p.Reasoning = p.Thoughts // the same under its other name, sometimes under both
	}
	b.Reasoning(p.Reasoning)
	b.Text(string(p.Content))
	b.Text(p.Refusal)
	for i, c := range p.Calls {
		if whole {
			c.Index = i // an index is for streams only
		}
		b.Call(c.Index, c.ID, c.Function.Name, string(c.Function.Args))
	}
}

func finish(reason string) string {
	switch reason {
	case "tool_calls", "function_call":
		return "tool_calls"
	case "length", "max_tokens":
		return "length"
	case "content_filter":
		return "filter"
	}
	return "stop"
}
