package scripted

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/wb-agent/wb/ports"
)

const answerTime = 5 * time.Second // after that the extension does not wait any more

// asked answers what the extension asks of a document that is about to be loaded.
func (b *Browser) asked(raw json.RawMessage) {
	var e struct {
		told
		ID int `json:"id"`
	}
	if json.Unmarshal(raw, &e) != nil {
		return // it refuses by itself
	}
	allow := b.judgment(e.told) == nil
	go func() {
		ctx, cancel := context.WithTimeout(b.ctx, answerTime)
		defer cancel()
		_ = b.do(ctx, "judge.answer", obj{"id": e.ID, "allow": allow}, false, nil) // without an answer it refuses
	}()
}

func (b *Browser) judgment(e told) error {
	b.mu.Lock()
	t := b.tabs[e.Tab]
	if t == nil {
		b.mu.Unlock()
		return browserGone() // lent by nobody that is left
	}
	judge := b.judge
	framed := e.Type != "main_frame"
	n := ports.Navigation{Tab: t.id, Opener: t.opener, URL: e.URL, From: e.From, Method: e.Method, Frame: framed, User: !framed && t.ours}
	if !framed && t.frames[0] != nil && t.frames[0].url != "about:blank" {
		n.From = t.frames[0].url
	}
	b.mu.Unlock()
	if judge == nil {
		return nil
	}
	err := judge(n)
	if err == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notice(ports.Notice{Kind: "blocked", Tab: t.id, Text: "the page was kept from going to " + cut(e.URL, 200) + ": " + err.Error(), URL: e.URL})
	if !framed {
		t.refused = err
		t.frames[0].ready = true
	}
	b.bump()
	return err
}

// mayGo judges an address that no request will show to the fence.
func (t *Tab) mayGo(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case raw == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https" || raw == "about:blank"):
		return nil
	case err != nil || u.Scheme == "javascript" || u.Scheme == "":
		return ports.NewError(ports.CodeInvalidArgs, cut(raw, 60)+" is no place to go", "give an absolute http or https URL")
	}
	return ports.NewError(ports.CodeBlocked, "a lent tab does not go to "+u.Scheme+": addresses", "give an absolute http or https URL")
}
