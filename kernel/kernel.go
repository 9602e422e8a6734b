// Package kernel is the one verb and the table of what it reaches.
//
// Nothing happens in the world except through Kernel.Call (call.go). It knows no browser, no model and
// no disk: those are ports. It holds no policy either: guard, journal, agent and host are packages
// beside it, written against ports alone, and meet it in cmd/wb/wire.go.
//
// Read call.go, then registry.go and args.go; after that kernel/host for what runs a plugin's tool, and
// ports/primitive for what the dotted names do.
package kernel

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// Journal stores what is about to happen and what came of it.
type Journal interface {
	// Begin stores the intent and returns the call with its ID, and what ends the record. After an
	// error nothing was stored and nothing may happen.
	Begin(ctx context.Context, c ports.Call) (ports.Call, End, error)
}

// End stores how a call ended: with a recovered panic, or with a result or an error. It returns what the
// caller gets to see. It is called exactly once.
type End = func(panicked any, res ports.Result, err error) (ports.Result, error)

// Guard decides. Allow returns nil, or a *ports.Error with the reason and what would allow the call.
type Guard interface {
	Allow(ctx context.Context, s ports.Spec, c ports.Call) error
}

// Kernel is a ports.Caller that reaches every registered tool.
type Kernel struct {
	journal Journal
	guard   Guard
	tools   *Registry
}

// New makes a kernel over a registry, which may grow later. It owns none of its parts.
func New(j Journal, g Guard, tools *Registry) *Kernel {
	return &Kernel{journal: j, guard: g, tools: tools}
}
