package mcp

//lint:file-ignore SA1019 logging is deprecated since 2026-07-28; the clients that have it speak an older version, and so do we to them

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wb-agent/wb/ports"
)

// forward passes progress and log events of a call on to the client.
func forward(ctx context.Context, req *mcp.CallToolRequest) func(ports.Event) {
	token := req.Params.GetProgressToken()
	var mu sync.Mutex
	steps := 0.0
	return func(e ports.Event) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case e.Kind == ports.EventLog:
			var d struct {
				Level string `json:"level"`
			}
			_ = json.Unmarshal(e.Data, &d) // no level reads as info below
			if d.Level == "" {
				d.Level = "info"
			}
			_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(d.Level), Data: e.Text}) // a client that is gone
		case e.Kind == ports.EventProgress && token != nil:
			var d struct{ Progress, Total float64 }
			_ = json.Unmarshal(e.Data, &d) // zero is "just begun"
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: d.Progress, Total: d.Total, Message: e.Text})
		case e.Kind == ports.EventToolStart && token != nil:
			steps++
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: steps, Message: e.Tool})
		}
	}
}
