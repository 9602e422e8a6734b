package cdp

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"

	"github.com/wb-agent/wb/ports"
)

// watched reports whether a baseline is an action's.
func watched(args json.RawMessage) bool {
	var a struct{ Watch bool }
	return len(args) > 0 && json.Unmarshal(args, &a) == nil && a.Watch
}

// watchOn remembers an action whose receipt is given now: what its frame shows from here on is late.
func (t *Tab) watchOn(k mark) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.marks.after = nil
	if !k.watch {
		return
	}
	k.notice, k.loaders = t.b.seq, map[string]cdp.LoaderID{}
	if f := t.named(k.frame); f != nil {
		k.loaders[k.frame] = f.loader
	}
	if f := t.named("f0"); f != nil {
		k.loaders["f0"] = f.loader
	}
	t.marks.after = &k
}

// gone says whether the documents of the last action have been replaced since its receipt, and forgets it.
func (t *Tab) gone() []string {
	t.b.mu.Lock()
	k := t.marks.after
	t.marks.after = nil
	var out []string
	if k != nil {
		for _, n := range both(k.frame) {
			if f := t.named(n); f == nil || f.loader != k.loaders[n] {
				out = []string{"another document was loaded: " + t.top().url}
				break
			}
		}
	}
	t.b.mu.Unlock()
	if k != nil {
		out = append(t.noticed(k.notice), out...)
	}
	return out
}

// late answers what has happened since the last receipt: what the browser did, another document, or else
// what the page script has seen in the frame of the action. Nothing is told twice.
func (t *Tab) late(ctx context.Context) (json.RawMessage, error) {
	t.b.mu.Lock()
	k := t.marks.after
	t.b.mu.Unlock()
	since := t.gone()
	if k != nil && len(since) == 0 {
		var r struct{ Since []string }
		if err := t.ask(ctx, k.frame, "read", "late", nil, &r); err != nil && ports.CodeOf(err) != ports.CodeStaleRef {
			return nil, err
		}
		since = append(since, r.Since...)
		t.watchOn(*k)
	}
	if since == nil {
		since = []string{}
	}
	return json.Marshal(map[string]any{"since": since})
}

// forget ends the watch: what comes now was asked for.
func (t *Tab) forget() {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.marks.after = nil
}
