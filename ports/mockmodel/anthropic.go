package mockmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// anthropic is the messages protocol.
type anthropic struct{}

type anthropicRequest struct {
	Model     string          `json:"model"`
	MaxTokens int             `json:"max_tokens"`
	System    json.RawMessage `json:"system"`
	Stream    bool            `json:"stream"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name        string          `json:"name"`
		InputSchema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
}

func (anthropic) read(body []byte) (*Conversation, error) {
	var r anthropicRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("request is not readable: %w", err)
	}
	if r.Model == "" || len(r.Messages) == 0 || r.MaxTokens <= 0 {
		return nil, errors.New("model, messages and max_tokens are required")
	}
	c := &Conversation{Model: r.Model, Stream: r.Stream, Usage: true}
	var err error
	if c.System, _, err = content(r.System); err != nil {
		return nil, fmt.Errorf("system: %w", err)
	}
	for _, t := range r.Tools {
		if t.Name == "" || len(t.InputSchema) == 0 {
			return nil, errors.New("a tool needs name and input_schema")
		}
		c.Tools = append(c.Tools, t.Name)
	}
	for i, m := range r.Messages {
		if m.Role != "user" && m.Role != "assistant" {
			return nil, fmt.Errorf("message %d: unknown role %q", i, m.Role)
		}
		if i == 0 && m.Role != "user" {
			return nil, errors.New("the first message must be the user's")
		}
		msgs, err := blocks(m.Role, m.Content)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		c.Messages = append(c.Messages, msgs...)
	}
	if wrong := c.link(); wrong != "" {
		return nil, errors.New(wrong)
	}
	return c, nil
}

// blocks reads the content of one message: tool results first, as messages of their own, then the rest.
func blocks(role string, raw json.RawMessage) ([]Message, error) {
	msg := Message{Role: role}
	if len(raw) > 0 && raw[0] == '"' {
		err := json.Unmarshal(raw, &msg.Text)
		return []Message{msg}, err
	}
	var list []anthropicBlock
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("content is neither text nor blocks: %w", err)
	}
	if len(list) == 0 {
		return nil, errors.New("content is empty")
	}
	var out []Message
	var texts []string
	for _, b := range list {
		switch b.Type {
		case "text":
			if b.Text == "" {
				return nil, errors.New("a text block is empty")
			}
			texts = append(texts, b.Text)
		case "image", "document":
			msg.Images++
		case "thinking", "redacted_thinking":
		case "tool_use":
			if role != "assistant" || b.ID == "" || len(b.Input) == 0 || b.Input[0] != '{' {
				return nil, errors.New("tool_use needs an id and an input object, of an assistant")
			}
			msg.Calls = append(msg.Calls, Call{b.ID, b.Name, string(b.Input)})
		case "tool_result":
			if len(texts) > 0 || msg.Images > 0 {
				return nil, errors.New("tool results must come first")
			}
			text, images, err := content(b.Content)
			if err != nil {
				return nil, err
			}
			out = append(out, Message{Role: "tool", CallID: b.ToolUseID, Text: text, Images: images})
		default:
			return nil, fmt.Errorf("unknown block %q", b.Type)
		}
	}
	msg.Text = strings.Join(texts, "\n")
	if msg.Text != "" || msg.Images > 0 || len(msg.Calls) > 0 || len(out) == 0 {
		out = append(out, msg)
	}
	return out, nil
}

func (anthropic) finish(f string) string {
	switch f {
	case "tool_calls":
		return "tool_use"
	case "length":
		return "max_tokens"
	case "filter":
		return "refusal"
	}
	return "end_turn"
}

func (w anthropic) whole(c *Conversation, a answer) any {
	parts := []any{}
	if a.Think != "" {
		parts = append(parts, obj{"type": "thinking", "thinking": a.Think, "signature": "mock"})
	}
	if a.Text != "" {
		parts = append(parts, obj{"type": "text", "text": a.Text})
	}
	for _, call := range a.Calls {
		input := json.RawMessage(call.Args)
		if !json.Valid(input) {
			input = json.RawMessage(`{}`) // this protocol cannot say it whole; streamed, it can
		}
		parts = append(parts, obj{"type": "tool_use", "id": call.ID, "name": call.Name, "input": input})
	}
	return obj{"id": "msg_mock", "type": "message", "role": "assistant", "model": c.Model, "content": parts,
		"stop_reason": w.finish(a.Finish), "stop_sequence": nil, "usage": obj{"input_tokens": a.Input, "output_tokens": a.Output}}
}

func (w anthropic) events(c *Conversation, a answer) []event {
	var out []event
	add := func(name string, o obj) {
		o["type"] = name
		out = append(out, event{name, o})
	}
	add("message_start", obj{"message": obj{"id": "msg_mock", "type": "message", "role": "assistant", "model": c.Model,
		"content": []any{}, "stop_reason": nil, "usage": obj{"input_tokens": a.Input, "output_tokens": 1}}})
	add("ping", obj{})
	index := 0
	block := func(start obj, kind, field, text string) {
		add("content_block_start", obj{"index": index, "content_block": start})
		for _, p := range pieces(text) {
			add("content_block_delta", obj{"index": index, "delta": obj{"type": kind, field: p}})
		}
		add("content_block_stop", obj{"index": index})
		index++
	}
	if a.Think != "" {
		block(obj{"type": "thinking", "thinking": ""}, "thinking_delta", "thinking", a.Think)
	}
	if a.Text != "" {
		block(obj{"type": "text", "text": ""}, "text_delta", "text", a.Text)
	}
	for _, call := range a.Calls {
		block(obj{"type": "tool_use", "id": call.ID, "name": call.Name, "input": obj{}}, "input_json_delta", "partial_json", call.Args)
	}
	add("message_delta", obj{"delta": obj{"stop_reason": w.finish(a.Finish), "stop_sequence": nil}, "usage": obj{"output_tokens": a.Output}})
	add("message_stop", obj{})
	return out
}

func (anthropic) failure(status int, msg string) any {
	kind := "invalid_request_error"
	switch {
	case status == 401:
		kind = "authentication_error"
	case status == 429:
		kind = "rate_limit_error"
	case status == 529:
		kind = "overloaded_error"
	case status >= 500:
		kind = "api_error"
	}
	return obj{"type": "error", "error": obj{"type": kind, "message": msg}}
}
