package cdp

import (
	"encoding/json"
	"net/url"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/wb-agent/wb/ports"
)

type paused struct {
	RequestID fetch.RequestID `json:"requestId"`
	Request   struct {
		URL    string `json:"url"`
		Method string `json:"method"`
	} `json:"request"`
	FrameID   cdp.FrameID `json:"frameId"`
	NetworkID string      `json:"networkId"`
	Hop       string      `json:"redirectedRequestId"`
}

// onPaused judges one document request or one hop of it; with Browser.mu held. A request that cannot be
// understood does not pass. One that is stopped is broken off rather than blocked, for then Chromium would put
// its own page in place of the one that asked, and any page could so take itself away from who reads it.
func (b *Browser) onPaused(t *Tab, sid string, params []byte) {
	var e paused
	if json.Unmarshal(params, &e) != nil {
		if e.RequestID != "" {
			b.conn.post(sid, fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}, nil)
		}
		return
	}
	f := t.frames[e.FrameID]
	top := f == nil && e.FrameID == cdp.FrameID(t.id) || f != nil && f.n == 0
	n := ports.Navigation{Tab: t.id, Opener: t.first(), URL: e.Request.URL, From: t.from(f, e), Method: e.Request.Method, Frame: !top}
	n.User = top && t.going != nil && e.Hop == "" && (t.going.URL == "" || sameURL(t.going.URL, e.Request.URL))
	t.hops.put(e.NetworkID, e.Request.URL)
	var err error
	if b.judge != nil {
		err = b.judge(n)
	}
	if err == nil {
		b.conn.post(sid, fetch.CommandContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
		return
	}
	b.conn.post(sid, fetch.CommandFailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonAborted}, nil)
	b.note(ports.Notice{Kind: "blocked", Tab: t.id, Text: "navigation blocked: " + err.Error(), URL: n.URL})
	if top {
		t.blocked = &ports.Error{Code: ports.CodeBlocked, Msg: "navigation to " + cut(n.URL, 200) + " was blocked", Fix: ports.FixOf(err), Err: err}
	}
	b.notify()
}

// sameURL compares as a browser would have written them: it adds a slash to a bare host.
func sameURL(a, b string) bool {
	return normal(a) == normal(b)
}

// from names who asks: the hop before, the frame's document, the one around it, or the opener's.
func (t *Tab) from(f *frame, e paused) string {
	if e.Hop != "" {
		if u := t.hops.get(e.NetworkID); u != "" {
			return u
		}
	}
	for range 32 {
		if f == nil {
			break
		}
		if f.url != "" && f.url != "about:blank" {
			return f.url
		}
		f = t.frames[f.parent]
	}
	if o := t.b.tabs[t.opener]; o != nil && o.top() != nil {
		return o.top().url
	}
	return ""
}

// first is the tab at the beginning of the line of openers, "" for a tab that none opened.
func (t *Tab) first() string {
	id := ""
	for range 32 {
		if t == nil || t.opener == "" {
			break
		}
		id = t.opener
		t = t.b.tabs[id]
	}
	return id
}

// hops remembers where the last redirected requests were.
type hops struct {
	ids  [16]string
	urls [16]string
	next int
}

func (h *hops) put(id, to string) {
	if id == "" {
		return
	}
	h.ids[h.next], h.urls[h.next] = id, to
	h.next = (h.next + 1) % len(h.ids)
}

// get returns the latest URL of an id.
func (h *hops) get(id string) string {
	for i := range h.ids {
		at := (h.next - 1 - i + 2*len(h.ids)) % len(h.ids)
		if h.ids[at] == id && id != "" {
			return h.urls[at]
		}
	}
	return ""
}

// judgeLocal judges what no request is sent for, such as file: and data:, before it is asked for.
func (t *Tab) judgeLocal(u *url.URL) error {
	if u.Scheme == "http" || u.Scheme == "https" {
		return nil
	}
	b := t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.judge == nil {
		return nil
	}
	err := b.judge(ports.Navigation{Tab: t.id, URL: u.String(), From: t.from(t.top(), paused{}), Method: "GET", User: true})
	if err == nil {
		return nil
	}
	b.note(ports.Notice{Kind: "blocked", Tab: t.id, Text: "navigation blocked: " + err.Error(), URL: u.String()})
	return &ports.Error{Code: ports.CodeBlocked, Msg: "navigation to " + cut(u.String(), 200) + " was blocked", Fix: ports.FixOf(err), Err: err}
}

// judgeRestored judges a page that came out of the back/forward cache without a request.
func (b *Browser) judgeRestored(t *Tab, f *frame) {
	if b.judge == nil || f.n != 0 {
		return
	}
	if err := b.judge(ports.Navigation{Tab: t.id, URL: f.url, Method: "GET", User: t.going != nil}); err != nil {
		b.conn.post(t.session, page.CommandNavigate, page.NavigateParams{URL: "about:blank"}, nil)
		b.note(ports.Notice{Kind: "blocked", Tab: t.id, Text: "restored page blocked: " + err.Error(), URL: f.url})
	}
}
