package scripted

import (
	"net/url"
	"time"

	"github.com/wb-agent/wb/ports"
)

// traffic is the network as a tab's pages see it. Fields are guarded by Browser.mu.
type traffic struct {
	open  map[string]*sent
	log   []*sent
	begun int
	ended time.Time
	top   int // requests for the top document that are under way
}

type sent struct {
	n    int
	seen ports.Request
	top  bool
	tell bool
}

// exchange takes in a request or its end; with Browser.mu held.
func (t *Tab) exchange(method string, e told, id string) {
	if e.Type == "main_frame" {
		t.top(method, e, id)
	}
	if method == "net.begun" {
		t.net.begin(id, e)
	} else {
		t.net.end(id, e, method == "net.redirected")
	}
}

// top takes in a request for the top document.
func (t *Tab) top(method string, e told, id string) {
	switch {
	case method == "net.begun":
		t.going = id
		if len(t.hops) < 100 {
			t.hops = append(t.hops, bare(e.URL))
		}
	case method == "net.ended" && id == t.going:
		t.status = e.Status
		if e.Text != "" && e.Text != "NS_BINDING_ABORTED" || e.Status == 204 || e.Status == 205 {
			t.notLoaded(e)
		}
	}
}

func (w *traffic) begin(id string, e told) {
	if e.Type == "image" || e.Type == "beacon" || e.Type == "websocket" || w.open[id] != nil || len(w.open) > 2000 {
		return
	}
	document := e.Type == "main_frame" || e.Type == "sub_frame"
	w.begun++
	s := &sent{n: w.begun, top: e.Type == "main_frame", tell: document || e.Type == "xmlhttprequest", seen: ports.Request{Method: cut(e.Method, 20), URL: bareURL(e.URL)}}
	if s.top {
		w.top++
	}
	w.open[id] = s
	w.log = append(w.log[max(0, len(w.log)-199):], s)
}

func (w *traffic) end(id string, e told, redirected bool) {
	s := w.open[id]
	if s == nil {
		return
	}
	s.seen.Status, s.seen.Failed = e.Status, cut(e.Text, 80)
	if s.top {
		w.top--
	}
	delete(w.open, id)
	if !redirected {
		w.ended = time.Now()
	}
}

// since counts the requests begun after the n-th that are waited for, and says whether there were any.
func (w *traffic) since(n int) (pending int, some bool) {
	for _, s := range w.open {
		if s.n > n {
			pending++
		}
	}
	return pending, w.begun > n
}

// caused lists the requests begun after the n-th that tell what an action did.
func (w *traffic) caused(n int) []ports.Request {
	var out []ports.Request
	for _, s := range w.log {
		if s.n > n && (s.tell || s.seen.Method != "GET") {
			out = append(out, s.seen)
		}
	}
	return out[max(0, len(out)-12):]
}

// bareURL is a URL without its query.
func bareURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "…"
	}
	u.User, u.Fragment, u.RawQuery = nil, "", ""
	return cut(u.String(), 200)
}
