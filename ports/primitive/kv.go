package primitive

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/ports"
)

type kvArgs struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Prefix string `json:"prefix"`
}

// KV is kv.*: each plugin's own memory, under its id. It outlives runs.
func KV(kv ports.KV) []ports.Tool {
	with := func(f func(ctx context.Context, space string, a kvArgs) (any, error)) ports.CallFunc {
		return func(ctx context.Context, c ports.Call) (ports.Result, error) {
			var a kvArgs
			if err := json.Unmarshal(orEmpty(c.Args), &a); err != nil {
				return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, c.Tool+": "+err.Error(), "")
			}
			return data(f(ctx, c.From, a))
		}
	}
	return []ports.Tool{
		primitive("kv.get", ports.RiskRead, "Read a value: {value, ok}.", kvSchema, with(func(ctx context.Context, space string, a kvArgs) (any, error) {
			v, ok, err := kv.Get(ctx, space, a.Key)
			return map[string]any{"value": string(v), "ok": ok}, err
		})),
		primitive("kv.put", ports.RiskControl, "Keep a value.", kvSchema, with(func(ctx context.Context, space string, a kvArgs) (any, error) {
			return map[string]any{}, kv.Put(ctx, space, a.Key, []byte(a.Value))
		})),
		primitive("kv.delete", ports.RiskControl, "Forget a value.", kvSchema, with(func(ctx context.Context, space string, a kvArgs) (any, error) {
			return map[string]any{}, kv.Delete(ctx, space, a.Key)
		})),
		primitive("kv.keys", ports.RiskRead, "List keys: {keys}.", keysSchema, with(func(ctx context.Context, space string, a kvArgs) (any, error) {
			keys, err := kv.Keys(ctx, space, a.Prefix)
			return map[string]any{"keys": keys}, err
		})),
	}
}
