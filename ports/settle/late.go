package settle

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/ports"
)

// watchOn remembers an action whose receipt is given now: what its frame shows from here on is late.
func (w *Watch) watchOn(k mark) {
	if k.action {
		k.documents = w.documents(k.frame)
		_, k.notice = w.page.Noticed(0)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = nil
	if k.action {
		w.after = &k
	}
}

// Forget ends the watch: what comes now was asked for.
func (w *Watch) Forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = nil
}

// gone says what the browser did since the receipt of the last action and whether its documents have been
// replaced, and forgets it.
func (w *Watch) gone() []string {
	w.mu.Lock()
	k := w.after
	w.after = nil
	w.mu.Unlock()
	if k == nil {
		return nil
	}
	out, _ := w.page.Noticed(k.notice)
	if w.replaced(*k) != "" {
		top, _ := w.page.Document("f0")
		out = append(out, "another document was loaded: "+top.URL)
	}
	return out
}

// Late answers what has happened since the last receipt: what the browser did, another document, or else
// what the page script has seen in the frame of the action. Nothing is told twice.
func (w *Watch) Late(ctx context.Context) (json.RawMessage, error) {
	w.mu.Lock()
	k := w.after
	w.mu.Unlock()
	since := append([]string{}, w.gone()...)
	if k != nil && len(since) == 0 {
		var r struct{ Since []string }
		if err := w.ask(ctx, k.frame, "late", struct{}{}, &r); err != nil && ports.CodeOf(err) != ports.CodeStaleRef {
			return nil, err
		}
		since = append(since, r.Since...)
		w.watchOn(*k)
	}
	return json.Marshal(map[string]any{"since": since})
}
