package host

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// Chat answers one request through the guest's provider/chat. c stands for the call that is served: what
// the guest calls is nested in it. It fulfils ports.Provider; pictures cross as handles.
func (p *Plugin) Chat(ctx context.Context, c ports.Call, req ports.ChatRequest, emit func(ports.Delta)) (ports.ChatReply, error) {
	var reply ports.ChatReply
	err := p.serve(ctx, c, ask{method: abi.MethodChat, nests: true, delta: emit,
		params: func(x *exchange) (any, error) { return x.chatParams(req) },
		take: func(raw json.RawMessage, _ *exchange) error {
			if err := json.Unmarshal(raw, &reply); err != nil {
				return p.fail(ports.CodeFault, abi.MethodChat+": "+err.Error())
			}
			return nil
		}})
	if err != nil {
		return ports.ChatReply{}, err
	}
	return reply, nil
}

// Models lists what an endpoint offers, through the guest's provider/models.
func (p *Plugin) Models(ctx context.Context, c ports.Call, e ports.Endpoint) ([]string, error) {
	var out abi.ModelsResult
	err := p.serve(ctx, c, ask{method: abi.MethodModels, nests: true,
		params: func(*exchange) (any, error) { return e, nil },
		take: func(raw json.RawMessage, _ *exchange) error {
			if err := json.Unmarshal(raw, &out); err != nil {
				return p.fail(ports.CodeFault, abi.MethodModels+": "+err.Error())
			}
			return nil
		}})
	return out.Models, err
}

// Match returns the guest's notes about a page, through adapter/match. The guest may call nothing.
func (p *Plugin) Match(ctx context.Context, url string) ([]string, error) {
	var out abi.MatchResult
	err := p.serve(ctx, ports.Call{}, ask{method: abi.MethodMatch,
		params: func(*exchange) (any, error) { return abi.MatchRequest{URL: url}, nil },
		take: func(raw json.RawMessage, _ *exchange) error {
			if err := json.Unmarshal(raw, &out); err != nil {
				return p.fail(ports.CodeFault, abi.MethodMatch+": "+err.Error())
			}
			return nil
		}})
	return out.Notes, err
}
