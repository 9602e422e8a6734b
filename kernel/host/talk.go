package host

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"time"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// handshake initializes the MCP session. A server without wb's capability is a plain MCP server.
func (in *instance) handshake(ctx context.Context) error {
	hello := abi.JSON(abi.Hello{
		ProtocolVersion: abi.ProtocolVersion,
		ClientInfo:      &abi.Info{Name: "wb", Version: strconv.Itoa(abi.Version)},
		Capabilities: abi.Capabilities{Sampling: &struct{}{}, Elicitation: &struct{}{},
			Experimental: abi.Experimental{WB: &abi.WB{ABI: abi.Version}}},
	})
	x := in.newExchange(ctx, ports.Call{}, ask{})
	defer x.end()
	raw, err := in.request(x, abi.MethodInitialize, hello)
	if err != nil {
		return err
	}
	var h abi.Hello
	if err := json.Unmarshal(raw, &h); err != nil {
		return in.p.fail(ports.CodeFault, "initialize: "+err.Error())
	}
	if wb := h.Capabilities.Experimental.WB; wb != nil && wb.ABI != abi.Version {
		return in.p.fail(ports.CodeBadModule, "speaks wb abi "+strconv.Itoa(wb.ABI)+", this host speaks "+strconv.Itoa(abi.Version))
	}
	in.send(abi.Message{Method: abi.MethodInitialized}) // read when the next request thaws the guest
	return nil
}

// request sends one request, lets the guest run, and returns its result. After an error the instance
// may or may not be healthy; nothing else about it needs to be known.
func (in *instance) request(x *exchange, method string, params json.RawMessage) (json.RawMessage, error) {
	in.now = x
	in.stdout.budget = in.p.limits.Output
	in.clock.reset(in.p.limits.Deadline)
	in.clock.run()
	in.send(abi.Message{ID: json.RawMessage(x.id), Method: method, Params: params})
	select {
	case in.thaw <- struct{}{}:
	case <-in.dead:
	}
	select {
	case m := <-x.reply:
		return in.result(m)
	case <-in.dead:
		in.stop(nil)
		return nil, in.cause
	case <-x.ctx.Done():
		return nil, in.cancel(x)
	}
}

var codeForm = regexp.MustCompile(`^[a-z][a-z_]{0,39}$`)

// result turns a guest's JSON-RPC error into one of ours. Its code is the guest's word, no more.
func (in *instance) result(m abi.Message) (json.RawMessage, error) {
	if m.Error == nil {
		return m.Result, nil
	}
	var d abi.Detail
	_ = json.Unmarshal(m.Error.Data, &d) // another server's data may be anything
	if m.Error.Code != abi.ErrApp || !codeForm.MatchString(d.Code) {
		return nil, in.p.fail(ports.CodeGuest, clip(m.Error.Message, maxError))
	}
	return nil, &ports.Error{Code: d.Code, Msg: clip(m.Error.Message, maxError), Fix: clip(d.Fix, maxError)}
}

// maxError is how many bytes of a guest's error message are kept.
const maxError = 4_000

// cancel asks the guest to give up and kills it if it has not answered in time. A pending wb/call needs
// no care here: it watches the same context and answers "cancelled" by itself.
func (in *instance) cancel(x *exchange) error {
	err := in.p.fail(ports.CodeCancelled, context.Cause(x.ctx).Error())
	// Beside us, for a guest that does not read may have filled the pipe.
	go in.send(abi.Message{Method: abi.MethodCancelled, Params: json.RawMessage(`{"requestId":` + x.id + `}`)})
	t := time.NewTimer(in.p.limits.Grace)
	defer t.Stop()
	select {
	case <-x.reply: // it gave up in good order
	case <-in.dead:
		in.stop(nil)
	case <-t.C:
		in.stop(err)
	}
	return err
}

// heard takes one line from the guest, on the guest's goroutine: while it runs, the guest is frozen.
func (in *instance) heard(line []byte) {
	var m abi.Message
	if err := json.Unmarshal(line, &m); err != nil {
		in.die(ports.CodeFault, "wrote something that is not JSON-RPC")
	}
	switch {
	case m.Method == "" && string(m.ID) == in.now.id:
		in.clock.pause()
		select {
		case in.now.reply <- m:
		default:
			in.die(ports.CodeFault, "answered a request twice")
		}
		in.freeze()
	case m.Method == "":
		in.die(ports.CodeFault, "answered a request that nobody made")
	case m.ID == nil:
		in.now.notified(m)
	default:
		in.send(in.answer(m))
	}
}

// freeze keeps the guest from running until the next request.
func (in *instance) freeze() {
	select {
	case <-in.thaw:
	case <-in.dead:
		panic(in.cause)
	}
}

func refusal(id json.RawMessage, err error) abi.Message {
	data := abi.JSON(abi.Detail{Code: ports.CodeOf(err), Fix: ports.FixOf(err)})
	return abi.Message{ID: id, Error: &abi.Error{Code: abi.ErrApp, Message: err.Error(), Data: data}}
}
