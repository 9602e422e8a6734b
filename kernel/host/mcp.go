package host

import (
	"encoding/json"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// What MCP servers may ask of their client, as calls of wb's own primitives.

type sampling struct {
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"` // one block, or several in later versions
	} `json:"messages"`
	System      string   `json:"systemPrompt"`
	MaxTokens   int      `json:"maxTokens"`
	Temperature *float64 `json:"temperature"`
}

type sampled struct {
	Role       string      `json:"role"`
	Content    abi.Content `json:"content"`
	Model      string      `json:"model"`
	StopReason string      `json:"stopReason"`
}

// sample makes sampling/createMessage a model.chat. Tools are not offered, so none can be called.
func (in *instance) sample(raw json.RawMessage) (json.RawMessage, error) {
	s, err := params[sampling](in.p, raw)
	if err != nil {
		return nil, err
	}
	req := ports.ChatRequest{Messages: []ports.Message{}, System: s.System, MaxTokens: s.MaxTokens, Temperature: s.Temperature}
	for _, m := range s.Messages {
		blocks := []abi.Content{{}}
		if err := json.Unmarshal(m.Content, &blocks); err != nil {
			if blocks[0], err = params[abi.Content](in.p, m.Content); err != nil {
				return nil, err
			}
		}
		turn := ports.Message{Role: m.Role}
		for _, b := range blocks {
			if b.Type == "text" || b.Type == "image" {
				turn.Content = append(turn.Content, ports.Part{Type: b.Type, Text: b.Text, MIME: b.MIME, Data: b.Data})
			}
		}
		req.Messages = append(req.Messages, turn)
	}
	return in.callOut("model.chat", abi.JSON(req), func(x *exchange, res ports.Result) (any, error) {
		return x.p.sampledOf(res)
	})
}

func (p *Plugin) sampledOf(res ports.Result) (any, error) {
	var reply ports.ChatReply
	if res.IsError || json.Unmarshal(res.Data, &reply) != nil {
		return nil, p.fail(ports.CodeModel, "model.chat: "+clip(res.Text(), maxError))
	}
	text := ""
	for _, part := range reply.Message.Content {
		text += part.Text
	}
	stop := "endTurn"
	if reply.Finish == "length" {
		stop = "maxTokens"
	}
	return sampled{Role: "assistant", Content: abi.Content{Type: "text", Text: text}, Model: orElse(reply.Model, "unknown"), StopReason: stop}, nil
}

type elicitation struct {
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

type elicited struct {
	Action  string          `json:"action"` // accept, decline or cancel
	Content json.RawMessage `json:"content,omitempty"`
}

// elicit makes elicitation/create a ui.ask.
func (in *instance) elicit(raw json.RawMessage) (json.RawMessage, error) {
	e, err := params[elicitation](in.p, raw)
	if err != nil {
		return nil, err
	}
	q := ports.Question{Kind: ports.AskClarify, Text: clip(e.Message, maxError), Schema: e.Schema}
	return in.callOut("ui.ask", abi.JSON(q), func(x *exchange, res ports.Result) (any, error) {
		var a ports.Answer
		if res.IsError || json.Unmarshal(res.Data, &a) != nil {
			return nil, x.p.fail(ports.CodeNeedsUser, "ui.ask: "+clip(res.Text(), maxError))
		}
		return elicitedOf(a, e.Schema), nil
	})
}

func elicitedOf(a ports.Answer, schema json.RawMessage) elicited {
	switch a.Choice {
	case "cancel":
		return elicited{Action: "cancel"}
	case "deny":
		return elicited{Action: "decline"}
	}
	if len(a.Data) > 0 {
		return elicited{Action: "accept", Content: a.Data}
	}
	// A free text answers a form of one field.
	var form struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	content := map[string]string{}
	if json.Unmarshal(schema, &form) == nil && len(form.Properties) == 1 {
		for name := range form.Properties {
			content[name] = orElse(a.Text, a.Choice)
		}
	}
	return elicited{Action: "accept", Content: abi.JSON(content)}
}
