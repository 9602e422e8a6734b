// Package guard decides what may happen, on the assumption that the model is already hijacked.
//
// It judges at two doors. A model-facing tool is checked for mode and tier (the kernel has checked the
// schema). A host primitive is checked for the caller's grants, and for where it would act: ground.go
// reads the facts from the live page, then the pure Decide in decide.go answers. No model is asked, and
// no text from a page is believed.
//
// Read decide.go for the rules, facts.go for what they look at, policy.go for what a person allowed.
package guard

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Grounder reads from the world what a call would touch. Its reads are not guarded again.
type Grounder interface {
	Ground(ctx context.Context, c ports.Call) (Facts, error)
}

// Guard is the kernel's guard. Safe for concurrent use.
type Guard struct {
	ground Grounder
	grants func(plugin string) []ports.Grant

	mu      sync.RWMutex
	runs    map[string]Policy
	refused map[string][]string // by run, in words
}

// New makes a guard. grants returns a plugin's effective grants, nil for an unknown plugin.
func New(ground Grounder, grants func(plugin string) []ports.Grant) *Guard {
	return &Guard{ground: ground, grants: grants, runs: map[string]Policy{}, refused: map[string][]string{}}
}

// Begin binds a policy to a run. A run without one may only read.
func (g *Guard) Begin(run string, p Policy) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.runs[run] = p
}

// End forgets a run.
func (g *Guard) End(run string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.runs, run)
	delete(g.refused, run)
}

// Refusals lists what Decide refused to a run, in words, oldest first.
func (g *Guard) Refusals(run string) []string {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return slices.Clone(g.refused[run])
}

// refuse remembers a refusal and makes it an error.
func (g *Guard) refuse(run string, err *ports.Error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, live := g.runs[run]; live && len(g.refused[run]) < maxRefusals {
		g.refused[run] = append(g.refused[run], err.Msg+" ("+err.Fix+")")
	}
	return err
}

// maxRefusals bounds what is remembered of one run.
const maxRefusals = 100

// Policy returns the policy of a run; the zero policy only reads.
func (g *Guard) Policy(run string) Policy {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.runs[run]
}

// Allow judges one call. A refusal is a *ports.Error with CodeRefused whose Fix is the line of policy, or
// the flag, that would allow it.
func (g *Guard) Allow(ctx context.Context, s ports.Spec, c ports.Call) error {
	if !s.Primitive() {
		return g.door(s, c)
	}
	if err := g.granted(s, c); err != nil {
		return err
	}
	if !judged(c.Tool) {
		return nil
	}
	facts, err := g.ground.Ground(ctx, c)
	if err != nil {
		return err
	}
	d := Decide(g.Policy(c.Run), facts, c)
	if d.Verdict == Allowed {
		return nil
	}
	return g.refuse(c.Run, ports.NewError(ports.CodeRefused, fmt.Sprintf("%s refused (%s): %s", c.Tool, d.Rule, d.Reason), d.Fix))
}

// door checks a model-facing call for mode and tier, and a plugin's for a grant that names the tool.
func (g *Guard) door(s ports.Spec, c ports.Call) error {
	switch c.From {
	case ports.FromModel, ports.FromMCP:
		return atDoor(s, c)
	case ports.FromUser, ports.FromKernel:
		if c.Mode == ports.ModeAsk {
			return atDoor(s, c)
		}
		return nil
	}
	return g.granted(s, c)
}

func atDoor(s ports.Spec, c ports.Call) error {
	mode, tier := orElse(c.Mode, ports.ModeAct), orElse(c.Tier, ports.TierFull)
	switch {
	case mode == ports.ModeAsk && s.Mutates():
		return ports.NewError(ports.CodeRefused, fmt.Sprintf("%s changes things, and this run only reads (mode ask)", s.Name),
			"answer from what can be read, or run with --mode act")
	case len(s.Modes) > 0 && !slices.Contains(s.Modes, mode):
		return ports.NewError(ports.CodeRefused, fmt.Sprintf("%s is not offered in mode %s", s.Name, mode),
			fmt.Sprintf("it is offered in: %v", s.Modes))
	case len(s.Tiers) > 0 && !slices.Contains(s.Tiers, tier):
		return ports.NewError(ports.CodeRefused, fmt.Sprintf("%s is not offered to tier %s", s.Name, tier),
			fmt.Sprintf("it is offered to: %v", s.Tiers))
	}
	return nil
}

// granted checks that the caller may use the tool at all.
func (g *Guard) granted(s ports.Spec, c ports.Call) error {
	switch c.From {
	case ports.FromUser, ports.FromKernel:
		return nil
	case ports.FromModel, ports.FromMCP:
		return ports.NewError(ports.CodeRefused, fmt.Sprintf("%s is a host primitive", s.Name),
			"use a model-facing tool (names with underscores)")
	}
	for _, gr := range g.grants(c.From) {
		if gr.Covers(s.Name) {
			return nil
		}
	}
	return ports.NewError(ports.CodeRefused, fmt.Sprintf("plugin %s has no grant for %s", c.From, s.Name),
		fmt.Sprintf("grant it with: wb plugin add --grant %s (the plugin must ask for it in plugin.json)", s.Name))
}

func orElse[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}
