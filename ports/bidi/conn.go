package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/coder/websocket"

	"github.com/wb-agent/wb/ports"
)

// obj is a JSON object on the wire.
type obj = map[string]any

// message is what Firefox sends: an answer, an error or an event.
type message struct {
	Type    string          `json:"type"`
	ID      int64           `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
}

// failure is an error that Firefox answered.
type failure struct{ method, code, text string }

func (f *failure) Error() string {
	return fmt.Sprintf("%s: %s: %s", f.method, f.code, cut(f.text, 300))
}

// conn is the wire. Safe for concurrent use. Events are handed over one after the other, in order.
type conn struct {
	ws   *websocket.Conn
	gone chan struct{} // closed once nothing more comes

	mu   sync.Mutex
	next int64
	wait map[int64]chan message
}

func dial(ctx context.Context, url string) (*conn, error) {
	ws, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPClient: client(), CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	ws.SetReadLimit(256 << 20)
	return &conn{ws: ws, gone: make(chan struct{}), wait: map[int64]chan message{}}, nil
}

// read hands out answers and events until the browser is gone.
func (c *conn) read(event func(method string, params json.RawMessage)) {
	defer close(c.gone)
	for {
		_, b, err := c.ws.Read(context.Background())
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(b, &m) != nil {
			continue
		}
		if m.Type == "event" {
			event(m.Method, m.Params)
			continue
		}
		c.mu.Lock()
		answer := c.wait[m.ID]
		delete(c.wait, m.ID)
		c.mu.Unlock()
		if answer != nil {
			answer <- m
		}
	}
}

var errStopped = errors.New("stopped")

// call sends a command and waits for its answer, the browser's end, or stop (nil: never).
func (c *conn) call(ctx context.Context, stop <-chan struct{}, method string, params, result any) error {
	answer := make(chan message, 1)
	c.mu.Lock()
	c.next++
	id := c.next
	c.wait[id] = answer
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.wait, id)
	}()
	b, err := json.Marshal(obj{"id": id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := c.ws.Write(ctx, websocket.MessageText, b); err != nil {
		return browserGone()
	}
	select {
	case m := <-answer:
		switch {
		case m.Type == "error":
			return &failure{method, m.Error, m.Message}
		case result == nil:
			return nil
		}
		return json.Unmarshal(m.Result, result)
	case <-stop:
		return errStopped
	case <-c.gone:
		return browserGone()
	case <-ctx.Done():
		return late(ctx, method)
	}
}

func browserGone() error {
	return ports.NewError(ports.CodeBrowserGone, "the browser has ended", "start the run again")
}

// late is the error of a call whose time ran out, or that was given up.
func late(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &ports.Error{Code: ports.CodeTimeout, Msg: what + " did not answer in time", Fix: "try again, or reload the page", Err: ctx.Err()}
	}
	return &ports.Error{Code: ports.CodeCancelled, Msg: "given up", Err: ctx.Err()}
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
