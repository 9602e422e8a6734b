package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
)

const extensionOrigin = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"

// book keeps pairings in memory.
type book struct {
	mu  sync.Mutex
	all map[string]relay.Client
}

func (b *book) Client(_ context.Context, id string) (relay.Client, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, ok := b.all[id]
	return c, ok
}

func (b *book) Keep(_ context.Context, c relay.Client) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[c.ID] = c
	return nil
}

func (b *book) Forget(_ context.Context, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.all, id)
	return nil
}

// rig is a server with one pairing.
type rig struct {
	*relay.Server
	t      *testing.T
	url    string // ws://…
	host   string
	book   *book
	client relay.Client
	yes    bool // the person's word on a pairing
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, book: &book{all: map[string]relay.Client{}}, yes: true}
	r.client = relay.NewClient("test", "chromium", extensionOrigin, time.Unix(1, 0))
	_ = r.book.Keep(t.Context(), r.client)
	var h http.Handler
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { h.ServeHTTP(w, q) }))
	r.host = strings.TrimPrefix(srv.URL, "http://")
	r.url = "ws://" + r.host + "/ws"
	r.Server = relay.NewServer(relay.Options{
		Daemon: "test", Hosts: []string{r.host}, Origins: []string{extensionOrigin, "http://" + r.host}, Clients: r.book, Now: time.Now,
		Pairing: func(_ context.Context, _ relay.Pair, code string) error {
			if len(code) != 6 || !r.yes {
				return ports.NewError(ports.CodeRefused, "no", "")
			}
			return nil
		},
		Panel: func(*relay.Peer, relay.Client) (relay.Handler, func()) {
			return func(_ context.Context, method string, params json.RawMessage) (any, error) {
				if method == "echo" {
					return params, nil
				}
				return nil, ports.NewError(ports.CodeUnknownTool, "no method "+method, "")
			}, func() {}
		},
	}, "epoch")
	h = r.Server
	t.Cleanup(func() { r.Close(); srv.Close() })
	return r
}

// dial opens a bare WebSocket.
func (r *rig) dial(host, origin string) (*websocket.Conn, int) {
	r.t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}, Host: host}
	if origin != "" {
		o.HTTPHeader.Set("Origin", origin)
	}
	c, res, err := websocket.Dial(r.t.Context(), r.url, o)
	status := 0
	if res != nil {
		status = res.StatusCode
	}
	if err != nil {
		return nil, status
	}
	r.t.Cleanup(func() { _ = c.CloseNow() })
	return c, status
}

// A page, another extension, a program, a rebinding name: nobody gets as far as the upgrade.
func TestWhoMayCome(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		host, origin string
		in           bool
	}{
		"the extension":              {"", extensionOrigin, true},
		"a profile's Firefox":        {"", "moz-extension://a1b2c3d4-0000-4000-8000-00000000beef", true},
		"the daemon's own page":      {"", "http://" + r.host, true},
		"a web page":                 {"", "https://evil.example", false},
		"another extension":          {"", "chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba", false},
		"a program without origin":   {"", "", false},
		"a sandboxed page":           {"", "null", false},
		"a rebinding name":           {"evil.example", "http://evil.example", false},
		"a rebinding name, our port": {"evil.example:" + r.host[strings.IndexByte(r.host, ':')+1:], "http://evil.example", false},
		"a trailing dot":             {strings.Replace(r.host, "127.0.0.1", "localhost.", 1), extensionOrigin, false},
		"our host with a prefix":     {"", "http://" + r.host + ".evil.example", false},
		"another port":               {"", "http://127.0.0.1:1", false},
		"an extension with a path":   {"", "moz-extension://x/../" + r.host, false},
	} {
		conn, status := r.dial(c.host, c.origin)
		if (conn != nil) != c.in || !c.in && status != http.StatusForbidden {
			t.Errorf("%s: let in %v (status %d), want %v", name, conn != nil, status, c.in)
		}
	}
}

func (r *rig) read(c *websocket.Conn) (m struct {
	ID     *int64          `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *relay.Failure  `json:"error"`
}, err error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), 20*time.Second)
	defer cancel()
	_, b, err := c.Read(ctx)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(b, &m)
}

func (r *rig) write(c *websocket.Conn, text string) {
	r.t.Helper()
	if err := c.Write(r.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) challenge(c *websocket.Conn) string {
	r.t.Helper()
	m, err := r.read(c)
	var ch relay.Challenge
	if err != nil || m.Method != "challenge" || json.Unmarshal(m.Params, &ch) != nil || ch.Nonce == "" {
		r.t.Fatalf("no challenge: %+v %v", m, err)
	}
	return ch.Nonce
}

func (r *rig) hello(id int, h relay.Hello) string {
	return `{"jsonrpc":"2.0","id":` + string(rune('0'+id)) + `,"method":"hello","params":` + string(ports.JSON(h)) + `}`
}

// What a hello must be, and that one which was seen is worth nothing again.
func TestHello(t *testing.T) {
	r := newRig(t)
	good := func(nonce string) relay.Hello {
		return relay.Hello{Version: relay.Version, Role: relay.RolePanel, Client: r.client.ID, Proof: relay.Proof(r.client.Token, nonce, relay.RolePanel)}
	}
	seen := ""
	for _, c := range []struct {
		name, origin string
		hello        func(nonce string) relay.Hello
		in           bool
	}{
		{"right", extensionOrigin, good, true},
		{"seen before", extensionOrigin, func(string) relay.Hello { h := good(""); h.Proof = seen; return h }, false},
		{"wrong token", extensionOrigin, func(n string) relay.Hello { h := good(n); h.Proof = relay.Proof("x", n, relay.RolePanel); return h }, false},
		{"another role's", extensionOrigin, func(n string) relay.Hello { h := good(n); h.Role = relay.RoleRelay; return h }, false},
		{"unknown client", extensionOrigin, func(n string) relay.Hello { h := good(n); h.Client = "nobody"; return h }, false},
		{"another origin's", "http://" + r.host, good, false},
		{"no proof", extensionOrigin, func(n string) relay.Hello { h := good(n); h.Proof = ""; return h }, false},
		{"older version", extensionOrigin, func(n string) relay.Hello { h := good(n); h.Version = 0; return h }, false},
	} {
		conn, _ := r.dial("", c.origin)
		nonce := r.challenge(conn)
		h := c.hello(nonce)
		if c.in {
			seen = h.Proof
		}
		r.write(conn, r.hello(1, h))
		m, err := r.read(conn)
		if in := err == nil && m.Error == nil; in != c.in {
			t.Errorf("%s: let in %v, want %v (%+v, %v)", c.name, in, c.in, m.Error, err)
		}
		if !c.in && m.Error != nil && strings.Contains(m.Error.Message, r.client.Token) {
			t.Errorf("%s: the token is in the answer", c.name)
		}
	}
}

// Nothing is answered before hello, and nothing but messages after it.
func TestFrames(t *testing.T) {
	r := newRig(t)
	for name, frame := range map[string]string{
		"asked before hello": `{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`,
		"no JSON":            `{`,
		"an array":           `[]`,
		"no version":         `{"id":1,"method":"hello"}`,
		"an answer to both":  `{"jsonrpc":"2.0","id":1,"result":1,"error":{"code":1,"message":""}}`,
		"two messages":       `{"jsonrpc":"2.0","method":"a"}{"jsonrpc":"2.0","method":"b"}`,
		"unknown field":      `{"jsonrpc":"2.0","method":"a","x":1}`,
		"too long":           `{"jsonrpc":"2.0","method":"` + strings.Repeat("a", 20<<10) + `"}`,
	} {
		conn, _ := r.dial("", extensionOrigin)
		r.challenge(conn)
		r.write(conn, frame)
		for {
			m, err := r.read(conn)
			if err != nil {
				break // closed, as it should be
			}
			if m.Result != nil {
				t.Errorf("%s: answered %s", name, m.Result)
			}
		}
	}
}

// Ten failures within a minute close the door to everybody for the rest of it.
func TestFailuresAreLimited(t *testing.T) {
	r := newRig(t)
	for range 10 {
		c := r.client
		c.Token = "guess"
		if p, err := relay.Dial(t.Context(), r.url, extensionOrigin, c, relay.RolePanel, func(string, json.RawMessage) {}); err == nil {
			p.Close("")
			t.Fatal("a guess was let in")
		}
	}
	if _, status := r.dial("", extensionOrigin); status != http.StatusTooManyRequests {
		t.Errorf("after ten failures: status %d, want 429", status)
	}
}

// A pairing gives a token once a person agrees; a revoked one ends its connections.
func TestPairAndRevoke(t *testing.T) {
	r := newRig(t)
	conn, _ := r.dial("", extensionOrigin)
	r.challenge(conn)
	r.write(conn, `{"jsonrpc":"2.0","id":1,"method":"pair","params":{"version":1,"name":"Chrome","browser":"chromium"}}`)
	if m, err := r.read(conn); err != nil || m.Method != "pair.code" {
		t.Fatalf("%+v %v", m, err)
	}
	m, err := r.read(conn)
	var p relay.Paired
	if err != nil || json.Unmarshal(m.Result, &p) != nil || p.Token == "" {
		t.Fatalf("%+v %v", m, err)
	}
	c := relay.Client{ID: p.Client, Token: p.Token}
	peer, err := relay.Dial(t.Context(), r.url, extensionOrigin, c, relay.RolePanel, func(string, json.RawMessage) {})
	if err != nil {
		t.Fatal(err)
	}
	var echo map[string]int
	if err := peer.Call(t.Context(), "echo", map[string]int{"a": 1}, &echo); err != nil || echo["a"] != 1 {
		t.Fatal(echo, err)
	}
	var f *relay.Failure
	if err := peer.Call(t.Context(), "nothing", struct{}{}, nil); !errors.As(err, &f) || f.Code != -32601 {
		t.Errorf("an unknown method: %v", err)
	}
	if err := r.Revoke(t.Context(), p.Client); err != nil {
		t.Fatal(err)
	}
	<-peer.Done()
	if _, err := relay.Dial(t.Context(), r.url, extensionOrigin, c, relay.RolePanel, nil); ports.CodeOf(err) != ports.CodeAuth {
		t.Errorf("a revoked pairing: %v", err)
	}
	r.yes = false
	conn, _ = r.dial("", extensionOrigin)
	r.challenge(conn)
	r.write(conn, `{"jsonrpc":"2.0","id":1,"method":"pair","params":{"version":1,"name":"Chrome","browser":"chromium"}}`)
	_, _ = r.read(conn) // the code
	if m, err := r.read(conn); err != nil || m.Error == nil {
		t.Errorf("a refused pairing: %+v %v", m, err)
	}
}
