package relay

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/wb-agent/wb/ports"
)

// Limits of a frame, in bytes: before a client is known, and after.
const (
	strangerFrame = 16 << 10
	clientFrame   = 64 << 20 // a picture or the outline of a long page
)

// helloTime is how long a client may take to say who it is.
const helloTime = 10 * time.Second

// Options are a server's parts. All are required but Panel and Extension.
type Options struct {
	Daemon  string   // version, told to clients
	Hosts   []string // what a Host header may be: 127.0.0.1:PORT, localhost:PORT
	Origins []string // the extension's fixed origin and the daemon's own pages; Firefox's differ by profile
	Clients Clients
	// Pairing is asked to show a code and to wait for a person's word; an error refuses.
	Pairing func(ctx context.Context, p Pair, code string) error
	// Panel makes the handler of a panel that has come in. closed runs when it has gone.
	Panel func(p *Peer, c Client) (h Handler, closed func())
	// Extension is told of a browser whose background has come in for the first time.
	Extension func(x *Extension)
	Now       func() time.Time
}

// Server lets clients in. It is an http.Handler for the WebSocket's path alone.
type Server struct {
	o      Options
	epoch  string
	strict throttle

	mu         sync.Mutex
	peers      map[*Peer]string // by client
	extensions map[string]*Extension
	pairing    bool
}

// NewServer makes a server; epoch must differ at each start of the daemon.
func NewServer(o Options, epoch string) *Server {
	return &Server{o: o, epoch: epoch, strict: throttle{now: o.Now}, peers: map[*Peer]string{}, extensions: map[string]*Extension{}}
}

// Local reports whether a request comes by a name of this daemon. Anything else is DNS rebinding.
func Local(r *http.Request, hosts []string) bool { return slices.Contains(hosts, r.Host) }

// ServeHTTP implements http.Handler. Host and Origin are checked before the upgrade, exactly: the WebSocket
// library lets in any origin that equals the host.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	switch {
	case !Local(r, s.o.Hosts):
		http.Error(w, "this is not the address of wb", http.StatusForbidden)
		return
	case !s.mayCome(origin):
		http.Error(w, "this origin may not talk to wb", http.StatusForbidden)
		return
	case s.strict.closed():
		w.Header().Set("Retry-After", "60")
		http.Error(w, "too many failures; wait a minute", http.StatusTooManyRequests)
		return
	}
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // checked above
	if err != nil {
		return // it has answered
	}
	s.serve(r.Context(), &socket{c}, origin)
}

func (s *Server) mayCome(origin string) bool {
	if slices.Contains(s.o.Origins, origin) {
		return true
	}
	id, ok := strings.CutPrefix(origin, "moz-extension://")
	return ok && id != "" && !strings.ContainsAny(id, "/:@")
}

// serve runs one connection: challenge, hello or pairing, then what its role may do.
func (s *Server) serve(ctx context.Context, so Socket, origin string) {
	d := &door{s: s, origin: origin, nonce: newNonce()}
	d.peer = newPeer(ctx, so, d.handle)
	d.late = time.AfterFunc(helloTime, func() { d.peer.Close("no hello") })
	defer d.leave()
	if d.peer.Notify("challenge", Challenge{Nonce: d.nonce, Version: Version}) != nil {
		return
	}
	_ = d.peer.serve() // how it ended is the client's affair
}

// door is a connection before and after its hello.
type door struct {
	s      *Server
	peer   *Peer
	origin string
	nonce  string
	late   *time.Timer

	mu     sync.Mutex
	used   bool // the nonce
	inside Handler
	closed func()
}

func (d *door) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	d.mu.Lock()
	inside := d.inside
	d.mu.Unlock()
	switch {
	case inside != nil:
		return inside(ctx, method, params)
	case method == "hello":
		return d.hello(ctx, params)
	case method == "pair":
		return d.pair(ctx, params)
	}
	d.peer.Close("hello comes first")
	return nil, ports.NewError(ports.CodeAuth, "hello comes first", "")
}

// hello checks the proof and lets the client into its role. Whatever is wrong, the answer is the same.
func (d *door) hello(ctx context.Context, params json.RawMessage) (any, error) {
	var h Hello
	if err := strict(params, &h); err != nil {
		return nil, err
	}
	if err := sameVersion(h.Version); err != nil {
		return nil, err
	}
	d.mu.Lock()
	again := d.used
	d.used = true
	d.mu.Unlock()
	c, ok := d.s.o.Clients.Client(ctx, h.Client)
	proven := ok && proves(c.Token, d.nonce, h.Role, h.Proof)
	if again || !proven || c.Origin != "" && c.Origin != d.origin {
		d.s.strict.fail()
		return nil, &ports.Error{Code: ports.CodeAuth, Msg: "this client is not paired with wb", Fix: "pair it again: wb up", Err: errOut}
	}
	d.late.Stop()
	return d.s.welcome(d, c, h)
}

func (s *Server) welcome(d *door, c Client, h Hello) (any, error) {
	w := Welcome{Version: Version, Daemon: s.o.Daemon, Epoch: s.epoch}
	if so, ok := d.peer.s.(*socket); ok {
		so.c.SetReadLimit(clientFrame)
	}
	s.mu.Lock()
	s.peers[d.peer] = c.ID
	s.mu.Unlock()
	switch h.Role {
	case RolePanel:
		if s.o.Panel == nil {
			break
		}
		inside, closed := s.o.Panel(d.peer, c)
		d.enter(inside, closed)
		return w, nil
	case RoleRelay:
		x := s.extension(c, h)
		w.Heard = x.heardOf(h.Worker)
		d.enter(x.inside(d.peer, h, s.epoch), func() { x.lost(d.peer) })
		return w, nil
	}
	return nil, ports.NewError(ports.CodeInvalidArgs, "no such role: "+h.Role, "")
}

func (d *door) enter(h Handler, closed func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.inside, d.closed = h, closed
}

func (d *door) leave() {
	d.late.Stop()
	d.s.mu.Lock()
	delete(d.s.peers, d.peer)
	d.s.mu.Unlock()
	d.mu.Lock()
	closed := d.closed
	d.mu.Unlock()
	if closed != nil {
		closed()
	}
}

// extension is the browser of a pairing, the same one after a reconnect.
func (s *Server) extension(c Client, h Hello) *Extension {
	s.mu.Lock()
	x, known := s.extensions[c.ID]
	if !known {
		x = newExtension(c.ID, h.Name, h.Browser)
		s.extensions[c.ID] = x
	}
	s.mu.Unlock()
	if !known && s.o.Extension != nil {
		s.o.Extension(x)
	}
	return x
}

// Revoke ends a pairing and every connection of it.
func (s *Server) Revoke(ctx context.Context, client string) error {
	err := s.o.Clients.Forget(ctx, client)
	s.mu.Lock()
	var gone []*Peer
	for p, c := range s.peers {
		if c == client {
			gone = append(gone, p)
		}
	}
	x := s.extensions[client]
	delete(s.extensions, client)
	s.mu.Unlock()
	for _, p := range gone {
		p.Close("revoked")
	}
	if x != nil {
		x.end("the pairing was revoked")
	}
	return err
}

// Close ends every connection.
func (s *Server) Close() {
	s.mu.Lock()
	peers, all := s.peers, s.extensions
	s.peers, s.extensions = map[*Peer]string{}, map[string]*Extension{}
	s.mu.Unlock()
	for p := range peers {
		p.Close("wb is stopping")
	}
	for _, x := range all {
		x.end("wb is stopping")
	}
}

// socket is a WebSocket.
type socket struct{ c *websocket.Conn }

func (s *socket) Read(ctx context.Context) ([]byte, error) {
	kind, b, err := s.c.Read(ctx)
	if err == nil && kind != websocket.MessageText {
		err = errGone
	}
	return b, err
}

func (s *socket) Write(ctx context.Context, b []byte) error {
	return s.c.Write(ctx, websocket.MessageText, b)
}

func (s *socket) Close(reason string) {
	if reason == "" {
		_ = s.c.CloseNow()
		return
	}
	_ = s.c.Close(websocket.StatusPolicyViolation, reason[:min(len(reason), 120)])
}
