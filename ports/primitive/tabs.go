package primitive

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/wb-agent/wb/ports"
)

// tabsArgs is the arguments of browser.tabs.
type tabsArgs struct {
	Op     string `json:"op"` // list, open, activate, close or dialog
	Tab    string `json:"tab"`
	URL    string `json:"url"`
	Accept bool   `json:"accept"`
	Text   string `json:"text"`
}

// listed is a tab with what it is to the run.
type listed struct {
	ports.TabInfo
	Current bool `json:"current,omitempty"` // the run works in it
	Own     bool `json:"own,omitempty"`     // the run opened it
}

func (b *Browser) tabs(ctx context.Context, c ports.Call) (ports.Result, error) {
	var a tabsArgs
	if err := json.Unmarshal(orEmpty(c.Args), &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "browser.tabs: "+err.Error(), "")
	}
	br, err := b.get(ctx, c.Run)
	if err != nil {
		return ports.Result{}, err
	}
	switch a.Op {
	case "list":
		return b.list(ctx, br, c.Run)
	case "open":
		t, err := b.open(ctx, br, c.Run)
		if err != nil {
			return ports.Result{}, err
		}
		if a.URL != "" {
			res, err := t.Nav(ctx, ports.Nav{URL: a.URL})
			if err != nil {
				return data(res, err)
			}
		}
		info, err := t.Info(ctx)
		return data(info, err)
	}
	t, _, err := b.Page(ctx, c.Run, a.Tab)
	if err != nil {
		return ports.Result{}, err
	}
	info, err := t.Info(ctx)
	if err != nil {
		return ports.Result{}, err
	}
	switch a.Op {
	case "activate":
		b.mu.Lock()
		b.use(c.Run, info.ID, false)
		b.mu.Unlock()
		return data(info, t.Activate(ctx))
	case "close":
		b.forget(info.ID)
		return data(info, t.Close(ctx))
	}
	return data(info, t.Dialog(ctx, a.Accept, a.Text)) // dialog: the schema knows no other
}

func (b *Browser) list(ctx context.Context, br ports.Browser, run string) (ports.Result, error) {
	infos, err := br.Tabs(ctx)
	if err != nil {
		return ports.Result{}, err
	}
	b.mu.Lock()
	r := b.run(run)
	out := make([]listed, 0, len(infos))
	for _, i := range infos {
		out = append(out, listed{TabInfo: i, Current: i.ID == r.current, Own: slices.Contains(r.own, i.ID)})
	}
	b.mu.Unlock()
	return data(out, nil)
}

// forget takes a closed tab out of every run.
func (b *Browser) forget(tab string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.runs {
		r.own = slices.DeleteFunc(r.own, func(id string) bool { return id == tab })
		if r.current == tab {
			r.current = ""
			if n := len(r.own); n > 0 {
				r.current = r.own[n-1]
			}
		}
	}
}
