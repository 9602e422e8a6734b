package kernel

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// Call is the one verb: it records, finds, checks, allows and runs everything that happens. A refusal,
// an unknown tool and a crash are recorded like anything else. Safe for concurrent use.
func (k *Kernel) Call(ctx context.Context, c ports.Call) (res ports.Result, err error) {
	c, end, err := k.journal.Begin(ctx, c) // the intent is stored, or nothing happens
	if err != nil {
		return ports.Result{}, err
	}
	// The outcome; a panic is "crashed", and an outcome that cannot be stored makes a mutating call "unknown".
	defer func() { res, err = end(recover(), res, err) }()
	t, err := k.tools.find(c.Tool)
	if err != nil {
		return ports.Result{}, err
	}
	if c.Args, err = t.check(c.Args); err != nil {
		return ports.Result{}, err
	}
	if err := k.guard.Allow(ctx, t.spec, c); err != nil {
		return ports.Result{}, err
	}
	return t.run.Call(ctx, c)
}
