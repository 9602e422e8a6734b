package sdk

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// ServeOn answers requests on in until it ends, which is not an error.
func ServeOn(p Plugin, in io.Reader, out io.Writer) error {
	h := &Host{in: bufio.NewReaderSize(in, 16<<10), out: out}
	h.stand(nil)
	for {
		m, err := h.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if m.Method == "" || m.ID == nil {
			continue // a late response, or a notification
		}
		result, rpcErr := p.handle(h, m)
		if err := h.write(abi.Message{ID: m.ID, Result: result, Error: rpcErr}); err != nil {
			return err
		}
	}
}

func (p Plugin) handle(h *Host, m abi.Message) (json.RawMessage, *abi.Error) {
	switch m.Method {
	case abi.MethodInitialize:
		return p.initialize(h, m.Params), nil
	case abi.MethodPing:
		return abi.JSON(struct{}{}), nil
	case abi.MethodToolsList:
		page := abi.ToolsPage{Tools: []abi.ToolSpec{}}
		for _, t := range p.Tools {
			page.Tools = append(page.Tools, t.spec())
		}
		return abi.JSON(page), nil
	case abi.MethodToolsCall:
		return p.callTool(h, m.Params)
	case abi.MethodChat, abi.MethodModels:
		if p.Provider != nil {
			return p.provide(h, m)
		}
	case abi.MethodMatch:
		if p.Adapter != nil {
			return serve(m.Params, func(r abi.MatchRequest) (abi.MatchResult, error) {
				notes, err := p.Adapter.Match(r.URL)
				return abi.MatchResult{Notes: notes}, err
			})
		}
	}
	return nil, &abi.Error{Code: abi.ErrNoMethod, Message: "unknown method " + m.Method}
}

func (p Plugin) initialize(h *Host, params json.RawMessage) json.RawMessage {
	var hello abi.Hello
	_ = json.Unmarshal(params, &hello) // what is missing reads as a plain MCP host
	wb := hello.Capabilities.Experimental.WB
	h.wb = wb != nil && wb.ABI == abi.Version
	h.elicits = hello.Capabilities.Elicitation != nil
	return abi.JSON(abi.Hello{ProtocolVersion: abi.ProtocolVersion, ServerInfo: &abi.Info{Name: p.Name, Version: p.Version},
		Capabilities: abi.Capabilities{Tools: &struct{}{}, Experimental: abi.Experimental{
			WB: &abi.WB{ABI: abi.Version, Provider: p.Provider != nil, Adapter: p.Adapter != nil}}}})
}

func (p Plugin) callTool(h *Host, params json.RawMessage) (json.RawMessage, *abi.Error) {
	var c abi.CallParams
	if err := json.Unmarshal(params, &c); err != nil {
		return nil, &abi.Error{Code: abi.ErrParams, Message: err.Error()}
	}
	h.stand(c.Meta)
	for _, t := range p.Tools {
		if t.name() != c.Name {
			continue
		}
		r, err := t.call(h, c.Args)
		if err == nil {
			return abi.JSON(r.wire()), nil
		}
		if h.wb && CodeOf(err) != "" {
			return nil, rpcError(err)
		}
		return abi.JSON(toolError(err)), nil
	}
	return nil, &abi.Error{Code: abi.ErrParams, Message: "unknown tool " + c.Name}
}

func (p Plugin) provide(h *Host, m abi.Message) (json.RawMessage, *abi.Error) {
	h.stand(nil)
	if m.Method == abi.MethodModels {
		return serve(m.Params, func(e Endpoint) (abi.ModelsResult, error) {
			models, err := p.Provider.Models(h, e)
			return abi.ModelsResult{Models: models}, err
		})
	}
	return serve(m.Params, func(req ChatRequest) (ChatReply, error) {
		return p.Provider.Chat(h, req, func(d Delta) { h.notify(abi.MethodDelta, d) })
	})
}

// serve decodes params, runs f and encodes its answer.
func serve[In, Out any](params json.RawMessage, f func(In) (Out, error)) (json.RawMessage, *abi.Error) {
	var in In
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, &abi.Error{Code: abi.ErrParams, Message: err.Error()}
	}
	out, err := f(in)
	if err != nil {
		return nil, rpcError(err)
	}
	return abi.JSON(out), nil
}
