package scripted

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

const (
	titleTime = time.Second
	navTime   = 30 * time.Second
	stayTime  = 1500 * time.Millisecond // after which a step through history that shows nothing led nowhere
)

// What Firefox says of a load that an extension has refused, and of one that another one replaced, that shows no
// document, or whose process alone was replaced: its request tells more.
const (
	cancelled = "Error code 2147500036"
	aborted   = "Error code 2152398850"
)

// place is how far a tab has come: what a navigation changes.
type place struct{ documents, landings, failures, downloads, moves int }

// placeNow is where the tab is; with Browser.mu held.
func (t *Tab) placeNow() place {
	return place{t.documents, t.landings, t.failures, t.downloads, t.frames[0].moves}
}

// Nav implements ports.Tab. A page that asks to stay asks the person, Force or not.
func (t *Tab) Nav(ctx context.Context, n ports.Nav) (ports.NavResult, error) {
	ctx, cancel := context.WithTimeout(ctx, navTime)
	defer cancel()
	if err := t.problem(); err != nil {
		return ports.NavResult{}, err
	}
	if err := t.mayGo(n.URL); err != nil {
		return ports.NavResult{}, err
	}
	t.watch.Forget()
	t.b.mu.Lock()
	t.start = t.placeNow()
	t.ours, t.refused, t.status, t.goal = true, nil, 0, n.URL
	t.b.mu.Unlock()
	defer func() {
		t.b.mu.Lock()
		t.ours = false
		t.b.mu.Unlock()
	}()
	args := obj{"tab": t.number}
	switch {
	case n.URL != "":
		args["url"] = n.URL
	case !n.Reload:
		args["delta"] = n.Delta
	}
	if err := t.b.do(ctx, "tab.nav", args, true, nil); err != nil {
		return ports.NavResult{}, t.explain(err)
	}
	t.b.mu.Lock()
	before := t.start
	t.b.mu.Unlock()
	if err := t.landed(ctx, before, n.URL == "" && !n.Reload); err != nil {
		return ports.NavResult{}, err
	}
	return t.arrived(ctx, before)
}

// landed waits for what a navigation comes to.
func (t *Tab) landed(ctx context.Context, before place, history bool) error {
	wait, cancel := ctx, func() {}
	if history {
		wait, cancel = context.WithTimeout(ctx, stayTime)
	}
	defer cancel()
	begun := false
	look := func() (bool, error) {
		if err := t.trouble(); err != nil {
			return false, err
		}
		now := t.placeNow()
		switch {
		case t.refused != nil:
			return false, &ports.Error{Code: ports.CodeBlocked, Msg: t.refused.Error(), Fix: ports.FixOf(t.refused), Err: t.refused}
		case now.downloads > before.downloads:
			return false, ports.NewError(ports.CodeNavFailed, "the page did not load: it is a download", "look at where the tab is")
		case now.failures > before.failures:
			return false, ports.NewError(ports.CodeNavFailed, "the page did not load: "+why(t.failedWhy), "check the address, or try again later")
		case now.landings > before.landings:
			begun = true
			return t.frames[0].ready, nil
		}
		begun = begun || len(t.loads) > 0
		return now.moves > before.moves, nil
	}
	err := t.b.until(wait, look)
	if history && ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		if begun {
			return t.b.until(ctx, look)
		}
		t.b.mu.Lock()
		t.frames[0].ready = true
		t.b.mu.Unlock()
		return ports.NewError(ports.CodeNavFailed, "there is no such page in the tab's history", "give an address")
	}
	return err
}

// why puts Firefox's number of an error into words, for those that are seen often.
func why(text string) string {
	code, err := strconv.ParseUint(strings.TrimPrefix(text, "Error code "), 10, 64)
	if err != nil {
		return cut(text, 100)
	}
	words := map[uint64]string{0x804B0002: "it was given up, or it is a download", 0x804B000D: "the connection was refused", 0x804B000E: "it took too long", 0x804B001E: "no such host", 0x804B0013: "the browser keeps off that port", 0x804B0014: "the connection was reset", 0x80530012: "it may not be loaded from here"}
	if w := words[code]; w != "" {
		return w
	}
	return "error 0x" + strconv.FormatUint(code, 16)
}

func (t *Tab) arrived(ctx context.Context, before place) (ports.NavResult, error) {
	i, err := t.Info(ctx)
	var st struct{ Title string }
	soon, cancel := context.WithTimeout(ctx, titleTime)
	defer cancel()
	if err == nil && t.ask(soon, "f0", "state", obj{}, &st) == nil { // the tab has its title a moment later
		i.Title = cut(st.Title, 300)
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	return ports.NavResult{URL: i.URL, Title: i.Title, Status: t.status, Same: t.documents == before.documents}, err
}

// refNumber is the number of a ref that a frame gave out.
func refNumber(ref, frame string) (int, bool) {
	prefix := "e"
	if frame != "f0" {
		prefix = frame + "e"
	}
	digits, ok := strings.CutPrefix(ref, prefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && n < 1<<30
}
