package anthropic

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk/chat"
	"github.com/wb-agent/wb/plugins/sdk/sse"
)

// event is any event of a stream; its type says which fields are there.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message answer          `json:"message"`
	Block   content         `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type answer struct {
	Type    string          `json:"type"`
	Model   string          `json:"model"`
	Content []content       `json:"content"`
	Stop    string          `json:"stop_reason"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type content struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

type delta struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	JSON     string `json:"partial_json"`
	Stop     string `json:"stop_reason"`
}

type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Read   int `json:"cache_read_input_tokens"`
	Write  int `json:"cache_creation_input_tokens"`
}

// into counts; wb's Input is all of the prompt, cached or not. Later counts replace earlier ones.
func (u *usage) into(b *chat.Builder) {
	if u == nil {
		return
	}
	if n := u.Input + u.Read + u.Write; n > 0 {
		b.Usage.Input, b.Usage.CacheRead, b.Usage.CacheWrite = n, u.Read, u.Write
	}
	if u.Output > 0 {
		b.Usage.Output = u.Output
	}
}

// Event takes one event of a stream.
func (family) Event(e sse.Event, b *chat.Builder) error {
	var ev event
	if err := json.Unmarshal([]byte(e.Data), &ev); err != nil {
		return err
	}
	switch ev.Type {
	case "error":
		return b.Failed([]byte(e.Data))
	case "message_start":
		b.Model = ev.Message.Model
		ev.Message.Usage.into(b)
	case "content_block_start":
		ev.Block.into(b, ev.Index)
	case "content_block_delta":
		b.Text(ev.Delta.Text)
		b.Reasoning(ev.Delta.Thinking)
		if ev.Delta.JSON != "" {
			b.Call(ev.Index, "", "", ev.Delta.JSON)
		}
	case "message_delta":
		ev.Usage.into(b)
		if ev.Delta.Stop != "" {
			b.Finish = finish(ev.Delta.Stop)
		}
	case "message_stop":
		if b.Finish == "" {
			return errors.New("the message ended without a stop reason")
		}
		b.Ended = true
	}
	return nil
}

// into adds a block, or its start. The input of a block that is streamed begins as {}.
func (c content) into(b *chat.Builder, index int) {
	switch c.Type {
	case "text":
		b.Text(c.Text)
	case "thinking":
		b.Reasoning(c.Thinking)
	case "tool_use":
		input := string(c.Input)
		if strings.TrimSpace(input) == "{}" || input == "null" {
			input = ""
		}
		b.Call(index, c.ID, c.Name, input)
	}
}

// Whole takes an answer that was not streamed.
func (family) Whole(body []byte, b *chat.Builder) error {
	var a answer
	if err := json.Unmarshal(body, &a); err != nil {
		return err
	}
	if a.Type == "error" || len(a.Error) > 0 {
		return b.Failed(body)
	}
	if a.Stop == "" {
		return errors.New("the answer has no stop reason")
	}
	for i, c := range a.Content {
		c.into(b, i)
	}
	b.Model, b.Finish = a.Model, finish(a.Stop)
	a.Usage.into(b)
	return nil
}

func finish(reason string) string {
	switch reason {
	case "tool_use":
		return "tool_calls"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "refusal":
		return "filter"
	}
	return "stop"
}
