package cdp

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wb-agent/wb/ports/settle"
)

// poll is how often a page that has not come to rest is asked again.
const poll = 15 * time.Millisecond

// watched is a tab as settle sees it.
type watched struct{ t *Tab }

func (w watched) Script(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error) {
	return w.t.script(ctx, frame, "read", op, args)
}

func (w watched) Document(frame string) (settle.Document, bool) {
	w.t.b.mu.Lock()
	defer w.t.b.mu.Unlock()
	f := w.t.named(frame)
	if f == nil {
		return settle.Document{}, false
	}
	return settle.Document{ID: string(f.loader), URL: f.url, Loaded: f.ready == f.loader && f.isolated != ""}, true
}

func (w watched) Trouble() error { return w.t.problem() }

// Noticed lists popups, downloads, dialogs and blocked loads.
func (w watched) Noticed(since int64) (said []string, last int64) {
	b := w.t.b
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, n := range b.notices {
		p := b.tabs[n.Tab]
		switch {
		case n.Seq <= since:
		case n.Kind == "popup" && p != nil && p.opener == w.t.id:
			said = append(said, "new tab opened: "+n.Tab+" "+p.top().url)
		case n.Tab == w.t.id && n.Kind != "popup" && n.Kind != "dialog_closed":
			said = append(said, n.Text)
		}
	}
	return said, b.seq
}
