package relay

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Client is one pairing.
type Client struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Browser string    `json:"browser"`
	Origin  string    `json:"origin"` // it came from there; "" for the daemon's own pages
	Token   string    `json:"token"`
	Paired  time.Time `json:"paired"`
}

// Clients keeps pairings. Methods may be used from many goroutines.
type Clients interface {
	Client(ctx context.Context, id string) (Client, bool)
	Keep(ctx context.Context, c Client) error
	Forget(ctx context.Context, id string) error
}

// NewClient makes a pairing with a token of 130 bits.
func NewClient(name, browser, origin string, now time.Time) Client {
	return Client{ID: rand.Text()[:12], Name: name, Browser: browser, Origin: origin, Token: rand.Text(), Paired: now}
}

func newNonce() string { return rand.Text() }

// Proof is what hello says about a token.
func Proof(token, nonce, role string) string {
	h := hmac.New(sha256.New, []byte(token))
	h.Write([]byte(nonce + "\n" + role))
	return hex.EncodeToString(h.Sum(nil))
}

func proves(token, nonce, role, proof string) bool {
	return token != "" && hmac.Equal([]byte(Proof(token, nonce, role)), []byte(proof))
}

// pair gives a stranger a token, once a person has compared the codes and agreed. One at a time: somebody who
// asks for many pairings must not hide one among them.
func (d *door) pair(ctx context.Context, params json.RawMessage) (any, error) {
	var p Pair
	if err := strict(params, &p); err != nil {
		return nil, err
	}
	if err := sameVersion(p.Version); err != nil {
		return nil, err
	}
	s := d.s
	s.mu.Lock()
	busy := s.pairing
	s.pairing = s.pairing || s.o.Pairing != nil
	s.mu.Unlock()
	if busy || s.o.Pairing == nil {
		return nil, ports.NewError(ports.CodeBusy, "another pairing waits for its answer", "answer or cancel it first")
	}
	defer func() {
		s.mu.Lock()
		s.pairing = false
		s.mu.Unlock()
	}()
	d.late.Stop() // a person is slow
	code := newCode()
	if err := d.peer.Notify("pair.code", map[string]string{"code": code}); err != nil {
		return nil, err
	}
	if err := s.o.Pairing(ctx, p, code); err != nil {
		s.strict.fail()
		return nil, err
	}
	c := NewClient(p.Name, p.Browser, d.origin, s.o.Now())
	if err := s.o.Clients.Keep(ctx, c); err != nil {
		return nil, err
	}
	return Paired{Client: c.ID, Token: c.Token}, nil
}

// newCode is six digits.
func newCode() string {
	n, err := rand.Int(rand.Reader, big.NewInt(1_000_000))
	if err != nil {
		panic("relay: " + err.Error()) // the system has no randomness: nothing is safe
	}
	return fmt.Sprintf("%06d", n)
}

func sameVersion(v int) error {
	switch {
	case v < Version:
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("the extension speaks version %d of the protocol, wb %d", v, Version), "load the extension that came with this wb: wb extension path")
	case v > Version:
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("wb speaks version %d of the protocol, the extension %d", Version, v), "install the wb that the extension came with")
	}
	return nil
}

// strict decodes parameters and refuses what it does not know.
func strict(params json.RawMessage, v any) error {
	d := json.NewDecoder(bytes.NewReader(params))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	return nil
}

// throttle closes the door for a minute after ten failures within one.
type throttle struct {
	now func() time.Time

	mu    sync.Mutex
	fails []time.Time
}

const (
	maxFails   = 10
	failMinute = time.Minute
)

func (t *throttle) fail() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fails = append(t.recent(), t.now())
}

func (t *throttle) closed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fails = t.recent()
	return len(t.fails) >= maxFails
}

func (t *throttle) recent() []time.Time {
	since := t.now().Add(-failMinute)
	for len(t.fails) > 0 && t.fails[0].Before(since) {
		t.fails = t.fails[1:]
	}
	return t.fails
}
