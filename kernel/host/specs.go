package host

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// Bounds of what a plugin may say about its tools.
const (
	maxPages       = 50
	maxTools       = 500
	maxDescription = 4_000
	maxStrange     = 1_000    // of a third party
	maxSchema      = 64 << 10 // bytes, in and out
	maxBudget      = 20_000
)

// listed is a tool as the guest names it and as wb does.
type listed struct {
	real string
	spec ports.Spec
}

// Specs lists the plugin's tools. It asks the guest once, and again after the guest has said that the
// list changed.
func (p *Plugin) Specs(ctx context.Context) ([]ports.Spec, error) {
	list, err := p.tools(ctx)
	specs := make([]ports.Spec, len(list))
	for i, l := range list {
		specs[i] = l.spec
	}
	return specs, err
}

// Tools lists the plugin's tools as ports.Tools, to be registered.
func (p *Plugin) Tools(ctx context.Context) ([]ports.Tool, error) {
	specs, err := p.Specs(ctx)
	tools := make([]ports.Tool, len(specs))
	for i, s := range specs {
		tools[i] = tool{p, s}
	}
	return tools, err
}

// tool is one tool of a plugin.
type tool struct {
	p    *Plugin
	spec ports.Spec
}

func (t tool) Spec() ports.Spec { return t.spec }

func (t tool) Call(ctx context.Context, c ports.Call) (ports.Result, error) {
	c.Tool = t.spec.Name
	return t.p.Call(ctx, c)
}

func (p *Plugin) tools(ctx context.Context) ([]listed, error) {
	p.listing.Lock()
	defer p.listing.Unlock()
	changed := p.stale.Swap(false)
	if p.list != nil && !changed {
		return p.list, nil
	}
	list, kept := p.kept()
	if !kept || changed {
		var err error
		if list, err = p.ask(ctx); err != nil {
			p.stale.Store(changed)
			return nil, err
		}
		p.keep(list)
	}
	names := map[string]string{}
	for _, l := range list {
		names[l.spec.Name] = l.real
	}
	p.list = list
	p.names.Store(&names)
	return list, nil
}

// ask reads the guest's list, page by page. An instance of a run is not kept for it.
func (p *Plugin) ask(ctx context.Context) ([]listed, error) {
	const listRun = "\x00list" // no run is called so
	defer p.EndRun(listRun)
	list, cursor := []listed{}, ""
	for range maxPages {
		var page abi.ToolsPage
		err := p.serve(ctx, ports.Call{Run: listRun}, ask{method: abi.MethodToolsList,
			params: func(*exchange) (any, error) {
				if cursor == "" {
					return struct{}{}, nil
				}
				return map[string]string{"cursor": cursor}, nil
			},
			take: func(raw json.RawMessage, _ *exchange) error {
				if err := json.Unmarshal(raw, &page); err != nil {
					return p.fail(ports.CodeFault, "tools/list: "+err.Error())
				}
				return nil
			}})
		if err != nil {
			return nil, err
		}
		for _, s := range page.Tools {
			spec, err := p.spec(s)
			if err != nil {
				return nil, err
			}
			list = append(list, listed{s.Name, spec})
		}
		if page.NextCursor == "" || len(list) > maxTools {
			break
		}
		cursor = page.NextCursor
	}
	return list, p.checkList(list)
}

func (p *Plugin) checkList(list []listed) error {
	if len(list) > maxTools {
		return p.fail(ports.CodeOversized, "offers more than 500 tools")
	}
	seen := map[string]bool{}
	for _, l := range list {
		if seen[l.spec.Name] {
			return p.fail(ports.CodeFault, "offers two tools named "+l.spec.Name)
		}
		seen[l.spec.Name] = true
	}
	return nil
}

// realName returns the guest's name of one of its tools.
func (p *Plugin) realName(name string) string {
	if names := p.names.Load(); names != nil && (*names)[name] != "" {
		return (*names)[name]
	}
	return name
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// fit makes a name that models and providers accept: "greet (formal)" becomes greet_formal. A dot would
// make it a host primitive.
func fit(name string) string {
	return clip(strings.Trim(unfit.ReplaceAllString(name, "_"), "_-"), 64)
}

// spec turns a guest's description into ours.
func (p *Plugin) spec(s abi.ToolSpec) (ports.Spec, error) {
	name := fit(s.Name)
	if name == "" {
		return ports.Spec{}, p.fail(ports.CodeFault, fmt.Sprintf("a tool is named %q", clip(s.Name, 80)))
	}
	if !p.builtin && len(s.InputSchema)+len(s.OutputSchema) > maxSchema {
		return ports.Spec{}, p.fail(ports.CodeOversized, "the schemas of tool "+name+" are longer than 64 KiB")
	}
	var wb abi.SpecWB
	if s.Meta != nil && s.Meta.WB != nil {
		wb = *s.Meta.WB
	}
	spec := ports.Spec{Name: name, Description: clip(s.Description, maxDescription), Input: s.InputSchema,
		Output: s.OutputSchema, Risk: ports.Risk(wb.Risk), Trusted: wb.Trusted, Budget: wb.Budget, Owner: p.id}
	for _, m := range wb.Modes {
		spec.Modes = append(spec.Modes, ports.Mode(m))
	}
	for _, t := range wb.Tiers {
		spec.Tiers = append(spec.Tiers, ports.Tier(t))
	}
	if !p.builtin {
		p.distrust(&spec, s.Annotations)
	}
	return spec, nil
}

// distrust bounds what a third party says about a tool. Its results are never wb's own words, and it
// counts as acting unless it says that it only looks and holds no grant to do more.
func (p *Plugin) distrust(s *ports.Spec, hints *abi.Annotations) {
	says := s.Risk
	if hints != nil && says == "" && hints.ReadOnlyHint {
		says = ports.RiskRead
	}
	if hints != nil && hints.DestructiveHint != nil && *hints.DestructiveHint && !hints.ReadOnlyHint {
		says = ports.RiskDangerous
	}
	looks := says == ports.RiskRead && !slices.ContainsFunc(p.grants, acts)
	switch {
	case looks:
		s.Risk = ports.RiskRead
	case says == "" || says.Rank() < ports.RiskAct.Rank():
		s.Risk = ports.RiskAct
	default:
		s.Risk = says
	}
	s.Description = "[plugin " + p.id + "] " + clip(s.Description, maxStrange) // whose words these are
	s.Trusted = false
	s.Budget = min(max(s.Budget, 0), maxBudget)
	if len(s.Modes) == 0 {
		s.Modes = []ports.Mode{ports.ModeAsk, ports.ModeAct, ports.ModeDev}
	}
	if !looks {
		s.Modes = slices.DeleteFunc(s.Modes, func(m ports.Mode) bool { return m == ports.ModeAsk })
	}
}
