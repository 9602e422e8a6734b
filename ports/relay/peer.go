package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Socket carries text frames. Read is called from one goroutine, Write from many; Close makes both fail.
type Socket interface {
	Read(ctx context.Context) ([]byte, error)
	Write(ctx context.Context, frame []byte) error
	Close(reason string)
}

// Handler answers what a client asks. Requests run beside each other, notifications (answer dropped) one after
// the other in the order of the wire. A *ports.Error reaches the client with its code and fix.
type Handler func(ctx context.Context, method string, params json.RawMessage) (any, error)

// maxRequests is how many requests of one client run at once; more are refused.
const maxRequests = 64

// Peer is one end of a connection. Safe for concurrent use.
type Peer struct {
	s      Socket
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc
	handle Handler
	slots  chan struct{}

	mu      sync.Mutex
	last    int64
	waiting map[int64]func(message)
}

// newPeer makes a peer; serve runs it.
func newPeer(ctx context.Context, s Socket, h Handler) *Peer {
	p := &Peer{s: s, handle: h, slots: make(chan struct{}, maxRequests), waiting: map[int64]func(message){}}
	p.ctx, p.cancel = context.WithCancelCause(ctx)
	return p
}

// errGone is what a call ends with when its connection is lost.
var errGone = errors.New("the connection is lost")

// Done is closed when the connection has ended.
func (p *Peer) Done() <-chan struct{} { return p.ctx.Done() }

// Close ends the connection and says why.
func (p *Peer) Close(reason string) {
	p.cancel(fmt.Errorf("%w: %s", errGone, reason))
	p.s.Close(reason)
}

// serve reads until the connection ends, which fails everything that waits.
func (p *Peer) serve() error {
	defer p.fail()
	for {
		b, err := p.s.Read(p.ctx)
		if err != nil {
			return err
		}
		if err := p.take(b); err != nil {
			p.Close(err.Error())
			return err
		}
	}
}

// take handles one frame. A frame that is no message ends the connection: what follows cannot be trusted.
func (p *Peer) take(b []byte) error {
	m, err := parse(b)
	if err != nil {
		return err
	}
	switch {
	case m.Method == "":
		p.mu.Lock()
		then := p.waiting[*m.ID]
		delete(p.waiting, *m.ID)
		p.mu.Unlock()
		if then != nil {
			then(m)
		}
	case m.ID == nil:
		_, _ = p.handle(p.ctx, m.Method, m.Params) // nobody waits for the answer
	default:
		select {
		case p.slots <- struct{}{}:
			go func() {
				defer func() { <-p.slots }()
				p.answer(m)
			}()
		default:
			p.reply(m, nil, ports.NewError(ports.CodeBusy, "too many requests at once", "wait for answers"))
		}
	}
	return nil
}

// parse reads a message by the rules of JSON-RPC 2.0 section 4 and 5. Batches are not spoken here.
func parse(b []byte) (message, error) {
	var m message
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("not a message: %w", err)
	}
	switch {
	case d.More():
		return m, errors.New("more than one message in a frame")
	case m.Version != "2.0":
		return m, errors.New("not JSON-RPC 2.0")
	case m.Method == "" && m.ID == nil:
		return m, errors.New("neither a request nor an answer")
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return m, errors.New("a request with an answer in it")
	case m.Method == "" && (m.Result == nil) == (m.Error == nil):
		return m, errors.New("an answer needs either a result or an error")
	}
	return m, nil
}

func (p *Peer) answer(m message) {
	res, err := func() (res any, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = ports.NewError(ports.CodeCrashed, fmt.Sprintf("%s crashed", m.Method), "")
			}
		}()
		return p.handle(p.ctx, m.Method, m.Params)
	}()
	p.reply(m, res, err)
	if errors.Is(err, errOut) {
		p.Close("refused")
	}
}

// errOut is in an error after whose answer the connection ends.
var errOut = errors.New("refused")

func (p *Peer) reply(m message, res any, err error) {
	out := message{Version: "2.0", ID: m.ID}
	if err == nil {
		out.Result = ports.JSON(res)
	} else {
		out.Error = failure(err)
	}
	_ = p.write(out) // a client that has gone asks again
}

func failure(err error) *Failure {
	f := &Failure{Code: serverError, Message: err.Error()}
	switch code := ports.CodeOf(err); code {
	case "":
	case ports.CodeUnknownTool:
		f.Code = noMethod
		fallthrough
	default:
		f.Data = &FailureData{Code: code, Fix: ports.FixOf(err)}
	}
	return f
}

// Error makes a failure an error.
func (f *Failure) Error() string { return f.Message }

// Unwrap gives the code and the fix that came with it, if any did.
func (f *Failure) Unwrap() error {
	if f.Data == nil || f.Data.Code == "" {
		return nil
	}
	return ports.NewError(f.Data.Code, f.Message, f.Data.Fix)
}

func (p *Peer) write(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return p.s.Write(p.ctx, b)
}

// Notify sends a notification.
func (p *Peer) Notify(method string, params any) error {
	return p.write(message{Version: "2.0", Method: method, Params: ports.JSON(params)})
}

// Call asks the client and waits. Its errors are the client's *Failure, ctx's, or that the connection is lost.
func (p *Peer) Call(ctx context.Context, method string, params, result any) error {
	p.mu.Lock()
	p.last++
	id := p.last
	got := make(chan message, 1)
	p.waiting[id] = func(m message) { got <- m }
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	if err := p.write(message{Version: "2.0", ID: &id, Method: method, Params: ports.JSON(params)}); err != nil {
		return err
	}
	select {
	case m := <-got:
		if m.Error != nil {
			return m.Error
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return context.Cause(p.ctx)
	}
}

// fail ends what waits.
func (p *Peer) fail() {
	p.cancel(errGone)
	p.s.Close("")
}
