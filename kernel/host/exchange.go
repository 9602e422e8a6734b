package host

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// exchange is one request to the guest and what the guest may do while it answers. Its handles and its
// way out end with it, whatever the guest still does.
type exchange struct {
	ctx     context.Context
	p       *Plugin
	id      string
	call    ports.Call
	reply   chan abi.Message // holds one
	nests   bool
	delta   func(ports.Delta)
	handles *handles

	mu   sync.Mutex
	over bool // nothing may be emitted any more
}

func (in *instance) newExchange(ctx context.Context, c ports.Call, a ask) *exchange {
	in.lastID++
	return &exchange{ctx: ctx, p: in.p, id: strconv.Itoa(in.lastID), call: c, reply: make(chan abi.Message, 1),
		nests: a.nests, delta: a.delta, handles: newHandles(in.p.limits)}
}

// end closes the handles and silences emit. It returns after the last emit has.
func (x *exchange) end() {
	x.mu.Lock()
	x.over = true
	x.mu.Unlock()
	x.handles.close()
}

// emit passes an event on while the call runs. It is what nested calls get as their Emit, too.
func (x *exchange) emit(e ports.Event) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over && x.call.Emit != nil {
		x.call.Emit(e)
	}
}

// notified takes a notification from the guest.
func (x *exchange) notified(m abi.Message) {
	switch m.Method {
	case abi.MethodDelta:
		x.deltaOf(m.Params)
	case abi.MethodProgress:
		var n abi.Progress
		if json.Unmarshal(m.Params, &n) != nil || n.Token != nil && string(n.Token) != x.id {
			return
		}
		data := abi.JSON(map[string]float64{"progress": n.Progress, "total": n.Total})
		x.emit(ports.Event{Kind: ports.EventProgress, Tool: x.call.Tool, Text: clip(n.Message, maxNote), Data: data})
	case abi.MethodLog:
		var n abi.Log
		if json.Unmarshal(m.Params, &n) != nil {
			return
		}
		text := string(n.Data)
		_ = json.Unmarshal(n.Data, &text) // what is not a string stays JSON
		data := abi.JSON(map[string]string{"level": clip(n.Level, 20)})
		x.emit(ports.Event{Kind: ports.EventLog, Tool: x.call.Tool, Text: clip(text, maxNote), Data: data})
	case abi.MethodToolsChanged:
		x.p.stale.Store(true)
	}
}

func (x *exchange) deltaOf(params json.RawMessage) {
	var d ports.Delta
	if x.delta == nil || json.Unmarshal(params, &d) != nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.delta(d)
	}
}

// maxNote is how many bytes of a progress or log message are passed on.
const maxNote = 2_000

// clip cuts s to at most n bytes, at the border of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
