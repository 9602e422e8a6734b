package mcp

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// An action whose client lost its connection has happened; its receipt is there when the client comes back.
func TestResumeAfterALostConnection(t *testing.T) {
	var seen []ports.Call
	lost := make(chan struct{})
	s := New(scripted(t, &seen, func(ctx context.Context, _ ports.Call) (ports.Result, error) {
		select {
		case <-lost:
			return ports.TextResult("the receipt"), nil
		case <-ctx.Done():
			return ports.Result{}, ctx.Err()
		}
	}))
	defer s.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	srv := &http.Server{Handler: s.HTTP(host, "t")}
	go func() { _ = srv.Serve(l) }() // ends with Close
	defer func() { _ = srv.Close() }()

	first := send(t, t.Context(), host, http.MethodPost, nil, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`)
	session := http.Header{"Mcp-Session-Id": first.Header["Mcp-Session-Id"], "Mcp-Protocol-Version": {"2025-11-25"}}
	_ = until(t, first, "data: {") // the session is there once it has answered
	_ = first.Body.Close()         // nothing more is wanted of it
	_ = send(t, t.Context(), host, http.MethodPost, session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body.Close()

	ctx, cut := context.WithCancel(t.Context())
	call := send(t, ctx, host, http.MethodPost, session, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"press","arguments":{}}}`)
	last := until(t, call, "id: ")
	cut()
	_ = call.Body.Close() // it is lost
	close(lost)

	session.Set("Last-Event-Id", strings.TrimPrefix(last, "id: "))
	back := ask(t, t.Context(), host, http.MethodGet, session, "")
	for back.StatusCode == http.StatusConflict { // the server has not seen yet that the first reader is gone
		_ = back.Body.Close() // an error's text
		back = ask(t, t.Context(), host, http.MethodGet, session, "")
	}
	defer func() { _ = back.Body.Close() }()
	if got := until(t, back, "data: {"); !strings.Contains(got, "the receipt") || len(seen) != 1 {
		t.Errorf("after %d calls the client read %s", len(seen), got)
	}
}

// send is ask, and fails on an error status.
func send(t *testing.T, ctx context.Context, host, method string, header http.Header, body string) *http.Response {
	t.Helper()
	res := ask(t, ctx, host, method, header, body)
	if res.StatusCode >= http.StatusBadRequest {
		t.Fatalf("%s %s: %s", method, body, res.Status)
	}
	return res
}

func ask(t *testing.T, ctx context.Context, host, method string, header http.Header, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+host+"/mcp/t", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		r.Header[k] = v
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// until reads a stream up to a line that begins so.
func until(t *testing.T, res *http.Response, begins string) string {
	t.Helper()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), begins) {
			return lines.Text()
		}
	}
	t.Fatalf("the stream ended without %q: %v", begins, lines.Err())
	return ""
}
