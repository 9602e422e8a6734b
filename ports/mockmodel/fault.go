package mockmodel

import (
	"net/http"
	"strconv"
	"time"
)

// play does what goes wrong before an answer; false if there is to be none.
func (f *Fault) play(w http.ResponseWriter, r *http.Request, wire protocol, c *Conversation) bool {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			panic(http.ErrAbortHandler) // an empty answer would be one
		}
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		if f.RetryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		}
		msg := f.Message
		if msg == "" {
			msg = "mock model: " + http.StatusText(f.Status)
		}
		reject(w, wire, f.Status, msg)
		return false
	case f.RejectTools && len(c.Tools) > 0:
		msg := f.Message
		if msg == "" {
			msg = "this model does not support tools"
		}
		reject(w, wire, http.StatusBadRequest, msg)
		return false
	case f.Garbage:
		garbage(w, c.Stream)
		return false
	}
	return true
}

// garbage is an answer that looks like one from afar.
func garbage(w http.ResponseWriter, stream bool) {
	mime, body := "application/json", "<html><body>\xff\xfe{\"choices\": [</body>"
	if stream {
		mime, body = "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\n\n\xff\xfe: \x00\ndata\ndata: ]}\n\n"
	}
	w.Header().Set("Content-Type", mime)
	_, _ = w.Write([]byte(body)) // a client that left is no matter
}
