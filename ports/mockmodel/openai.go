package mockmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// openAI is the chat completions protocol.
type openAI struct{}

type openAIRequest struct {
	Model         string          `json:"model"`
	Messages      []openAIMessage `json:"messages"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

type openAIMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (openAI) read(body []byte) (*Conversation, error) {
	var r openAIRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, fmt.Errorf("request is not readable: %w", err)
	}
	if r.Model == "" || len(r.Messages) == 0 {
		return nil, errors.New("model and messages are required")
	}
	c := &Conversation{Model: r.Model, Stream: r.Stream, Usage: r.StreamOptions.IncludeUsage}
	for _, t := range r.Tools {
		if t.Type != "function" || t.Function.Name == "" {
			return nil, errors.New("a tool is no function with a name")
		}
		c.Tools = append(c.Tools, t.Function.Name)
	}
	for i, m := range r.Messages {
		msg := Message{Role: m.Role, CallID: m.ToolCallID}
		var err error
		if msg.Text, msg.Images, err = content(m.Content); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		for _, call := range m.ToolCalls {
			if call.ID == "" || call.Type != "function" || call.Function.Name == "" {
				return nil, fmt.Errorf("message %d: a tool call needs id, type and name", i)
			}
			msg.Calls = append(msg.Calls, Call{call.ID, call.Function.Name, call.Function.Arguments})
		}
		switch m.Role {
		case "system", "developer":
			c.System = strings.TrimSpace(c.System + "\n" + msg.Text)
			continue
		case "user", "assistant", "tool":
		default:
			return nil, fmt.Errorf("message %d: unknown role %q", i, m.Role)
		}
		c.Messages = append(c.Messages, msg)
	}
	if wrong := c.link(); wrong != "" {
		return nil, errors.New(wrong)
	}
	return c, nil
}

// content reads a string, null or a list of parts.
func content(raw json.RawMessage) (text string, images int, err error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", 0, nil
	}
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &text)
		return text, 0, err
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", 0, fmt.Errorf("content is neither text nor parts: %w", err)
	}
	var all []string
	for _, p := range parts {
		switch p.Type {
		case "text":
			all = append(all, p.Text)
		case "image_url", "image", "file":
			images++
		default:
			return "", 0, fmt.Errorf("unknown part %q", p.Type)
		}
	}
	return strings.Join(all, "\n"), images, nil
}

func (openAI) finish(f string) string {
	if f == "filter" {
		return "content_filter"
	}
	return f
}

func (openAI) usage(a answer) obj {
	return obj{"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output}
}

func (o openAI) whole(c *Conversation, a answer) any {
	msg := obj{"role": "assistant", "content": a.Text}
	if a.Think != "" {
		msg["reasoning_content"] = a.Think
	}
	var calls []any
	for _, call := range a.Calls {
		calls = append(calls, obj{"id": call.ID, "type": "function", "function": obj{"name": call.Name, "arguments": call.Args}})
	}
	if calls != nil {
		msg["tool_calls"] = calls
		if a.Text == "" {
			msg["content"] = nil
		}
	}
	return obj{"id": "chatcmpl-mock", "object": "chat.completion", "created": 0, "model": c.Model,
		"choices": []any{obj{"index": 0, "message": msg, "finish_reason": o.finish(a.Finish)}}, "usage": o.usage(a)}
}

func (o openAI) events(c *Conversation, a answer) []event {
	var out []event
	chunk := func(choices []any, usage any) {
		e := obj{"id": "chatcmpl-mock", "object": "chat.completion.chunk", "created": 0, "model": c.Model, "choices": choices}
		if c.Usage {
			e["usage"] = usage
		}
		out = append(out, event{Data: e})
	}
	delta := func(d obj, finish any) {
		chunk([]any{obj{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(obj{"role": "assistant", "content": ""}, nil)
	for _, p := range pieces(a.Think) {
		delta(obj{"reasoning_content": p}, nil)
	}
	for _, p := range pieces(a.Text) {
		delta(obj{"content": p}, nil)
	}
	for i, call := range a.Calls {
		delta(obj{"tool_calls": []any{obj{"index": i, "id": call.ID, "type": "function",
			"function": obj{"name": call.Name, "arguments": ""}}}}, nil)
		for _, p := range pieces(call.Args) {
			delta(obj{"tool_calls": []any{obj{"index": i, "function": obj{"arguments": p}}}}, nil)
		}
	}
	delta(obj{}, o.finish(a.Finish))
	if c.Usage {
		chunk([]any{}, o.usage(a))
	}
	return append(out, event{Data: "[DONE]"})
}

func (openAI) failure(status int, msg string) any {
	kind := "invalid_request_error"
	switch {
	case status == 401:
		kind = "authentication_error"
	case status == 429:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "server_error"
	}
	return obj{"error": obj{"message": msg, "type": kind, "code": status}}
}

// obj is a JSON object under construction.
type obj = map[string]any
