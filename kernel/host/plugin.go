package host

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// MaxDepth is how many plugin calls may be nested in one another.
const MaxDepth = 8

// Mode says which calls may share an instance.
type Mode string

const (
	Pool   Mode = "pool"   // any free instance; the zero value
	PerRun Mode = "run"    // one per run: for servers that keep state
	Single Mode = "single" // one
)

// Limits bounds one plugin. A zero field takes the default in brackets.
type Limits struct {
	Deadline    time.Duration // a guest may run during one call, waiting in wb/call not counted [10 s]
	Grace       time.Duration // between cancel and kill [1 s]
	Memory      uint64        // bytes of linear memory of an instance [64 MiB]
	Line        int           // bytes of one line from the guest [8 MiB]
	Output      int           // bytes on stdout during one call [32 MiB]
	Stderr      int           // bytes of stderr kept for diagnosis [8 KiB]
	Idle        int           // instances kept for later, in mode pool [1]; below 0 none
	Live        int           // instances at a time [32]
	Handles     int           // open handles of one call [256]
	HandleBytes int64         // bytes that the handles of one call hold in memory [64 MiB]
}

// Config gives a module an identity.
type Config struct {
	ID        string // who the guest is, in every Call it makes
	Entry     string // argv[1]; "" passes none
	Instances Mode
	Limits    Limits
	Grants    []ports.Grant // effective: asked and granted
	Builtin   bool          // what it declares about its tools is taken as it is
	Caller    ports.Caller  // answers its wb/call; nil: the runtime's
}

// Plugin is a Module under one identity, with its own memory and limits. It is a ports.Caller: Call
// runs a tool of it. It is also a ports.Provider and a ports.Adapter, for guests that are one. Safe for
// concurrent use.
type Plugin struct {
	id, entry string
	mode      Mode
	limits    Limits
	grants    []ports.Grant
	builtin   bool
	mod       *Module
	caller    ports.Caller
	pool      pool

	listing sync.Mutex
	list    []listed                          // what tools/list said last; nil before
	names   atomic.Pointer[map[string]string] // by ours, the guest's; read without listing
	stale   atomic.Bool                       // the guest said that its list has changed
}

// Plugin gives the module an identity. It fails where the module needs more memory than its limit.
func (m *Module) Plugin(c Config) (*Plugin, error) {
	l := c.Limits.withDefaults()
	select {
	case <-m.ready:
		if err := m.fits(c.ID, l.Memory); err != nil {
			return nil, err
		}
	default: // it is looked at before the first instance starts
	}
	return &Plugin{id: c.ID, entry: c.Entry, mode: c.Instances, limits: l, grants: c.Grants, builtin: c.Builtin,
		mod: m, caller: c.Caller}, nil
}

func (l Limits) withDefaults() Limits {
	l.Deadline = orElse(l.Deadline, 10*time.Second)
	l.Grace = orElse(l.Grace, time.Second)
	l.Memory = orElse(l.Memory, 64<<20)
	l.Line = orElse(l.Line, 8<<20)
	l.Output = orElse(l.Output, 32<<20)
	l.Stderr = orElse(l.Stderr, 8<<10)
	l.Idle = orElse(l.Idle, 1)
	l.Live = orElse(l.Live, 32)
	l.Handles = orElse(l.Handles, 256)
	l.HandleBytes = orElse(l.HandleBytes, 64<<20)
	return l
}

func orElse[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

// ID returns the plugin's name.
func (p *Plugin) ID() string { return p.id }

// Grants returns what the plugin may call. The host does not enforce them, Kernel.Call does.
func (p *Plugin) Grants() []ports.Grant { return p.grants }

// Call runs c.Tool, a tool of this plugin. Whatever goes wrong in the guest costs that instance, never
// the plugin; the error is a *ports.Error. When ctx ends, Call returns within Limits.Grace, or twice
// that for a guest that had to be killed.
func (p *Plugin) Call(ctx context.Context, c ports.Call) (ports.Result, error) {
	var res ports.Result
	err := p.serve(ctx, c, ask{method: abi.MethodToolsCall, nests: true,
		params: func(x *exchange) (any, error) { return p.callParams(c, x), nil },
		take: func(raw json.RawMessage, x *exchange) error {
			var r abi.ToolResult
			if err := json.Unmarshal(raw, &r); err != nil {
				return p.fail(ports.CodeFault, "tools/call: "+err.Error())
			}
			var err error
			res, err = x.fromGuest(r)
			return err
		}})
	if err != nil {
		return ports.Result{}, err
	}
	return res, nil
}

func (p *Plugin) callParams(c ports.Call, x *exchange) abi.CallParams {
	out := abi.CallParams{Name: p.realName(c.Tool), Args: c.Args}
	var meta abi.CallMeta
	if c.Emit != nil {
		meta.ProgressToken = json.RawMessage(x.id)
	}
	if wb := (abi.CallWB{Tab: c.Tab, Mode: string(c.Mode), Tier: string(c.Tier)}); wb != (abi.CallWB{}) {
		meta.WB = &wb
	}
	if meta.ProgressToken != nil || meta.WB != nil {
		out.Meta = &meta
	}
	return out
}

// ask is what the host wants of a guest.
type ask struct {
	method string
	params func(*exchange) (any, error)
	take   func(json.RawMessage, *exchange) error // decodes the answer while its handles live
	nests  bool                                   // the guest may call out while it answers
	delta  func(ports.Delta)                      // of provider/chat
}

// serve borrows an instance for one request.
func (p *Plugin) serve(ctx context.Context, c ports.Call, a ask) error {
	if c.Depth >= MaxDepth {
		return p.fail(ports.CodeTooDeep, fmt.Sprintf("more than %d nested plugin calls", MaxDepth))
	}
	if ctx.Err() != nil {
		return p.fail(ports.CodeCancelled, context.Cause(ctx).Error())
	}
	in, giveBack, err := p.acquire(ctx, c)
	if err != nil {
		return err
	}
	defer giveBack()
	return in.exchange(ctx, c, a)
}

// exchange makes one request and reads its answer. A broken answer costs the instance.
func (in *instance) exchange(ctx context.Context, c ports.Call, a ask) error {
	x := in.newExchange(ctx, c, a)
	defer x.end()
	params, err := a.params(x)
	if err != nil {
		return err
	}
	raw, err := in.request(x, a.method, abi.JSON(params))
	if err != nil {
		return err
	}
	if err = a.take(raw, x); ports.CodeOf(err) == ports.CodeFault {
		in.stop(err)
	}
	return err
}

func (p *Plugin) fail(code, msg string) error {
	return &ports.Error{Code: code, Msg: "plugin " + p.id + ": " + msg, Fix: fixes(code)}
}

// fixes says what can be done about the host's own errors.
func fixes(code string) string {
	switch code {
	case ports.CodeDeadline, ports.CodeOversized:
		return "ask for less at once"
	case ports.CodeExhausted, ports.CodeBusy:
		return "try again when its other calls have ended"
	case ports.CodeFault:
		return "the plugin has a bug; the next call starts a fresh instance"
	case ports.CodeBadHandle:
		return "handles belong to the call that opened them; open it again"
	}
	return ""
}
