package primitive

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wb-agent/wb/ports"
)

// How long a page that has just loaded may go on drawing itself, in ms: until it and its requests have been
// quiet, until nothing at all has happened, and at most. Many pages are empty when their document is there.
const (
	arrivalQuiet = 100
	arrivalIdle  = 150
	arrivalCap   = 2000
)

// arrive goes somewhere and waits until the page has drawn itself. What goes wrong with the waiting is for
// the next call to meet: the navigation itself has ended well.
func arrive(ctx context.Context, t ports.Tab, n ports.Nav) (ports.NavResult, error) {
	var before struct {
		Token json.RawMessage `json:"token"`
	}
	raw, failed := soon(ctx, t, "baseline", json.RawMessage(`{}`))
	res, err := t.Nav(ctx, n)
	if err != nil || failed != nil || json.Unmarshal(raw, &before) != nil || len(before.Token) == 0 {
		return res, err
	}
	wait := ports.JSON(map[string]any{"since": before.Token, "quietMs": arrivalQuiet, "idleMs": arrivalIdle, "capMs": arrivalCap})
	if _, err := soon(ctx, t, "settle", wait); err != nil {
		return res, nil
	}
	if now, err := t.Info(ctx); err == nil {
		res.URL, res.Title = now.URL, now.Title
	}
	return res, nil
}

// soon asks the top document, which may be too busy to answer.
func soon(ctx context.Context, t ports.Tab, op string, args json.RawMessage) (json.RawMessage, error) {
	const patience = time.Second
	ctx, cancel := context.WithTimeout(ctx, patience+arrivalCap*time.Millisecond)
	defer cancel()
	return t.Read(ctx, "f0", op, args)
}
