package mockmodel

import (
	"encoding/json"
	"testing"
)

// openAI reads a whole answer (field message) or a chunk (field delta).
func (s *said) openAI(t *testing.T, body []byte, field string) {
	t.Helper()
	var r struct {
		Choices []map[string]json.RawMessage
		Usage   *struct{ Prompt_tokens, Completion_tokens int }
	}
	must(t, body, &r)
	if r.Usage != nil {
		s.input, s.output = r.Usage.Prompt_tokens, r.Usage.Completion_tokens
	}
	if len(r.Choices) == 0 {
		return
	}
	var m struct {
		Content           *string
		Reasoning_content string
		Tool_calls        []struct {
			Index    int
			ID       string
			Function struct{ Name, Arguments string }
		}
	}
	must(t, r.Choices[0][field], &m)
	if m.Content != nil {
		s.text += *m.Content
	}
	s.think += m.Reasoning_content
	for _, c := range m.Tool_calls {
		if c.ID != "" {
			s.calls = append(s.calls, Call{ID: c.ID, Name: c.Function.Name, Args: c.Function.Arguments})
			continue
		}
		s.calls[c.Index].Args += c.Function.Arguments
	}
	var finish *string
	must(t, r.Choices[0]["finish_reason"], &finish)
	if finish != nil {
		s.finish = *finish
	}
}

func (s *said) anthropic(t *testing.T, body []byte) {
	t.Helper()
	var r struct {
		Content []struct {
			Type, Text, Thinking, ID, Name string
			Input                          json.RawMessage
		}
		Stop_reason string
		Usage       struct{ Input_tokens, Output_tokens int }
	}
	must(t, body, &r)
	s.finish, s.input, s.output = r.Stop_reason, r.Usage.Input_tokens, r.Usage.Output_tokens
	for _, b := range r.Content {
		s.text += b.Text
		s.think += b.Thinking
		if b.Type == "tool_use" {
			s.calls = append(s.calls, Call{ID: b.ID, Name: b.Name, Args: string(b.Input)})
		}
	}
}

func (s *said) anthropicEvent(t *testing.T, e sseEvent) {
	t.Helper()
	var r struct {
		Type          string
		Message       struct{ Usage struct{ Input_tokens int } }
		Content_block struct{ Type, ID, Name string }
		Delta         struct{ Text, Thinking, Partial_json, Stop_reason string }
		Usage         struct{ Output_tokens int }
	}
	must(t, []byte(e.data), &r)
	if r.Type != e.name {
		t.Errorf("event %q holds type %q", e.name, r.Type)
	}
	switch r.Type {
	case "message_start":
		s.input = r.Message.Usage.Input_tokens
	case "content_block_start":
		if r.Content_block.Type == "tool_use" {
			s.calls = append(s.calls, Call{ID: r.Content_block.ID, Name: r.Content_block.Name})
		}
	case "content_block_delta":
		s.text += r.Delta.Text
		s.think += r.Delta.Thinking
		if r.Delta.Partial_json != "" {
			s.calls[len(s.calls)-1].Args += r.Delta.Partial_json
		}
	case "message_delta":
		s.finish, s.output = r.Delta.Stop_reason, r.Usage.Output_tokens
	}
}

func must(t *testing.T, raw []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
}
