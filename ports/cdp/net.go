package cdp

import (
	"time"
)

// streamQuiet is after how long without data an answered request counts as a stream that nobody waits for.
const streamQuiet = 300 * time.Millisecond

// traffic is the network as the page sees it: requests in flight, without those a person never waits for.
type traffic struct {
	open   map[string]*request
	begun  int       // requests so far
	ended  time.Time // when the last one finished
	status map[string]int
}

type request struct {
	n        int // in order of beginning
	answered bool
	heard    time.Time
}

func newTraffic() *traffic {
	return &traffic{open: map[string]*request{}, status: map[string]int{}}
}

// since counts requests begun after the n-th that are still waited for, and says whether there were any.
func (w *traffic) since(n int, now time.Time) (pending int, any bool) {
	for id, r := range w.open {
		if r.n <= n {
			continue
		}
		if r.answered && now.Sub(r.heard) > streamQuiet {
			delete(w.open, id)
			w.ended = r.heard
			continue
		}
		pending++
	}
	return pending, w.begun > n
}

type requestEvent struct {
	RequestID string `json:"requestId"`
	LoaderID  string `json:"loaderId"`
	Type      string `json:"type"`
	Response  struct {
		Status int `json:"status"`
	} `json:"response"`
}

// awaited tells requests whose end a page may be waiting for.
func awaited(kind string) bool {
	switch kind {
	case "Ping", "EventSource", "Media", "Prefetch", "WebSocket", "CSPViolationReport", "Preflight":
		return false
	}
	return true
}

func (t *Tab) onRequest(_ string, e requestEvent) bool {
	if !awaited(e.Type) {
		return false
	}
	if r := t.net.open[e.RequestID]; r != nil {
		r.answered, r.heard = false, time.Now() // a redirect
		return true
	}
	if len(t.net.open) > 5000 {
		t.net.open = map[string]*request{}
	}
	t.net.begun++
	t.net.open[e.RequestID] = &request{n: t.net.begun, heard: time.Now()}
	return true
}

func (t *Tab) onResponse(_ string, e requestEvent) bool {
	if r := t.net.open[e.RequestID]; r != nil {
		r.answered, r.heard = true, time.Now()
	}
	if e.Type == "Document" && e.LoaderID != "" {
		if len(t.net.status) > 64 {
			t.net.status = map[string]int{}
		}
		t.net.status[e.LoaderID] = e.Response.Status
		return true
	}
	return false
}

func (t *Tab) onData(_ string, e requestEvent) bool {
	if r := t.net.open[e.RequestID]; r != nil {
		r.heard = time.Now()
	}
	return false
}

func (t *Tab) onLoaded(_ string, e requestEvent) bool {
	if t.net.open[e.RequestID] == nil {
		return false
	}
	delete(t.net.open, e.RequestID)
	t.net.ended = time.Now()
	return true
}
