package primitive

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wb-agent/wb/ports"
)

// arrive goes somewhere and waits until the page has drawn itself, which many do after their document is
// there. What goes wrong with the waiting is for the next call to meet: the navigation has ended well.
func arrive(ctx context.Context, t ports.Tab, n ports.Nav) (ports.NavResult, error) {
	const quiet, idle, most = 100, 150, 2000                     // ms: after a change, without any, and in all
	soon := func(op string, args any) (json.RawMessage, error) { // the page may be too busy to answer
		ctx, cancel := context.WithTimeout(ctx, time.Second+most*time.Millisecond)
		defer cancel()
		return t.Read(ctx, "f0", op, ports.JSON(args))
	}
	var before struct{ Token json.RawMessage }
	raw, failed := soon("baseline", struct{}{})
	res, err := t.Nav(ctx, n)
	if err != nil || failed != nil || json.Unmarshal(raw, &before) != nil || len(before.Token) == 0 {
		return res, err
	}
	if _, err := soon("settle", map[string]any{"since": before.Token, "quietMs": quiet, "idleMs": idle, "capMs": most}); err != nil {
		return res, nil
	}
	if now, err := t.Info(ctx); err == nil {
		res.URL, res.Title = now.URL, now.Title
	}
	return res, nil
}
