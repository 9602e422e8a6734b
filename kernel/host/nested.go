package host

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// answer serves one request of the guest, on the guest's goroutine.
func (in *instance) answer(m abi.Message) abi.Message {
	var serve func(*instance, json.RawMessage) (json.RawMessage, error)
	switch m.Method {
	case abi.MethodPing:
		return abi.Message{ID: m.ID, Result: json.RawMessage(`{}`)}
	case abi.MethodCall:
		serve = (*instance).nested
	case abi.MethodRead:
		serve = (*instance).readHandle
	case abi.MethodFind:
		serve = (*instance).findHandle
	case abi.MethodClose:
		serve = (*instance).closeHandle
	case abi.MethodSample:
		serve = (*instance).sample
	case abi.MethodElicit:
		serve = (*instance).elicit
	default:
		return abi.Message{ID: m.ID, Error: &abi.Error{Code: abi.ErrNoMethod, Message: "unknown method " + clip(m.Method, 100)}}
	}
	res, err := serve(in, m.Params)
	if err != nil {
		return refusal(m.ID, err)
	}
	return abi.Message{ID: m.ID, Result: res}
}

// params decodes what a guest sent.
func params[T any](p *Plugin, raw json.RawMessage) (v T, err error) {
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, p.fail(ports.CodeInvalidArgs, err.Error())
	}
	return v, nil
}

// nested answers a wb/call.
func (in *instance) nested(raw json.RawMessage) (json.RawMessage, error) {
	req, err := params[abi.CallRequest](in.p, raw)
	if err != nil {
		return nil, err
	}
	return in.callOut(req.Tool, req.Args, func(x *exchange, res ports.Result) (any, error) { return x.toGuest(res) })
}

// callOut makes the call that a guest asks for, under the guest's name and below the call it serves.
func (in *instance) callOut(tool string, args json.RawMessage, reply func(*exchange, ports.Result) (any, error)) (json.RawMessage, error) {
	x, caller := in.now, in.p.answers()
	if !x.nests || caller == nil {
		return nil, in.p.fail(ports.CodeRefused, tool+": a guest may call only while it answers a call")
	}
	c := ports.Call{Parent: x.call.ID, Run: x.call.Run, From: in.p.id, Depth: x.call.Depth + 1, Tool: tool,
		Tab: x.call.Tab, Mode: x.call.Mode, Tier: x.call.Tier, Args: args, Emit: x.emit}
	return in.await(x, func() (json.RawMessage, error) {
		attach, err := x.attachments(c)
		if err != nil {
			return nil, err
		}
		c.Attach = attach
		res, err := caller.Call(x.ctx, c)
		if err != nil {
			return nil, err
		}
		v, err := reply(x, res)
		if err != nil {
			return nil, err
		}
		return abi.JSON(v), nil
	})
}

// answers returns who serves the plugin's calls, or nil.
func (p *Plugin) answers() ports.Caller {
	if p.caller != nil {
		return p.caller
	}
	if c := p.mod.rt.caller.Load(); c != nil {
		return *c
	}
	return nil
}

// await runs f beside the guest, which stands still and is not charged. A slow f cannot delay an
// answer of "cancelled"; what it still brings is dropped with the exchange.
func (in *instance) await(x *exchange, f func() (json.RawMessage, error)) (json.RawMessage, error) {
	in.clock.pause()
	defer in.clock.run()
	if x.ctx.Err() != nil {
		return nil, in.p.fail(ports.CodeCancelled, context.Cause(x.ctx).Error())
	}
	type outcome struct {
		res json.RawMessage
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		res, err := f()
		done <- outcome{res, err}
	}()
	select {
	case o := <-done:
		return o.res, o.err
	case <-x.ctx.Done():
		return nil, in.p.fail(ports.CodeCancelled, context.Cause(x.ctx).Error())
	case <-in.dead:
		panic(in.cause)
	}
}
