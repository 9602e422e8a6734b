package mockmodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxRequest bounds a request in bytes.
const maxRequest = 64 << 20

// Server plays a playbook. It is an http.Handler and may be used from many goroutines.
type Server struct {
	book Playbook

	mu   sync.Mutex // guards the rest
	used []int      // by rule
	log  []Request
	ids  int
}

// Request is what the server was asked and which rule answered.
type Request struct {
	Path         string
	Conversation Conversation
	Rule         int    // index in the playbook, -1 if none
	Name         string // of the rule
	Body         []byte // as it came
}

// New returns a server for a parsed playbook.
func New(p Playbook) *Server {
	if p.Model == "" {
		p.Model = "mock-1"
	}
	return &Server{book: p, used: make([]int, len(p.Rules))}
}

// Requests returns what was asked so far, oldest first. The models list is not counted.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.log...)
}

// Run serves on a listener, which it closes, until ctx ends.
func (s *Server) Run(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { _ = srv.Close() }) // cuts streams and hanging answers, too
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers both protocols; a base URL with or without /v1 is right.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var wire protocol
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch path {
	case "/chat/completions":
		wire = openAI{}
	case "/messages":
		wire = anthropic{}
	case "/models":
		s.models(w, r)
		return
	default:
		reject(w, openAI{}, http.StatusNotFound, "mock model: no such path: "+r.URL.Path)
		return
	}
	if !s.authorized(r) {
		reject(w, wire, http.StatusUnauthorized, "mock model: wrong or missing key")
		return
	}
	if r.Method != http.MethodPost {
		reject(w, wire, http.StatusMethodNotAllowed, "mock model: POST it")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		reject(w, wire, http.StatusRequestEntityTooLarge, "mock model: "+err.Error())
		return
	}
	c, err := wire.read(body)
	if err != nil {
		reject(w, wire, http.StatusBadRequest, "mock model: "+err.Error())
		return
	}
	s.answer(w, r, wire, c, body)
}

func (s *Server) authorized(r *http.Request) bool {
	key := r.Header.Get("X-Api-Key")
	if key == "" {
		key = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	return s.book.Key == "" || key == s.book.Key
}

func (s *Server) models(w http.ResponseWriter, r *http.Request) {
	if !s.authorized(r) {
		reject(w, openAI{}, http.StatusUnauthorized, "mock model: wrong or missing key")
		return
	}
	reply(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
		map[string]any{"id": s.book.Model, "object": "model", "type": "model", "display_name": s.book.Model}}})
}

// answer finds the rule and plays it.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, wire protocol, c *Conversation, body []byte) {
	i := s.choose(r.URL.Path, c, body)
	if i < 0 {
		reject(w, wire, http.StatusUnprocessableEntity, "mock model: no rule of the playbook fits: "+c.describe())
		return
	}
	rule := s.book.Rules[i]
	if rule.Fault != nil && !rule.Fault.play(w, r, wire, c) {
		return
	}
	if rule.Reply == nil {
		reject(w, wire, http.StatusInternalServerError, fmt.Sprintf("mock model: rule %d has no reply", i+1))
		return
	}
	a, err := c.render(*rule.Reply, s.newID)
	if err != nil {
		reject(w, wire, http.StatusUnprocessableEntity, fmt.Sprintf("mock model: the playbook cannot be played: rule %d: %v", i+1, err))
		return
	}
	out := &breaker{w: w, left: -1}
	fault := Fault{}
	if rule.Fault != nil {
		fault = *rule.Fault
	}
	if fault.CutAfter > 0 {
		out.left = fault.CutAfter
	}
	if !c.Stream {
		if fault.InStreamError != "" {
			reject(w, wire, http.StatusInternalServerError, fault.InStreamError)
			return
		}
		reply(out, http.StatusOK, wire.whole(c, a))
		return
	}
	stream(r.Context(), out, wire, c, a, fault.InStreamError)
}

// choose picks the first rule that fits, counts its use and logs the request.
func (s *Server) choose(path string, c *Conversation, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	req := Request{Path: path, Conversation: *c, Rule: -1, Body: body}
	for i, r := range s.book.Rules {
		if r.When.fits(c, s.used[i]) {
			s.used[i]++
			req.Rule, req.Name = i, r.Name
			break
		}
	}
	s.log = append(s.log, req)
	return req.Rule
}

func (s *Server) newID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids++
	return fmt.Sprintf("call_%d", s.ids)
}

// describe says what a rule would have had to fit.
func (c *Conversation) describe() string {
	text, tool := c.results()
	return fmt.Sprintf("turn %d, last_tool %q, last_result %s, user %s, tools %d",
		c.turn(), tool, cut(text, 600), cut(c.user(), 600), len(c.Tools))
}

func reply(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		panic("mockmodel: " + err.Error()) // our own maps always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b) // a client that left is no matter
}

func reject(w http.ResponseWriter, wire protocol, status int, msg string) {
	reply(w, status, wire.failure(status, msg))
}
