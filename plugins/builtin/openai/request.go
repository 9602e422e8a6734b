package openai

import (
	"encoding/json"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/chat"
)

type request struct {
	Model         string         `json:"model"`
	Messages      []message      `json:"messages"`
	Tools         []tool         `json:"tools,omitempty"`
	Temperature   *float64       `json:"temperature,omitempty"`
	MaxTokens     int            `json:"max_tokens,omitempty"`
	MaxCompletion int            `json:"max_completion_tokens,omitempty"`
	Stream        bool           `json:"stream,omitempty"`
	StreamOptions *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // string, []part or null
	Calls   []call `json:"tool_calls,omitempty"`
	CallID  string `json:"tool_call_id,omitempty"`
}

type part struct {
	Type  string    `json:"type"`
	Text  string    `json:"text,omitempty"`
	Image *imageURL `json:"image_url,omitempty"`
	File  *file     `json:"file,omitempty"`
}

type file struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

type imageURL struct {
	URL string `json:"url"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name string `json:"name"`
	Args string `json:"arguments"`
}

type tool struct {
	Type     string `json:"type"`
	Function decl   `json:"function"`
}

type decl struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"parameters"`
}

// Request says where to post what.
func (family) Request(req sdk.ChatRequest, q chat.Quirks) (string, map[string]string, any) {
	out := request{Model: req.Endpoint.Model, Messages: messages(req), Temperature: req.Temperature, MaxTokens: req.MaxTokens, Stream: req.Stream}
	if q.NoTemperature {
		out.Temperature = nil
	}
	if q.MaxCompletion {
		out.MaxTokens, out.MaxCompletion = 0, req.MaxTokens
	}
	if req.Stream && !q.NoStreamOptions {
		out.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool{"function", decl(t)})
	}
	return base(req.Endpoint) + "/chat/completions", auth(req.Endpoint), out
}

func messages(req sdk.ChatRequest) []message {
	out := []message{}
	if req.System != "" {
		out = append(out, message{Role: "system", Content: req.System})
	}
	var pictures []part // of tool results, which may hold none: they follow in a user message
	for _, t := range req.Messages {
		if t.Role != "tool" && len(pictures) > 0 {
			out, pictures = append(out, message{Role: "user", Content: pictures}), nil
		}
		m := message{Role: t.Role, Content: content(t.Content), CallID: t.CallID}
		switch t.Role {
		case "assistant":
			m = assistant(t)
		case "tool":
			text, media := split(t.Content)
			if t.IsError {
				text = "Error: " + text
			}
			if len(media) > 0 {
				pictures = append(append(pictures, part{Type: "text", Text: "Pictures of the result of " + t.CallID + ":"}), media...)
			}
			m.Content = text
		}
		out = append(out, m)
	}
	if len(pictures) > 0 {
		out = append(out, message{Role: "user", Content: pictures})
	}
	return out
}

func assistant(t sdk.Turn) message {
	m := message{Role: "assistant"}
	if text, _ := split(t.Content); text != "" || len(t.Calls) == 0 {
		m.Content = text
	}
	for _, c := range t.Calls {
		if c.Args == "" {
			c.Args = "{}"
		}
		m.Calls = append(m.Calls, call{c.ID, "function", function{c.Name, c.Args}})
	}
	return m
}

// content is a string where there is nothing but text: every endpoint reads that.
func content(parts []sdk.Part) any {
	text, media := split(parts)
	if len(media) == 0 {
		return text
	}
	out := []part{}
	for _, p := range parts {
		if p.Type != "text" {
			out = append(out, media[0])
			media = media[1:]
		} else if p.Text != "" {
			out = append(out, part{Type: "text", Text: p.Text})
		}
	}
	return out
}

// split returns the texts, joined by newlines, and the pictures and files.
func split(parts []sdk.Part) (text string, media []part) {
	for _, p := range parts {
		switch {
		case p.Type == "image":
			media = append(media, part{Type: "image_url", Image: &imageURL{dataURL(p)}})
		case p.Type == "file":
			media = append(media, part{Type: "file", File: &file{p.Name, dataURL(p)}})
		case text != "" && p.Text != "":
			text += "\n" + p.Text
		default:
			text += p.Text
		}
	}
	return text, media
}

func dataURL(p sdk.Part) string { return "data:" + p.MIME + ";base64," + chat.Attach(p) }
