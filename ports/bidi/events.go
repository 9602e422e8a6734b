package bidi

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/wb-agent/wb/ports"
)

// contextInfo is a browsing context as getTree and contextCreated tell it.
type contextInfo struct {
	Context  string        `json:"context"`
	Parent   string        `json:"parent"`
	URL      string        `json:"url"`
	Opener   string        `json:"originalOpener"`
	Children []contextInfo `json:"children"`
}

// frame is a document's place in a tab. Fields are guarded by Browser.mu.
type frame struct {
	id, parent string
	tab        *Tab
	n          int
	url        string
	document   int // counts the documents it has shown
	ready      bool
	owner      string // ref of its element, in the parent's document ownerIn
	ownerIn    int
}

// handlers are what is done about each event, with Browser.mu held.
var handlers = map[string]func(*Browser, json.RawMessage){
	"browsingContext.contextCreated":      on(func(b *Browser, e contextInfo) { b.plant(e) }),
	"browsingContext.contextDestroyed":    on((*Browser).destroyed),
	"browsingContext.navigationStarted":   on((*Browser).started),
	"browsingContext.navigationCommitted": on((*Browser).committed),
	"browsingContext.fragmentNavigated":   on((*Browser).moved),
	"browsingContext.historyUpdated":      on((*Browser).moved),
	"browsingContext.domContentLoaded":    on((*Browser).loaded),
	"browsingContext.load":                on((*Browser).loaded),
	"browsingContext.navigationFailed":    on((*Browser).navFailed),
	"browsingContext.navigationAborted":   on((*Browser).navFailed),
	"browsingContext.userPromptOpened":    on((*Browser).promptOpened),
	"browsingContext.userPromptClosed":    on((*Browser).promptClosed),
	"browsingContext.downloadWillBegin":   on((*Browser).download),
	"script.message":                      on((*Browser).spoke),
	"network.beforeRequestSent":           on((*Browser).request),
	"network.responseCompleted":           on((*Browser).answered),
	"network.fetchError":                  on((*Browser).answered),
}

// on decodes an event; one that does not decode is dropped.
func on[T any](f func(*Browser, T)) func(*Browser, json.RawMessage) {
	return func(b *Browser, raw json.RawMessage) {
		var e T
		if json.Unmarshal(raw, &e) == nil {
			f(b, e)
		}
	}
}

// plant learns a context and those in it.
func (b *Browser) plant(i contextInfo) {
	if b.frames[i.Context] == nil {
		f := &frame{id: i.Context, parent: i.Parent, url: i.URL, ready: true}
		if i.Parent == "" {
			f.tab = newTab(b, i.Context, i.Opener)
			b.active = i.Context
			b.tabs[i.Context] = f.tab
			if i.Opener != "" {
				b.notice(ports.Notice{Kind: "popup", Tab: i.Context, Text: "a tab was opened by the page", URL: i.URL})
			}
		} else if p := b.frames[i.Parent]; p != nil {
			f.tab = p.tab
		}
		if f.tab == nil {
			return
		}
		f.n = f.tab.nextFrame
		f.tab.nextFrame++
		b.frames[i.Context] = f
	}
	for _, c := range i.Children {
		if c.Parent == "" {
			c.Parent = i.Context
		}
		b.plant(c)
	}
}

func (b *Browser) destroyed(e contextInfo) {
	f := b.frames[e.Context]
	if f == nil {
		return
	}
	for id, g := range b.frames {
		for at := g; at != nil; at = b.frames[at.parent] {
			if at == f {
				defer delete(b.frames, id)
				break
			}
		}
	}
	if t := b.tabs[e.Context]; t != nil {
		t.closed = true
		t.halt()
		delete(b.tabs, e.Context)
	}
}

// navigation is what navigation events carry.
type navigation struct {
	Context    string `json:"context"`
	Navigation string `json:"navigation"`
	URL        string `json:"url"`
	Message    string `json:"message"`
}

func (b *Browser) started(e navigation) {
	if f := b.frames[e.Context]; f != nil && f.n == 0 {
		f.tab.going = e.Navigation
	}
}

func (b *Browser) committed(e navigation) {
	f := b.frames[e.Context]
	if f == nil {
		return
	}
	f.document++
	f.url, f.ready = e.URL, false
	if f.n == 0 {
		f.tab.documents++
	}
}

func (b *Browser) moved(e navigation) {
	if f := b.frames[e.Context]; f != nil {
		f.url = e.URL
	}
}

func (b *Browser) loaded(e navigation) {
	if f := b.frames[e.Context]; f != nil {
		f.url, f.ready = e.URL, true
	}
}

func (b *Browser) navFailed(e navigation) {
	if f := b.frames[e.Context]; f != nil && f.n == 0 {
		f.tab.failed = e.Navigation
	}
}

// prompt is an open JavaScript dialog.
type prompt struct {
	Context string `json:"context"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Default string `json:"defaultValue"`
}

func (b *Browser) promptOpened(e prompt) {
	f := b.frames[e.Context]
	if f == nil {
		return
	}
	t := f.tab
	if e.Type == "alert" { // it only tells: nobody is asked
		b.notice(ports.Notice{Kind: "dialog", Tab: t.id, Text: "alert " + strconv.Quote(cut(e.Message, 200)) + " was accepted"})
		go b.c.call(context.Background(), t.b.c.gone, "browsingContext.handleUserPrompt", obj{"context": t.id, "accept": true}, nil)
		return
	}
	t.dialog = &e
	b.notice(ports.Notice{Kind: "dialog", Tab: t.id, Text: "a JavaScript " + e.Type + " opened: " + cut(e.Message, 200)})
	t.halt()
}

func (b *Browser) promptClosed(e prompt) {
	if f := b.frames[e.Context]; f != nil && f.tab.dialog != nil {
		f.tab.dialog = nil
		b.notice(ports.Notice{Kind: "dialog_closed", Tab: f.tab.id})
		f.tab.unhalt()
	}
}

func (b *Browser) download(e struct {
	Context string `json:"context"`
	URL     string `json:"url"`
	Name    string `json:"suggestedFilename"`
}) {
	if f := b.frames[e.Context]; f != nil {
		b.notice(ports.Notice{Kind: "download", Tab: f.tab.id, Text: "a download was offered and denied: " + cut(e.Name, 100), URL: e.URL})
		f.tab.downloads++
	}
}

// exchange is what network events carry.
type exchange struct {
	Context    string `json:"context"`
	Navigation string `json:"navigation"`
	Blocked    bool   `json:"isBlocked"`
	Redirects  int    `json:"redirectCount"`
	ErrorText  string `json:"errorText"`
	Request    struct {
		Request     string `json:"request"`
		URL         string `json:"url"`
		Method      string `json:"method"`
		Destination string `json:"destination"`
		Initiator   string `json:"initiatorType"`
	} `json:"request"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
}

func (b *Browser) request(e exchange) {
	f := b.frames[e.Context]
	if r := e.Request; f != nil && r.Destination != "image" && r.Initiator != "beacon" {
		f.tab.watch.Net.Begun(r.Request, r.Method, r.URL, e.Navigation != "" || r.Initiator == "fetch" || r.Initiator == "xmlhttprequest")
	}
	if e.Blocked {
		go b.pass(e, b.judgment(f, e))
	}
}

// judgment asks the fence about a document request; nil lets it through.
func (b *Browser) judgment(f *frame, e exchange) error {
	framed := e.Request.Destination == "object" || e.Request.Destination == "embed" // a document, once it has come
	if b.judge == nil || f == nil || e.Navigation == "" && !framed {
		return nil
	}
	n := ports.Navigation{Tab: f.tab.id, Opener: f.tab.opener, URL: e.Request.URL, From: f.url, Method: e.Request.Method, Frame: f.n != 0 || framed, User: f.n == 0 && f.tab.ours && !framed}
	err := b.judge(n)
	if err != nil {
		b.notice(ports.Notice{Kind: "blocked", Tab: f.tab.id, Text: "the page was kept from going to " + cut(e.Request.URL, 200) + ": " + err.Error(), URL: e.Request.URL})
		if f.n == 0 && !framed {
			f.tab.refused = err
		}
	}
	return err
}

func (b *Browser) answered(e exchange) {
	if f := b.frames[e.Context]; f != nil {
		f.tab.watch.Net.Answered(e.Request.Request, e.Response.Status)
		f.tab.watch.Net.Ended(e.Request.Request, e.ErrorText)
		if e.Navigation != "" && f.n == 0 {
			f.tab.status = e.Response.Status
		}
	}
}

// originOf names an origin as ports.Frame does.
func originOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Scheme + "://" + u.Host
	}
	return "null"
}
