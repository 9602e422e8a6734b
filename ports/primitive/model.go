package primitive

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Models is the configured endpoints and the providers that speak to them.
type Models struct {
	// All returns the endpoints as they stand now, and the one for a request that names none. The map is the caller's.
	All func() (endpoints map[string]ports.Endpoint, byDefault string)
	// Provider returns who speaks a family, or an error that says which plugin is missing.
	Provider func(ctx context.Context, family string) (ports.Provider, error)
}

// Endpoint returns a configured endpoint, "" meaning the default.
func (m Models) Endpoint(id string) (ports.Endpoint, error) {
	all, byDefault := m.All()
	if id == "" {
		id = byDefault
	}
	e, ok := all[id]
	if !ok {
		known := slices.Sorted(maps.Keys(all))
		return e, ports.NewError(ports.CodeUsage, fmt.Sprintf("no provider %q", id),
			"known providers: "+strings.Join(known, ", ")+"; add one under providers: in the config")
	}
	return e, nil
}

// Tools are model.chat and model.list.
func (m Models) Tools() []ports.Tool {
	return []ports.Tool{
		primitive("model.chat", ports.RiskRead, "Ask a model.", modelSchema, m.chat),
		primitive("model.list", ports.RiskRead, "List an endpoint's models.", modelsSchema, m.list),
	}
}

// chat fills in the endpoint by its id, so that no caller can point a key at another address.
func (m Models) chat(ctx context.Context, c ports.Call) (ports.Result, error) {
	var req ports.ChatRequest
	if err := json.Unmarshal(c.Args, &req); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "model.chat: "+err.Error(), "")
	}
	for i := range req.Messages {
		for j := range req.Messages[i].Content {
			if p := &req.Messages[i].Content[j]; p.Handle != "" {
				p.Data, p.Handle = c.Attach[p.Handle], ""
			}
		}
	}
	e, err := m.Endpoint(req.Endpoint.ID)
	if err != nil {
		return ports.Result{}, err
	}
	if req.Endpoint.Model != "" {
		e.Model = req.Endpoint.Model
	}
	req.Endpoint = e
	p, err := m.Provider(ctx, e.Family)
	if err != nil {
		return ports.Result{}, err
	}
	reply, err := p.Chat(ctx, c, req, func(d ports.Delta) {
		if c.Emit != nil {
			c.Emit(ports.Event{Kind: ports.EventDelta, Text: d.Text, Data: ports.JSON(d)})
		}
	})
	return data(reply, err)
}

func (m Models) list(ctx context.Context, c ports.Call) (ports.Result, error) {
	var a struct {
		Endpoint string `json:"endpoint"`
	}
	if err := json.Unmarshal(orEmpty(c.Args), &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "model.list: "+err.Error(), "")
	}
	e, err := m.Endpoint(a.Endpoint)
	if err != nil {
		return ports.Result{}, err
	}
	p, err := m.Provider(ctx, e.Family)
	if err != nil {
		return ports.Result{}, err
	}
	models, err := p.Models(ctx, c, e)
	return data(map[string]any{"models": models}, err)
}
