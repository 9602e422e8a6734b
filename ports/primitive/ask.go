package primitive

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Ask is ui.ask over whoever can answer.
func Ask(a ports.Asker) ports.Tool {
	return primitive("ui.ask", ports.RiskControl, "Put a question to the person.", ports.AskSchema, func(ctx context.Context, c ports.Call) (ports.Result, error) {
		var q ports.Question
		if err := json.Unmarshal(c.Args, &q); err != nil {
			return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "ui.ask: "+err.Error(), "")
		}
		q.Run = c.Run
		return data(a.Ask(ctx, q))
	})
}

// Clock is clock.now.
func Clock(clock ports.Clock) ports.Tool {
	return primitive("clock.now", ports.RiskRead, "The time: {utc, unix_ms}.", emptySchema, func(context.Context, ports.Call) (ports.Result, error) {
		now := clock.Now()
		return data(map[string]any{"utc": now.UTC().Format(time.RFC3339), "unix_ms": now.UnixMilli()}, nil)
	})
}
