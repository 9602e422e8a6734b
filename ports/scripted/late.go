package scripted

import (
	"context"
	"encoding/json"

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
	k.notice, k.documents = t.b.seq, map[string]int{}
	for _, n := range both(k.frame) {
		if f := t.named(n); f != nil {
			k.documents[n] = f.document
		}
	}
	t.marks.after = &k
}

// gone says whether a document of the last action has been replaced since its receipt, and what the browser did,
// and forgets the action.
func (t *Tab) gone() []string {
	t.b.mu.Lock()
	k := t.marks.after
	t.marks.after = nil
	replaced := false
	if k != nil {
		for _, n := range both(k.frame) {
			f := t.named(n)
			replaced = replaced || f == nil || f.document != k.documents[n]
		}
	}
	url := t.url()
	t.b.mu.Unlock()
	if k == nil {
		return []string{}
	}
	out := t.noticed(k.notice)
	if replaced {
		out = append(out, "another document was loaded: "+url)
	}
	return out
}

// late answers what has happened since the last receipt: what the browser did, another document, or else what
// the page script has seen in the frame of the action. Nothing is told twice.
func (t *Tab) late(ctx context.Context) (json.RawMessage, error) {
	t.b.mu.Lock()
	k := t.marks.after
	t.b.mu.Unlock()
	since := t.gone()
	if k != nil && len(since) == 0 {
		var r struct{ Since []string }
		if err := t.ask(ctx, k.frame, "late", nil, &r); err != nil && ports.CodeOf(err) != ports.CodeStaleRef {
			return nil, err
		}
		since = append(since, r.Since...)
		t.watchOn(*k)
	}
	return json.Marshal(obj{"since": since})
}
