// Package journal decides what a record of a call is: the intent that is stored before anything happens,
// the outcome after it, what is taken out of both, and how a run is read back.
//
// It is not a database (ports/sqlite and ports/memory are) and it runs nothing. Read journal.go, then
// record.go, redact.go and replay.go.
package journal

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/wb-agent/wb/ports"
)

// Options tunes a Journal; Clock and NewID are required.
type Options struct {
	Clock ports.Clock
	// NewID makes the ID of a call. It must be unique among all processes that share the store.
	NewID func() string
	// Mutates says whether a tool may change the world; nil, like an unknown tool, reads as yes.
	Mutates func(tool string) bool
	// Redact takes secrets out of everything that is stored; nil means a Redactor without values.
	Redact *Redactor
	// Metadata keeps no value of an argument or a result, only that the call was made and how it ended.
	Metadata bool
	// Log gets the stacks of panics, at debug level; nil means slog.Default().
	Log *slog.Logger
}

// Journal records calls. It may be used from many goroutines.
type Journal struct {
	store ports.Store
	opt   Options
}

// New returns a journal on a store, which stays the caller's to close.
func New(store ports.Store, opt Options) *Journal {
	if opt.Mutates == nil {
		opt.Mutates = func(string) bool { return true }
	}
	if opt.Redact == nil {
		opt.Redact = NewRedactor()
	}
	return &Journal{store: store, opt: opt}
}

// Begin gives the call its ID, if it has none, and stores the intent. On an error nothing was stored and
// nothing may be done: CodeStorage, or CodeCancelled and CodeTimeout where ctx had ended.
func (j *Journal) Begin(ctx context.Context, c ports.Call) (ports.Call, *Record, error) {
	if err := ended(ctx, c.Tool); err != nil {
		return c, nil, err
	}
	if c.ID == "" {
		c.ID = j.opt.NewID()
	}
	in := ports.Intent{
		ID: c.ID, Parent: c.Parent, Run: c.Run, From: c.From, Tool: c.Tool, Tab: c.Tab,
		Args: j.args(c.Args), Mutates: j.opt.Mutates(c.Tool), At: j.opt.Clock.Now(),
	}
	seq, err := j.store.Begin(ctx, in)
	if err != nil {
		if e := ended(ctx, c.Tool); e != nil {
			return c, nil, e
		}
		return c, nil, storage(c.Tool+": intent not recorded, so nothing was done", err)
	}
	return c, &Record{Seq: seq, j: j, ctx: context.WithoutCancel(ctx), id: c.ID, tool: c.Tool, mutates: in.Mutates}, nil
}

func (j *Journal) args(raw json.RawMessage) json.RawMessage {
	if j.opt.Metadata || len(raw) == 0 {
		return nil
	}
	return j.keep(raw)
}

// ended turns the end of a context into an error of wb, or nil.
func ended(ctx context.Context, tool string) error {
	switch err := ctx.Err(); {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &ports.Error{Code: ports.CodeTimeout, Msg: tool + ": out of time before it began", Err: err}
	default:
		return &ports.Error{Code: ports.CodeCancelled, Msg: tool + ": cancelled before it began", Err: err}
	}
}

// storage wraps what a store answered, keeping the fix it knows.
func storage(msg string, err error) error {
	fix := ports.FixOf(err)
	if fix == "" {
		fix = "run wb doctor to check the journal"
	}
	return &ports.Error{Code: ports.CodeStorage, Msg: msg, Fix: fix, Err: err}
}
