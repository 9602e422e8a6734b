package settle

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

const (
	// streamQuiet is after how long without data an answered request counts as a stream that nobody waits for.
	streamQuiet = 300 * time.Millisecond
	// maxLog bounds the requests that are remembered for receipts, maxOpen those under way.
	maxLog, maxOpen = 200, 5000
	// maxTold is how many requests a receipt tells of, the newest.
	maxTold = 12
)

// Traffic is the network as the page sees it: the driver reports requests, without those that nobody waits for.
// It is safe for concurrent use.
type Traffic struct {
	mu    sync.Mutex
	open  map[string]*request
	log   []*request // the last ones, oldest first
	begun int        // requests so far
	ended time.Time  // when the last one finished
}

type request struct {
	n        int // in order of beginning
	answered bool
	heard    time.Time
	done     time.Time
	tells    bool
	seen     ports.Request
}

// NewTraffic returns a network in which nothing has happened.
func NewTraffic() *Traffic { return &Traffic{open: map[string]*request{}} }

// Begun reports a request, or that one goes on elsewhere after a redirect. tells: a receipt tells of it even when
// it is a plain GET, as of documents and of data that a script asked for.
func (w *Traffic) Begun(id, method, url string, tells bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.open[id]; r != nil {
		r.answered, r.heard = false, time.Now()
		return
	}
	if len(w.open) > maxOpen {
		clear(w.open)
	}
	w.begun++
	r := &request{n: w.begun, heard: time.Now(), tells: tells, seen: ports.Request{Method: method, URL: shownURL(url)}}
	w.open[id] = r
	w.log = append(w.log[max(0, len(w.log)-maxLog+1):], r)
}

// Answered reports the status of a request's answer, whose data may be still to come.
func (w *Traffic) Answered(id string, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.open[id]; r != nil {
		r.answered, r.heard, r.seen.Status = true, time.Now(), status
	}
}

// Data reports that more of an answer came.
func (w *Traffic) Data(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r := w.open[id]; r != nil {
		r.heard = time.Now()
	}
}

// Ended reports the end of a request; failed says why there is no answer, "" if there is one.
func (w *Traffic) Ended(id, failed string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.open[id]
	if r == nil {
		return
	}
	r.seen.Failed, r.done = cut(failed, 80), time.Now()
	delete(w.open, id)
	w.ended = time.Now()
}

// Lost forgets the requests under way: nobody will hear of their ends.
func (w *Traffic) Lost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.open)
}

func (w *Traffic) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.begun
}

// since looks at the requests begun after the n-th, which was at a time. What the page asked for all the time
// before is not the action's.
func (w *Traffic) since(n int, at, now time.Time) (out network) {
	w.mu.Lock()
	defer w.mu.Unlock()
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
			out.pending++
		}
	}
	out.any = w.begun > n && len(w.log) == 0
	for _, r := range w.log {
		out.any = out.any || r.n > n && !w.polls(r, n, at)
	}
	out.quiet = now.Sub(w.ended)
	return out
}

// polls reports whether a request repeats one that was made twice before, or that was under way at the time.
func (w *Traffic) polls(r *request, n int, at time.Time) bool {
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

// caused lists the requests begun after the n-th that a receipt tells of: what scripts and forms send, and
// what failed.
func (w *Traffic) caused(n int) []ports.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []ports.Request
	for _, r := range w.log {
		if r.n > n && (r.tells || r.seen.Method != "GET" || r.seen.Failed != "" || r.seen.Status >= 400) {
			out = append(out, r.seen)
		}
	}
	return out[max(0, len(out)-maxTold):]
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

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
