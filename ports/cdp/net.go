package cdp

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// streamQuiet is after how long without data an answered request counts as a stream that nobody waits for.
const streamQuiet = 300 * time.Millisecond

// traffic is the network as the page sees it: requests in flight, without those a person never waits for.
type traffic struct {
	open   map[string]*request
	begun  int       // requests so far
	ended  time.Time // when the last one finished
	status map[string]int
	log    []*request // the last ones, oldest first
}

// logged bounds the requests that are remembered for receipts.
const logged = 200

type request struct {
	n        int // in order of beginning
	answered bool
	heard    time.Time
	done     time.Time
	tells    bool // of what an action did: a document, or data that a script asked for
	seen     ports.Request
}

// caused lists the requests begun after the n-th that a receipt tells of: what scripts and forms send, and
// what failed; the newest 12.
func (w *traffic) caused(n int) []ports.Request {
	var out []ports.Request
	for _, r := range w.log {
		if r.n > n && (r.tells || r.seen.Method != "GET" || r.seen.Failed != "" || r.seen.Status >= 400) {
			out = append(out, r.seen)
		}
	}
	return out[max(0, len(out)-12):]
}

func newTraffic() *traffic {
	return &traffic{open: map[string]*request{}, status: map[string]int{}}
}

// since counts requests begun after the n-th that are still waited for, and says whether there were any.
// What the page asked for all the time before is not the action's.
func (w *traffic) since(n int, at, now time.Time) (pending int, any bool) {
	for id, r := range w.open {
		if r.n <= n {
			continue
		}
		if r.answered && now.Sub(r.heard) > streamQuiet {
			delete(w.open, id)
			w.ended = r.heard
			continue
		}
		if !w.polls(r, n, at) {
			pending++
		}
	}
	for _, r := range w.log {
		any = any || r.n > n && !w.polls(r, n, at)
	}
	return pending, any || w.begun > n && len(w.log) == 0
}

// polls reports whether a request repeats one that was made twice before, or that was under way at the time.
func (w *traffic) polls(r *request, n int, at time.Time) bool {
	if r.seen.Method != "GET" {
		return false
	}
	before := 0
	for _, q := range w.log {
		if q.n > n || q.seen.Method != "GET" || q.seen.URL != r.seen.URL {
			continue
		}
		before++
		if q.done.IsZero() || q.done.After(at) {
			return true
		}
	}
	return before >= 2
}

type requestEvent struct {
	RequestID string `json:"requestId"`
	LoaderID  string `json:"loaderId"`
	Type      string `json:"type"`
	Request   struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
	ErrorText string `json:"errorText"`
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
	r := &request{n: t.net.begun, heard: time.Now(), tells: e.Type == "XHR" || e.Type == "Fetch" || e.Type == "Document",
		seen: ports.Request{Method: e.Request.Method, URL: shownURL(e.Request.URL)}}
	t.net.open[e.RequestID] = r
	t.net.log = append(t.net.log[max(0, len(t.net.log)-logged+1):], r)
	return true
}

// shownURL is a URL without its query's values, which may be what somebody typed.
func shownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		scheme, _, _ := strings.Cut(raw, ":")
		return cut(scheme, 20) + ":…"
	}
	keys := slices.Sorted(maps.Keys(u.Query()))
	u.User, u.Fragment, u.RawQuery = nil, "", strings.Join(keys, "&")
	return cut(u.String(), 200)
}

func (t *Tab) onResponse(_ string, e requestEvent) bool {
	if r := t.net.open[e.RequestID]; r != nil {
		r.answered, r.heard, r.seen.Status = true, time.Now(), e.Response.Status
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
	r := t.net.open[e.RequestID]
	if r == nil {
		return false
	}
	r.seen.Failed, r.done = cut(e.ErrorText, 80), time.Now()
	delete(t.net.open, e.RequestID)
	t.net.ended = time.Now()
	return true
}
