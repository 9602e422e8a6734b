package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Extension is one paired browser. Its background may die and come back at any time, and its socket may drop;
// the Extension stays, and so does every command that waits.
//
// Commands are numbered. The background stores the number of a changing command before it runs it, and keeps
// answers that it could not deliver. So after a reconnect the same background is sent everything again and
// answers each number once; of a new background, a changing command that was begun has an outcome that nobody
// knows (CodeUnknown), and everything else is sent again. Safe for concurrent use.
type Extension struct {
	Client  string // pairing
	Name    string
	Browser string // chromium or firefox

	mu      sync.Mutex
	peer    *Peer // nil while it is away
	worker  string
	last    int64
	waiting map[int64]*command
	events  func(method string, params json.RawMessage)
	stop    func(tab int)
	changed chan struct{} // closed and replaced when it comes or goes
	over    error

	telling sync.Mutex // held while an event is passed on, so that they keep their order
	heard   int64      // number of the last event of this background; guarded by telling
	teller  string     // whose numbers these are
}

// command waits for its answer.
type command struct {
	n        int64
	method   string
	params   json.RawMessage
	changing bool
	then     func(result json.RawMessage, err error)
}

// Command is what goes with a numbered command; JSON-RPC's id is the number.
type Command struct {
	Changing bool            `json:"changing,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
}

func newExtension(client, name, browser string) *Extension {
	return &Extension{Client: client, Name: name, Browser: browser, waiting: map[int64]*command{},
		events: func(string, json.RawMessage) {}, stop: func(int) {}, changed: make(chan struct{})}
}

// Events sets who is told what the browser does, in order; it must not wait for an answer.
func (x *Extension) Events(f func(method string, params json.RawMessage)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.events = f
}

// OnStop sets who is told, by the browser's number, of a tab whose Stop a person pressed; it must not wait.
func (x *Extension) OnStop(f func(tab int)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stop = f
}

// Connected reports whether its background is there.
func (x *Extension) Connected() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.peer != nil
}

// Await returns once the background is there, or ctx or the pairing has ended.
func (x *Extension) Await(ctx context.Context) error {
	for {
		x.mu.Lock()
		peer, over, changed := x.peer, x.over, x.changed
		x.mu.Unlock()
		switch {
		case over != nil:
			return over
		case peer != nil:
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return &ports.Error{Code: ports.CodeBrowserGone, Msg: "the browser " + x.Name + " is not there", Fix: "start it, or look at the extension's page", Err: context.Cause(ctx)}
		}
	}
}

// inside handles what a background says after its hello. It is ready once it has read the welcome.
func (x *Extension) inside(p *Peer, h Hello, epoch string) Handler {
	return func(_ context.Context, method string, params json.RawMessage) (any, error) {
		switch method {
		case "ready":
			x.come(p, h, epoch)
		case "told":
			x.told(p, h.Worker, params)
		case "alive": // keeps both ends awake
		}
		return nil, nil
	}
}

// heardEach is after how many events the background is told that they have arrived.
const heardEach = 64

// told passes an event on, once and in order, whichever connection it came by.
func (x *Extension) told(p *Peer, worker string, params json.RawMessage) {
	var t Told
	if json.Unmarshal(params, &t) != nil {
		return
	}
	x.telling.Lock()
	defer x.telling.Unlock()
	if worker != x.teller || t.N <= x.heard {
		return
	}
	x.heard = t.N
	x.mu.Lock()
	f, stop := x.events, x.stop
	x.mu.Unlock()
	var at struct{ Tab int }
	switch {
	case t.Method != "stop":
		f(t.Method, t.Params)
	case json.Unmarshal(t.Params, &at) == nil:
		stop(at.Tab)
	}
	if t.N%heardEach == 0 {
		_ = p.Notify("heard", map[string]int64{"n": t.N}) // the next one says it too
	}
}

// heardOf is the last event of a background that has arrived, 0 of a new one.
func (x *Extension) heardOf(worker string) int64 {
	x.telling.Lock()
	defer x.telling.Unlock()
	if x.teller != worker {
		x.teller, x.heard = worker, 0
	}
	return x.heard
}

// come takes the browser's new connection and sends what waits again.
func (x *Extension) come(p *Peer, h Hello, epoch string) {
	x.mu.Lock()
	old := x.peer
	same := x.worker == h.Worker && h.Epoch == epoch
	x.peer, x.worker = p, h.Worker
	numbers := make([]int64, 0, len(x.waiting))
	for n := range x.waiting {
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	var unknown []*command
	for _, n := range numbers {
		c := x.waiting[n]
		if !same && c.changing && h.Epoch == epoch && n <= h.Last {
			delete(x.waiting, n)
			unknown = append(unknown, c)
			continue
		}
		x.send(c)
	}
	x.notify()
	f := x.events
	x.mu.Unlock()
	if old != nil && old != p {
		old.Close("replaced by a newer connection")
	}
	for _, c := range unknown {
		c.then(nil, lostOutcome(c.method))
	}
	if !same {
		f("anew", nil)
	}
}

func lostOutcome(method string) error {
	return ports.NewError(ports.CodeUnknown, method+" was begun, and the extension was stopped before it could say what came of it", "look at the page before anything is done again")
}

// notify wakes who waits for it; with x.mu held.
func (x *Extension) notify() {
	close(x.changed)
	x.changed = make(chan struct{})
}

func (x *Extension) lost(p *Peer) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.peer == p {
		x.peer = nil
		x.notify()
	}
}

// end fails everything for good.
func (x *Extension) end(why string) {
	x.mu.Lock()
	x.over = ports.NewError(ports.CodeBrowserGone, "the browser "+x.Name+" is gone: "+why, "pair it again: wb up")
	waiting := x.waiting
	x.waiting = map[int64]*command{}
	peer, f := x.peer, x.events
	x.peer = nil
	x.notify()
	over := x.over
	x.mu.Unlock()
	if peer != nil {
		peer.Close(why)
	}
	for _, c := range waiting {
		c.then(nil, over)
	}
	f("over", nil)
}

// Post sends a command; then is called once, from any goroutine, with its answer. Commands reach the browser in
// the order they are posted. A changing command is one that must never run twice.
func (x *Extension) Post(method string, args any, changing bool, then func(result json.RawMessage, err error)) {
	x.mu.Lock()
	if x.over != nil {
		err := x.over
		x.mu.Unlock()
		then(nil, err)
		return
	}
	x.last++
	c := &command{n: x.last, method: method, params: ports.JSON(Command{changing, ports.JSON(args)}), changing: changing, then: then}
	x.waiting[c.n] = c
	x.send(c)
	x.mu.Unlock()
}

// send writes a command where there is a connection; with x.mu held, so that the order is kept. What cannot be
// written waits for the next connection.
func (x *Extension) send(c *command) {
	if x.peer == nil {
		return
	}
	p := x.peer
	p.mu.Lock()
	p.waiting[c.n] = func(m message) { x.answered(c, m) }
	p.mu.Unlock()
	_ = p.write(message{Version: "2.0", ID: &c.n, Method: c.method, Params: c.params})
}

func (x *Extension) answered(c *command, m message) {
	x.mu.Lock()
	_, waits := x.waiting[c.n]
	delete(x.waiting, c.n)
	x.mu.Unlock()
	switch {
	case !waits:
	case m.Error != nil:
		c.then(nil, m.Error)
	default:
		c.then(m.Result, nil)
	}
}

// Do posts a command and waits. When ctx ends the command may still run.
func (x *Extension) Do(ctx context.Context, method string, args any, changing bool, result any) error {
	type answer struct {
		b   json.RawMessage
		err error
	}
	got := make(chan answer, 1)
	x.Post(method, args, changing, func(b json.RawMessage, err error) { got <- answer{b, err} })
	select {
	case a := <-got:
		if a.err != nil || result == nil {
			return a.err
		}
		if err := json.Unmarshal(a.b, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
}
