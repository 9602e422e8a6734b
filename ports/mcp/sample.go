package mcp

//lint:file-ignore SA1019 sampling is deprecated since 2026-07-28; the clients that have it speak an older version, and so do we to them

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wb-agent/wb/ports"
)

// Chat asks the model of the client whose session the call belongs to, by sampling. It makes the server
// a ports.Provider: a client can lend wb its model. Tools do not cross, so it fits plugins that ask a
// question, not runs of an agent.
func (s *Server) Chat(ctx context.Context, c ports.Call, req ports.ChatRequest, _ func(ports.Delta)) (ports.ChatReply, error) {
	ss := s.client(c.Run)
	if ss == nil || ss.InitializeParams() == nil || ss.InitializeParams().Capabilities.Sampling == nil {
		return ports.ChatReply{}, ports.NewError(ports.CodeModel, "the client lends no model", "name a configured provider, or use a client with sampling")
	}
	p := &mcp.CreateMessageParams{SystemPrompt: req.System, MaxTokens: int64(req.MaxTokens)}
	if req.MaxTokens == 0 {
		p.MaxTokens = 1000
	}
	if req.Temperature != nil {
		p.Temperature = *req.Temperature
	}
	for _, m := range req.Messages {
		for _, part := range m.Content {
			p.Messages = append(p.Messages, &mcp.SamplingMessage{Role: mcp.Role(roleOf(m.Role)), Content: content(part)})
		}
	}
	res, err := ss.CreateMessage(ctx, p)
	if err != nil {
		return ports.ChatReply{}, &ports.Error{Code: ports.CodeModel, Msg: "the client's model", Err: err}
	}
	text, ok := res.Content.(*mcp.TextContent)
	if !ok {
		return ports.ChatReply{}, &ports.Error{Code: ports.CodeModel, Msg: "the client's model", Err: errors.New("answered with something other than text")}
	}
	return ports.ChatReply{Message: ports.Message{Role: "assistant", Content: []ports.Part{{Type: "text", Text: text.Text}}}, Model: res.Model, Finish: "stop"}, nil
}

// Models lists nothing: a client does not say what it has.
func (s *Server) Models(context.Context, ports.Call, ports.Endpoint) ([]string, error) {
	return nil, nil
}

func roleOf(role string) string {
	if role == "assistant" {
		return role
	}
	return "user"
}

func content(p ports.Part) mcp.Content {
	if p.Type == "image" {
		return &mcp.ImageContent{MIMEType: p.MIME, Data: p.Data}
	}
	return &mcp.TextContent{Text: p.Text}
}
