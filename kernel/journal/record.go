package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/wb-agent/wb/ports"
)

// How a call can end; Status of an outcome.
const (
	StatusOK      = "ok"
	StatusError   = "error"   // the tool's own failure, told in its result
	StatusFailed  = "failed"  // a Go error: refused, unreachable, out of time
	StatusCrashed = "crashed" // a panic
	StatusUnknown = "unknown" // it may or may not have happened
)

// Record is a call under way. Its End is called once.
type Record struct {
	Seq int64 // of the intent

	j       *Journal
	ctx     context.Context // the call's values without its end: an outcome is stored whatever happened
	id      string
	tool    string
	mutates bool
}

// End stores how the call ended and returns what the caller gets. It is to be deferred with recover(), in
// the function that would panic, so that the stack is still there:
//
//	defer func() { res, err = rec.End(recover(), res, err) }()
//
// It stores even if the call was cancelled meanwhile. Where the outcome cannot be stored, a mutating call
// answers CodeUnknown and a reading one CodeStorage. A Body is wrapped: what was read of it is stored
// when it is read to its end or closed.
func (r *Record) End(panicked any, res ports.Result, err error) (ports.Result, error) {
	if panicked != nil {
		res, err = r.crashed(res, panicked)
	}
	out := r.outcome(res, err, nil)
	if serr := r.j.store.End(r.ctx, out); serr != nil {
		return ports.Result{}, r.unstored(res, err, serr)
	}
	if res.Body != nil {
		res.Body = newBody(res.Body, func(b bodyStats) error {
			out := r.outcome(res, err, &b)
			if serr := r.j.store.End(r.ctx, out); serr != nil {
				return storage(r.tool+": end of the body not recorded", serr)
			}
			return nil
		})
	}
	return res, err
}

// crashed turns a panic into an error. The stack goes to the log, where no model reads it.
func (r *Record) crashed(res ports.Result, panicked any) (ports.Result, error) {
	log := r.j.opt.Log
	if log == nil {
		log = slog.Default()
	}
	text := r.j.opt.Redact.Text(fmt.Sprint(panicked))
	log.Debug("tool panicked", "tool", r.tool, "call", r.id, "panic", text, "stack", string(debug.Stack()))
	if res.Body != nil {
		_ = res.Body.Close() // nobody else will; its own failure matters less than the panic
	}
	return ports.Result{}, &ports.Error{
		Code: ports.CodeCrashed,
		Msg:  r.tool + ": crashed: " + text,
		Fix:  "this is a bug in the tool; run again with debug logging for the stack",
	}
}

// unstored is the answer to an outcome that cannot be kept.
func (r *Record) unstored(res ports.Result, err, serr error) error {
	if res.Body != nil {
		_ = res.Body.Close()
	}
	if !r.mutates {
		return storage(r.tool+": result not recorded", errors.Join(serr, err))
	}
	return &ports.Error{
		Code: ports.CodeUnknown,
		Msg:  r.tool + ": it ran, but how it ended could not be recorded",
		Fix:  "look whether it happened before you do it again; " + ports.FixOf(storage("", serr)),
		Err:  errors.Join(serr, err),
	}
}

func (r *Record) outcome(res ports.Result, err error, body *bodyStats) ports.Outcome {
	out := ports.Outcome{ID: r.id, Status: status(res, err), At: r.j.opt.Clock.Now()}
	if err != nil {
		out.Code = ports.CodeOf(err)
		if !r.j.opt.Metadata {
			out.Text = r.j.opt.Redact.Text(err.Error())
		}
	}
	if r.j.opt.Metadata {
		if body != nil {
			out.Result, _ = json.Marshal(stored{Body: body})
		}
		return out
	}
	if err == nil || len(res.Content) > 0 || len(res.Data) > 0 {
		out.Result, out.Blobs = r.j.encode(res, body)
	}
	return out
}

func status(res ports.Result, err error) string {
	switch code := ports.CodeOf(err); {
	case err == nil && res.IsError:
		return StatusError
	case err == nil:
		return StatusOK
	case code == ports.CodeCrashed:
		return StatusCrashed
	case code == ports.CodeUnknown:
		return StatusUnknown
	default:
		return StatusFailed
	}
}
