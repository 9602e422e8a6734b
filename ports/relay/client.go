package relay

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/wb-agent/wb/ports"
)

// Dial connects to a daemon as a client of a pairing, as the extension's panel does. notify takes what the daemon
// says unasked. The caller closes the Peer.
func Dial(ctx context.Context, url, origin string, c Client, role string, notify func(method string, params json.RawMessage)) (*Peer, error) {
	ws, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}})
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeUnreachable, Msg: "wb does not answer at " + url, Fix: "start it: wb up", Err: err}
	}
	ws.SetReadLimit(clientFrame)
	nonce := make(chan string, 1)
	p := newPeer(context.WithoutCancel(ctx), &socket{ws}, func(_ context.Context, method string, params json.RawMessage) (any, error) {
		var ch Challenge
		if method == "challenge" && json.Unmarshal(params, &ch) == nil {
			nonce <- ch.Nonce
			return nil, nil
		}
		notify(method, params)
		return nil, nil
	})
	go func() { _ = p.serve() }() // its end is seen by whoever calls
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	select {
	case n := <-nonce:
		h := Hello{Version: Version, Role: role, Client: c.ID, Proof: Proof(c.Token, n, role), Name: c.Name, Browser: c.Browser}
		if err := p.Call(ctx, "hello", h, nil); err != nil {
			p.Close("")
			return nil, withCode(err)
		}
		return p, nil
	case <-p.Done():
		return nil, context.Cause(p.ctx)
	case <-ctx.Done():
		p.Close("")
		return nil, context.Cause(ctx)
	}
}
