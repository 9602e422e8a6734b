package mcp

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wb-agent/wb/ports"
)

// Ask puts a question to the client whose session the run belongs to. It is a ports.Asker; a client
// without elicitation cannot answer, and that is CodeNeedsUser.
func (s *Server) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	ss := s.client(q.Run)
	if ss == nil || ss.InitializeParams() == nil || ss.InitializeParams().Capabilities.Elicitation == nil {
		return ports.Answer{}, ports.NewError(ports.CodeNeedsUser, "the client takes no questions: "+q.Text, "put the answer into the task, or use a client with elicitation")
	}
	res, err := ss.Elicit(ctx, &mcp.ElicitParams{Message: q.Text, RequestedSchema: schemaOf(q)})
	if err != nil {
		return ports.Answer{}, &ports.Error{Code: ports.CodeNeedsUser, Msg: "elicitation", Err: err}
	}
	switch res.Action {
	case "accept":
	case "decline":
		return ports.Answer{Choice: "deny"}, nil
	default:
		return ports.Answer{Choice: "cancel"}, nil
	}
	data, err := json.Marshal(res.Content)
	if err != nil {
		return ports.Answer{}, &ports.Error{Code: ports.CodeNeedsUser, Msg: "elicitation", Err: err}
	}
	a := ports.Answer{Choice: "allow", Data: data}
	if said, ok := res.Content["answer"].(string); ok {
		a.Choice, a.Text = said, said
	}
	return a, nil
}

// schemaOf is the form for a question: its own, or one answer.
func schemaOf(q ports.Question) any {
	if len(q.Schema) > 0 {
		return q.Schema
	}
	answer := map[string]any{"type": "string", "description": q.Text}
	if len(q.Options) > 0 {
		answer["enum"] = q.Options
	}
	return map[string]any{"type": "object", "properties": map[string]any{"answer": answer}, "required": []string{"answer"}}
}

// client returns the session of a run, nil if it has none.
func (s *Server) client(run string) *mcp.ServerSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[run]
}
