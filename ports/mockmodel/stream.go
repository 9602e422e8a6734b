package mockmodel

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// protocol is one way to say the same.
type protocol interface {
	read(body []byte) (*Conversation, error)
	whole(c *Conversation, a answer) any
	events(c *Conversation, a answer) []event
	failure(status int, msg string) any
}

// event is one server-sent event. Data is a value, or a string that is sent as it is.
type event struct {
	Name string
	Data any
}

// stream sends an answer as server-sent events; midway, if trouble is set, an error in its place.
func stream(ctx context.Context, w http.ResponseWriter, wire protocol, c *Conversation, a answer, trouble string) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	all := wire.events(c, a)
	if trouble != "" {
		name := "error"
		if _, ok := wire.(openAI); ok {
			name = "" // that protocol's events have no names
		}
		all = append(all[:len(all)/2:len(all)/2], event{name, wire.failure(http.StatusInternalServerError, trouble)})
	}
	flush := http.NewResponseController(w)
	for _, e := range all {
		if ctx.Err() != nil {
			return
		}
		if _, err := w.Write(e.encode()); err != nil {
			return
		}
		if err := flush.Flush(); err != nil {
			return
		}
	}
}

func (e event) encode() []byte {
	data, ok := e.Data.(string)
	if !ok {
		b, err := json.Marshal(e.Data)
		if err != nil {
			panic("mockmodel: " + err.Error()) // our own maps always encode
		}
		data = string(b)
	}
	var s strings.Builder
	if e.Name != "" {
		s.WriteString("event: " + e.Name + "\n")
	}
	s.WriteString("data: " + data + "\n\n")
	return []byte(s.String())
}

// breaker breaks the connection once so many bytes of a body are out; never, while left is negative.
type breaker struct {
	w    http.ResponseWriter
	left int
}

func (b *breaker) Header() http.Header         { return b.w.Header() }
func (b *breaker) WriteHeader(status int)      { b.w.WriteHeader(status) }
func (b *breaker) Unwrap() http.ResponseWriter { return b.w }

func (b *breaker) Write(p []byte) (int, error) {
	if b.left < 0 {
		return b.w.Write(p)
	}
	if len(p) < b.left {
		b.left -= len(p)
		return b.w.Write(p)
	}
	_, _ = b.w.Write(p[:b.left])                // the break below is what counts
	_ = http.NewResponseController(b.w).Flush() // likewise
	panic(http.ErrAbortHandler)
}
