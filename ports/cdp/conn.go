package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"

	"github.com/wb-agent/wb/ports"
)

// Transport carries protocol messages, one JSON text each. Read is called from one goroutine, Write from
// many. Close makes both fail.
type Transport interface {
	Read() ([]byte, error)
	Write([]byte) error
	Close() error
}

type message struct {
	ID        int64           `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *protocolError  `json:"error,omitempty"`
}

type protocolError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    string `json:"data"`
}

func (e *protocolError) Error() string {
	if e.Data != "" {
		return e.Message + " (" + e.Data + ")"
	}
	return e.Message
}

// waiter takes the response of one command: at once, or in the order of events.
type waiter struct {
	session string
	now     chan message  // buffered by one
	ordered func(message) // runs between the events it came between
}

// conn is one connection with any number of flat sessions. Events and ordered responses are handled one
// after the other, in the order of the wire, by one goroutine; nothing is dropped.
type conn struct {
	t       Transport
	handle  func(session, method string, params []byte)
	mu      sync.Mutex
	last    int64
	waiting map[int64]waiter
	subs    map[string][]*subscription
	queue   []func()
	wake    chan struct{} // buffered by one
	done    chan struct{} // closed when the connection is lost
	idle    chan struct{} // closed when the handling goroutine has ended
	err     error
}

// newConn starts to read. handle is called for each event and must not wait for an answer.
func newConn(t Transport, handle func(session, method string, params []byte)) *conn {
	c := &conn{
		t: t, handle: handle, waiting: map[int64]waiter{}, subs: map[string][]*subscription{},
		wake: make(chan struct{}, 1), done: make(chan struct{}), idle: make(chan struct{}),
	}
	go c.read()
	go c.pump()
	return c
}

func (c *conn) read() {
	for {
		b, err := c.t.Read()
		if err != nil {
			c.lose(err)
			return
		}
		var m message
		if json.Unmarshal(b, &m) != nil {
			continue
		}
		if m.ID == 0 {
			c.enqueue(func() { c.event(m) })
			continue
		}
		c.mu.Lock()
		w, ok := c.waiting[m.ID]
		delete(c.waiting, m.ID)
		c.mu.Unlock()
		switch {
		case !ok:
		case w.ordered != nil:
			c.enqueue(func() { w.ordered(m) })
		default:
			w.now <- m
		}
	}
}

func (c *conn) enqueue(f func()) {
	c.mu.Lock()
	c.queue = append(c.queue, f)
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

func (c *conn) pump() {
	defer close(c.idle)
	for {
		c.mu.Lock()
		q := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, f := range q {
			f()
		}
		if len(q) > 0 {
			continue
		}
		select {
		case <-c.wake:
		case <-c.done:
			c.mu.Lock()
			rest := len(c.queue)
			c.mu.Unlock()
			if rest == 0 {
				return
			}
		}
	}
}

func (c *conn) event(m message) {
	c.mu.Lock()
	subs := slices.Clone(c.subs[m.SessionID+" "+m.Method])
	c.mu.Unlock()
	for _, s := range subs {
		s.put(jsonv2.Value(m.Params))
	}
	c.handle(m.SessionID, m.Method, m.Params)
}

// lose fails everything that waits.
func (c *conn) lose(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	waiting, subs := c.waiting, c.subs
	c.waiting, c.subs = map[int64]waiter{}, map[string][]*subscription{}
	c.mu.Unlock()
	for _, w := range waiting {
		if w.ordered != nil {
			c.enqueue(func() { w.ordered(message{Error: &protocolError{Message: "connection lost"}}) })
		}
	}
	for _, list := range subs {
		for _, s := range list {
			s.end()
		}
	}
	close(c.done)
	c.t.Close()
}

// send writes one command. The waiter may be zero.
func (c *conn) send(session, method string, params any, w waiter) (int64, error) {
	m := message{SessionID: session, Method: method}
	if params != nil {
		b, err := jsonv2.Marshal(params)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", method, err)
		}
		m.Params = b
	}
	w.session = session
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return 0, gone(c.err)
	}
	c.last++
	m.ID = c.last
	if w.now != nil || w.ordered != nil {
		c.waiting[m.ID] = w
	}
	c.mu.Unlock()
	b, err := json.Marshal(m)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", method, err)
	}
	if err := c.t.Write(b); err != nil {
		c.lose(err)
		return 0, gone(err)
	}
	return m.ID, nil
}

// dropSession fails the calls of a session that has ended: the browser answers them no more.
func (c *conn) dropSession(session string) {
	c.mu.Lock()
	var list []waiter
	for id, w := range c.waiting {
		if w.session == session {
			list = append(list, w)
			delete(c.waiting, id)
		}
	}
	c.mu.Unlock()
	m := message{Error: &protocolError{Message: "session closed"}}
	for _, w := range list {
		if w.ordered != nil {
			c.enqueue(func() { w.ordered(m) })
		} else {
			w.now <- m
		}
	}
}

// post sends a command whose answer, if then is not nil, is handled in the order of events.
func (c *conn) post(session, method string, params any, then func(result []byte, err error)) {
	w := waiter{}
	if then != nil {
		w.ordered = func(m message) {
			if m.Error != nil {
				then(nil, m.Error)
				return
			}
			then(m.Result, nil)
		}
	}
	if _, err := c.send(session, method, params, w); err != nil && then != nil {
		c.enqueue(func() { then(nil, err) })
	}
}

func gone(cause error) error {
	return &ports.Error{Code: ports.CodeBrowserGone, Msg: "the browser is gone", Fix: "start the run again; a new browser will be started", Err: cause}
}

// session is one flat session of a connection and a cdp.Session; "" is the browser itself.
type session struct {
	c  *conn
	id string
}

var _ cdp.Session = session{}

// Call implements cdp.Session. Its errors are protocol errors, ctx's, or CodeBrowserGone.
func (s session) Call(ctx context.Context, method string, params, result any) error {
	return s.call(ctx, nil, method, params, result)
}

// call is Call that also ends when stop is closed, with errStopped.
func (s session) call(ctx context.Context, stop <-chan struct{}, method string, params, result any) error {
	w := waiter{now: make(chan message, 1)}
	id, err := s.c.send(s.id, method, params, w)
	if err != nil {
		return err
	}
	select {
	case m := <-w.now:
		return decode(method, m, result)
	case <-ctx.Done():
		err = fmt.Errorf("%s: %w", method, context.Cause(ctx))
	case <-stop:
		err = errStopped
	case <-s.c.done:
		err = gone(s.c.err)
	}
	s.c.mu.Lock()
	delete(s.c.waiting, id)
	s.c.mu.Unlock()
	return err
}

// codedError is the error code of a transport that gives its own reason: Data is one of ports' codes.
const codedError = -32050

func decode(method string, m message, result any) error {
	if m.Error != nil && m.Error.Code == codedError {
		return ports.NewError(m.Error.Data, m.Error.Message, "look at the page before anything is done again")
	}
	if m.Error != nil {
		return fmt.Errorf("%s: %w", method, m.Error)
	}
	if result == nil || len(m.Result) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(m.Result, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}
