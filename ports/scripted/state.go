package scripted

import (
	"context"

	"github.com/wb-agent/wb/ports"
)

// alive fails once the browser is given back or gone.
func (b *Browser) alive() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over == nil && b.ctx.Err() != nil {
		return browserGone()
	}
	return b.over
}

// bump wakes those who wait for a change; b.mu is held.
func (b *Browser) bump() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// until waits for what ready says, asked under b.mu after each change.
func (b *Browser) until(ctx context.Context, ready func() (bool, error)) error {
	for {
		b.mu.Lock()
		ok, err := ready()
		wake := b.changed
		b.mu.Unlock()
		if ok || err != nil {
			return err
		}
		select {
		case <-wake:
		case <-b.ctx.Done():
			return browserGone()
		case <-ctx.Done():
			return late(ctx, "the page")
		}
	}
}

// notice remembers what happened; b.mu is held.
func (b *Browser) notice(n ports.Notice) {
	b.seq++
	n.Seq = b.seq
	b.notices = append(b.notices[max(0, len(b.notices)-maxNotices+1):], n)
}

// Notices implements ports.Browser.
func (b *Browser) Notices(since int64) []ports.Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := []ports.Notice{}
	for _, n := range b.notices {
		if n.Seq > since {
			out = append(out, n)
		}
	}
	return out
}

// Tabs implements ports.Browser. Only lent tabs are listed: the others are the person's.
func (b *Browser) Tabs(ctx context.Context) ([]ports.TabInfo, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	list := b.list()
	b.mu.Unlock()
	out := []ports.TabInfo{}
	for _, t := range list {
		if i, err := t.Info(ctx); err == nil {
			out = append(out, i)
		}
	}
	return out, b.alive()
}

// Open implements ports.Browser. The tab opens behind the one that the person looks at.
func (b *Browser) Open(ctx context.Context, url string) (ports.Tab, error) {
	var i tabSeen
	if err := b.do(ctx, "tabs.create", obj{}, true, &i); err != nil {
		return nil, err
	}
	id, err := b.known(ctx, i.Tab, i)
	if err != nil {
		return nil, err
	}
	t, err := b.Tab(ctx, id)
	if err != nil || url == "" {
		return t, err
	}
	return t, t.(*Tab).begin(ctx, url)
}

// begin starts to load a new tab's first page and waits until it is there, but not for long: a tab that is moved on
// while it is empty still forgets where it went first.
func (t *Tab) begin(ctx context.Context, url string) error {
	if err := t.b.do(ctx, "tab.nav", obj{"tab": t.number, "url": url}, true, nil); err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	err := t.b.until(soon, func() (bool, error) {
		return t.documents > 0 && t.frames[0].ready || t.failures > 0 || t.refused != nil, t.trouble()
	})
	if ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		return nil // it loads still
	}
	return err
}

// Tab implements ports.Browser.
func (b *Browser) Tab(_ context.Context, id string) (ports.Tab, error) {
	if err := b.alive(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if t := b.find(id); t != nil {
		return t, nil
	}
	return nil, ports.NewError(ports.CodeTabGone, "no tab "+cut(id, 60), "list the tabs and go on in another one")
}

// RefsAbove makes refs of lent tabs, and of those that are lent from now on, begin above n.
func (b *Browser) RefsAbove(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.base = max(b.base, n)
	for _, t := range b.tabs {
		t.maxRef = max(t.maxRef, n)
	}
}

// Fence implements ports.Fenced.
func (b *Browser) Fence(judge func(ports.Navigation) error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.judge = judge
}

// Close implements ports.Browser: every tab is given back.
func (b *Browser) Close() error {
	b.mu.Lock()
	list := b.list()
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, returnTime)
	defer cancel()
	for _, t := range list {
		b.giveBack(ctx, t)
	}
	b.close()
	return nil
}
