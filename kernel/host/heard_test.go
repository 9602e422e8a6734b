package host

import (
	"context"
	"io"
	"os"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

type flag struct{ api.MutableGlobal }

func (flag) Set(uint64) {}

// Whatever line a guest writes, the host answers it or ends the guest with an error of ours.
func FuzzHeard(f *testing.F) {
	for _, s := range []string{
		`{"id":"a","method":"wb/call","params":{"tool":"http.fetch","args":{"body":"{{attach:h1}}"}}}`,
		`{"id":1,"method":"wb/read","params":{"handle":"HANDLE","max":-1,"at":-5}}`,
		`{"id":1,"method":"wb/find","params":{"handle":"HANDLE","text":"","from":99}}`,
		`{"id":1,"method":"wb/close","params":{"handle":"HANDLE"}}`,
		`{"id":1,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":[{"type":"text"}]}]}}`,
		`{"id":1,"method":"elicitation/create","params":{"message":"x","requestedSchema":{"properties":{"a":{}}}}}`,
		`{"method":"notifications/progress","params":{"progress":1e308}}`,
		`{"method":"notifications/message","params":{"data":{}}}`,
		`{"method":"notifications/provider/delta","params":{"text":"x"}}`,
		`{"id":7,"result":{"content":[{"type":"resource"},{"type":"handle","handle":"HANDLE"}],"structuredContent":null}}`,
		`{"id":7,"error":{"code":-32000,"message":"x","data":{"code":"Bad Code"}}}`, `null`, `[]`, `{}`,
	} {
		f.Add(s)
	}
	p := &Plugin{id: "fuzz", limits: Limits{}.withDefaults(), caller: ports.CallFunc(func(_ context.Context, c ports.Call) (ports.Result, error) {
		return ports.Result{Data: c.Args}, nil
	})}
	f.Fuzz(func(t *testing.T, line string) {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		drained := make(chan struct{})
		go func() { _, _ = io.Copy(io.Discard, r); close(drained) }()
		in := &instance{p: p, stdin: w, flag: flag{}, thaw: make(chan struct{}), dead: make(chan struct{})}
		close(in.thaw) // nothing freezes here
		in.lastID = 6
		x := in.newExchange(t.Context(), ports.Call{Emit: func(ports.Event) {}}, ask{nests: true, delta: func(ports.Delta) {}})
		in.now = x
		in.clock.fire = func() {}
		in.clock.reset(p.limits.Deadline)
		if _, err := x.handles.add("text/plain", []byte("0123456789"), nil); err != nil {
			t.Fatal(err)
		}
		hear(t, in, []byte(line))
		select {
		case m := <-x.reply:
			if raw, err := in.result(m); err == nil {
				var res abi.ToolResult
				if res, err = params[abi.ToolResult](p, raw); err == nil {
					_, _ = x.fromGuest(res) // an error is an answer
				}
			}
		default:
		}
		x.end()
		in.clock.pause()
		in.sending.Lock()
		busy := in.writer
		in.sending.Unlock()
		if !busy {
			_ = w.Close() // the guest's death
		} else {
			in.kill(nil)
		}
		<-drained
		_ = r.Close()
	})
}

// hear lets only the panic through that ends a guest.
func hear(t *testing.T, in *instance, line []byte) {
	defer func() {
		if v := recover(); v != nil {
			if err, ok := v.(error); !ok || ports.CodeOf(err) == "" {
				t.Fatalf("%q: %v", line, v)
			}
		}
	}()
	in.heard(line)
}
