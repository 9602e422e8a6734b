package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/wb-agent/wb/ports"
)

// body is an answer's body: without secrets, with an end to patience and, unless it is a stream, a limit.
type body struct {
	src    io.ReadCloser
	clean  io.Reader // src without secrets
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	limit  int64 // bytes left, negative for a stream
	text   func(error) error
}

func (f *Fetcher) wrap(ctx context.Context, cancel context.CancelCauseFunc, src io.ReadCloser, stream bool, in *injected) io.ReadCloser {
	b := &body{src: src, clean: src, ctx: ctx, cancel: cancel, idle: f.opt.Idle, limit: f.opt.Limit, text: in.clean}
	if stream {
		b.limit = -1
	}
	if len(in.forms) > 0 {
		b.clean = newReplacer(src, in.forms)
	}
	return b
}

// Read reads on. Errors are CodeTimeout, CodeOversized, CodeCancelled or CodeTruncated.
func (b *body) Read(p []byte) (int, error) {
	timer := time.AfterFunc(b.idle, func() { b.cancel(errIdle) })
	n, err := b.clean.Read(p)
	timer.Stop()
	if b.limit >= 0 {
		if b.limit -= int64(n); b.limit < 0 {
			b.cancel(nil)
			return 0, &ports.Error{Code: ports.CodeOversized, Msg: "fetch: the body is too large", Fix: "ask for less, or read it as a stream"}
		}
	}
	if err == nil || err == io.EOF {
		return n, err
	}
	return n, b.explain(err)
}

func (b *body) explain(err error) error {
	switch cause := context.Cause(b.ctx); {
	case errors.Is(cause, errIdle):
		return &ports.Error{Code: ports.CodeTimeout, Msg: fmt.Sprintf("fetch: the body sent nothing for %s", b.idle), Fix: "try again"}
	case errors.Is(cause, context.DeadlineExceeded):
		return &ports.Error{Code: ports.CodeTimeout, Msg: "fetch: out of time while reading the body", Err: cause}
	case cause != nil:
		return &ports.Error{Code: ports.CodeCancelled, Msg: "fetch: cancelled while reading the body", Err: cause}
	}
	return &ports.Error{Code: ports.CodeTruncated, Msg: "fetch: the body ended before its end", Fix: "try again", Err: b.text(err)}
}

// Close ends the answer, also in the middle, and what a Read waits for.
func (b *body) Close() error {
	b.cancel(nil)
	return b.src.Close()
}
