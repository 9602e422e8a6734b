package journal

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// Node is a recorded call with the calls that it made, in the order in which they began.
type Node struct {
	ports.Record
	Children []*Node
}

// Next is what a resumed run does about a recorded call.
type Next string

const (
	// NextReuse: it ended; its recorded result stands and it is not made again.
	NextReuse Next = "reuse"
	// NextRedo: it changed nothing, or was never begun in earnest; it may be made again.
	NextRedo Next = "redo"
	// NextAsk: nobody knows whether it happened; it is looked at, and never repeated blindly.
	NextAsk Next = "ask"
)

// Finished reports whether the outcome was stored.
func (n *Node) Finished() bool { return n.Status != "" }

// Next says what a resumed run does about the call. A mutating call without an outcome, or whose outcome
// is unknown or a crash, is NextAsk.
func (n *Node) Next() Next {
	switch {
	case n.Status == StatusOK || n.Status == StatusError || n.Status == StatusFailed:
		return NextReuse
	case !n.Mutates:
		return NextRedo
	default:
		return NextAsk
	}
}

// Replay reads a run as a tree: its root calls, oldest first. A call whose parent was not recorded in
// this run is a root.
func Replay(ctx context.Context, store ports.Store, run string) ([]*Node, error) {
	var roots []*Node
	byID := map[string]*Node{}
	err := Each(ctx, store, run, 0, func(rec ports.Record) error {
		n := &Node{Record: rec}
		byID[rec.ID] = n
		if p := byID[rec.Parent]; p != nil && rec.Parent != "" {
			p.Children = append(p.Children, n)
		} else {
			roots = append(roots, n)
		}
		return nil
	})
	return roots, err
}

// Unfinished returns the calls of a tree that have no outcome, parents before children.
func Unfinished(roots []*Node) []*Node {
	var out []*Node
	for _, n := range roots {
		if !n.Finished() {
			out = append(out, n)
		}
		out = append(out, Unfinished(n.Children)...)
	}
	return out
}

// Each calls f with every record of a run ("" for all) after a sequence number, oldest first, until f
// returns an error, which it returns.
func Each(ctx context.Context, store ports.Store, run string, since int64, f func(ports.Record) error) error {
	const page = 500
	for {
		recs, err := store.Since(ctx, run, since, page)
		if err != nil {
			return err
		}
		for _, rec := range recs {
			if err := f(rec); err != nil {
				return err
			}
			since = rec.Seq
		}
		if len(recs) < page {
			return nil
		}
	}
}
