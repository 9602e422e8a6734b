package main

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
)

// clients keeps pairings in the store, whose file only its owner may read.
type clients struct{ store *sqlite.Store }

const clientKey = "client:"

// Client implements relay.Clients.
func (c clients) Client(ctx context.Context, id string) (relay.Client, bool) {
	var v relay.Client
	b, ok, err := c.store.Get(ctx, hostSpace, clientKey+id)
	if err != nil || !ok || json.Unmarshal(b, &v) != nil {
		return relay.Client{}, false
	}
	return v, v.ID == id
}

// Keep implements relay.Clients.
func (c clients) Keep(ctx context.Context, v relay.Client) error {
	return c.store.Put(ctx, hostSpace, clientKey+v.ID, ports.JSON(v))
}

// Forget implements relay.Clients.
func (c clients) Forget(ctx context.Context, id string) error {
	return c.store.Delete(ctx, hostSpace, clientKey+id)
}

// list names every pairing, without its token.
func (c clients) list(ctx context.Context) ([]relay.Client, error) {
	keys, err := c.store.Keys(ctx, hostSpace, clientKey)
	if err != nil {
		return nil, err
	}
	out := []relay.Client{}
	for _, k := range keys {
		if v, ok := c.Client(ctx, k[len(clientKey):]); ok {
			v.Token = ""
			out = append(out, v)
		}
	}
	return out, nil
}

// pairings put the question whether a browser may connect to every panel and terminal that is there.
type pairings struct {
	mu      sync.Mutex
	peers   map[*relay.Peer]bool
	pending *pending
}

type pending struct {
	Name   string `json:"name"`
	Code   string `json:"code"`
	answer chan bool
}

func newPairings() *pairings { return &pairings{peers: map[*relay.Peer]bool{}} }

func (p *pairings) watch(peer *relay.Peer) {
	p.mu.Lock()
	p.peers[peer] = true
	open := p.pending
	p.mu.Unlock()
	if open != nil {
		go func() { _ = peer.Notify("pairing", open) }() // after its welcome; one that has gone needs no question
	}
}

func (p *pairings) leave(peer *relay.Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.peers, peer)
}

// ask waits for a person's word, who has compared the code with the one in the browser.
func (p *pairings) ask(ctx context.Context, who relay.Pair, code string) error {
	q := &pending{Name: clean(who.Name, 80), Code: code, answer: make(chan bool, 1)}
	p.mu.Lock()
	p.pending = q
	p.mu.Unlock()
	p.tell(q)
	defer func() {
		p.mu.Lock()
		p.pending = nil
		p.mu.Unlock()
		p.tell(nil)
	}()
	select {
	case yes := <-q.answer:
		if !yes {
			return ports.NewError(ports.CodeRefused, "the pairing was refused", "")
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (p *pairings) tell(q *pending) { p.notify("pairing", q) }

// notify tells every panel and terminal that is there.
func (p *pairings) notify(method string, params any) {
	p.mu.Lock()
	peers := make([]*relay.Peer, 0, len(p.peers))
	for peer := range p.peers {
		peers = append(peers, peer)
	}
	p.mu.Unlock()
	for _, peer := range peers {
		_ = peer.Notify(method, params) // one that has gone needs to know nothing
	}
}

// decide answers the pairing with this code.
func (p *pairings) decide(code string, yes bool) error {
	p.mu.Lock()
	q := p.pending
	p.mu.Unlock()
	if q == nil || q.Code != code {
		return ports.NewError(ports.CodeUsage, "no pairing with this code waits", "start it again in the browser")
	}
	select {
	case q.answer <- yes:
	default: // answered a moment ago
	}
	return nil
}
