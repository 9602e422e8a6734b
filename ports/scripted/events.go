package scripted

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// tabSeen is a tab as the extension sees it.
type tabSeen struct {
	Tab    int    `json:"tab"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Opener int    `json:"opener"`
}

// told is what the extension tells of a frame, a request or a document that is about to be loaded.
type told struct {
	Tab    int    `json:"tab"`
	Frame  int    `json:"frame"`
	URL    string `json:"url"`
	Text   string `json:"text"`
	Type   string `json:"type"`
	Method string `json:"method"`
	From   string `json:"from"`
	Status int    `json:"status"`
}

// frame is a document's place in a tab. Fields are guarded by Browser.mu.
type frame struct {
	number, parent int // the browser's own
	n              int
	url            string
	document       int // counts the documents it has shown
	ready          bool
	doc            string // the page script's name for its document, once it has been asked
	moves          int    // within a document
	owner          string // ref of its element
}

// event takes in what the extension tells.
func (b *Browser) event(method string, raw json.RawMessage) {
	switch method {
	case "over":
		b.mu.Lock()
		b.over = browserGone()
		b.bump()
		b.mu.Unlock()
		b.close()
		return
	case "anew":
		go b.again()
		return
	case "judge":
		b.asked(raw)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.bump()
	if method == "tab.opened" {
		var i tabSeen
		if json.Unmarshal(raw, &i) == nil && b.tabs[i.Tab] == nil {
			t := b.plant(i.Tab, i)
			b.notice(ports.Notice{Kind: "popup", Tab: t.id, Text: "a tab was opened by the page", URL: i.URL})
		}
		return
	}
	var e struct {
		told
		ID string `json:"id"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return
	}
	if t := b.tabs[e.Tab]; t != nil {
		t.hear(method, e.told, e.ID)
	}
}

// hear takes in what happens in a tab; with Browser.mu held.
func (t *Tab) hear(method string, e told, request string) {
	f := t.frames[e.Frame]
	switch method {
	case "tab.removed":
		t.b.drop(t)
	case "tab.going":
		t.start, t.hops, t.going = t.placeNow(), nil, ""
		t.frames[0].ready = false
	case "frame.committed":
		t.committed(f, e)
	case "frame.loaded":
		t.loaded(f, e)
	case "frame.moved":
		if f != nil {
			f.url, f.ready = e.URL, f.ready || e.Frame == 0 && t.ours
			f.moves++
		}
	case "frame.failed":
		if e.Frame == 0 && e.Text != aborted && e.Text != cancelled {
			t.notLoaded(e)
		}
	case "net.begun", "net.redirected", "net.ended":
		t.exchange(method, e, request)
	case "download":
		t.b.notice(ports.Notice{Kind: "download", Tab: t.id, Text: "a download began: " + cut(e.Text, 100), URL: e.URL})
		t.downloads++
		t.frames[0].ready = true
	}
}

// fresh tells a new tab's own empty page, which comes late.
func (t *Tab) fresh(f *frame, e told) bool {
	return e.Frame == 0 && e.URL == "about:blank" && f.url == e.URL && f.document == 0 && t.goal != e.URL
}

func (t *Tab) committed(f *frame, e told) {
	if f == nil || t.fresh(f, e) {
		return // a frame is found when somebody looks at the frames
	}
	f.document++
	f.url, f.ready, f.doc = e.URL, false, ""
	if e.Frame != 0 {
		return
	}
	t.documents++
	if t.goal == "" || bare(e.URL) == bare(t.goal) || slices.Contains(t.hops, bare(e.URL)) {
		t.landings++
	}
	for n := range t.frames {
		if n != 0 {
			delete(t.frames, n)
		}
	}
}

func (t *Tab) loaded(f *frame, e told) {
	switch {
	case f == nil || t.fresh(f, e) || e.URL == "about:blank" && f.url != e.URL: // of the page before
	case strings.HasPrefix(e.URL, "about:neterror") || strings.HasPrefix(e.URL, "about:certerror") || strings.HasPrefix(e.URL, "about:blocked"):
		f.ready = true
		if e.Frame == 0 {
			u, _ := url.Parse(e.URL) // without it the words are missing
			if e.Text = "the browser shows an error page"; u != nil && u.Query().Get("e") != "" {
				e.Text = u.Query().Get("e")
			}
			t.notLoaded(e)
		}
	default:
		f.url, f.ready = e.URL, true
	}
}

// notLoaded remembers a top document that did not come; with Browser.mu held.
func (t *Tab) notLoaded(e told) {
	t.frames[0].ready = true
	t.failedWhy = e.Text
	t.failures++
}

// bare is an address without its fragment.
func bare(u string) string { b, _, _ := strings.Cut(u, "#"); return b }

const againTime = 20 * time.Second

// again takes the tabs anew from a background that has started anew: what happened meanwhile was not told.
func (b *Browser) again() {
	ctx, cancel := context.WithTimeout(b.ctx, againTime)
	defer cancel()
	b.mu.Lock()
	list := b.list()
	b.mu.Unlock()
	for _, t := range list {
		var i tabSeen
		err := b.do(ctx, "tab.lend", obj{"tab": t.number}, false, &i)
		if err == nil {
			_ = t.refresh(ctx) // who asks next looks again
		}
		b.mu.Lock()
		if ports.CodeOf(err) == ports.CodeTabGone {
			b.drop(t)
		}
		for _, f := range t.frames {
			f.ready = true
		}
		clear(t.loads)
		t.watch.Net.Lost()
		b.bump()
		b.mu.Unlock()
	}
}
