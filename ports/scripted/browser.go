package scripted

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/settle"
)

// Line is what carries commands to the extension and brings what it tells. *relay.Extension is one.
type Line interface {
	// Do gives a command and waits for its answer. A changing one never runs twice.
	Do(ctx context.Context, method string, args any, changing bool, result any) error
	// Events sets who hears what the browser does, in order; it must not wait for an answer.
	Events(f func(method string, params json.RawMessage))
}

type obj = map[string]any

// Browser is one browser whose tabs are lent. It implements ports.Browser and ports.Fenced. Safe for concurrent
// use.
type Browser struct {
	line   Line
	prefix string // of the ids of its tabs
	ctx    context.Context
	close  context.CancelFunc

	mu      sync.Mutex
	changed chan struct{} // closed and made anew at each change
	tabs    map[int]*Tab
	opened  int
	active  int // the browser's number of the tab that was lent or activated last
	base    int // refs of new tabs begin above it
	seq     int64
	notices []ports.Notice
	judge   func(ports.Navigation) error
	over    error
}

var (
	_ ports.Browser = (*Browser)(nil)
	_ ports.Fenced  = (*Browser)(nil)
)

const maxNotices = 256

// Connect takes over a line. Close leaves the browser and its tabs as they are.
func Connect(line Line) *Browser {
	ctx, cancel := context.WithCancel(context.Background())
	b := &Browser{line: line, prefix: "x" + strings.ToLower(rand.Text()[:8]) + "-", ctx: ctx, close: cancel, changed: make(chan struct{}), tabs: map[int]*Tab{}}
	line.Events(b.event)
	return b
}

// Lend takes a tab of the person's, by the browser's own number, and returns its id.
func (b *Browser) Lend(ctx context.Context, number int) (string, error) {
	var i tabSeen
	if err := b.do(ctx, "tab.lend", obj{"tab": number}, false, &i); err != nil {
		return "", err
	}
	return b.known(ctx, number, i)
}

// known remembers a tab and looks at its frames.
func (b *Browser) known(ctx context.Context, number int, i tabSeen) (string, error) {
	b.mu.Lock()
	t := b.tabs[number]
	if t == nil {
		t = b.plant(number, i)
	}
	b.bump()
	b.mu.Unlock()
	return t.id, t.refresh(ctx)
}

// Return gives a tab back; it stays open.
func (b *Browser) Return(id string) {
	b.mu.Lock()
	t := b.find(id)
	b.mu.Unlock()
	ctx, cancel := context.WithTimeout(b.ctx, returnTime)
	defer cancel()
	if t != nil {
		b.giveBack(ctx, t)
	}
}

const returnTime = 2 * time.Second

// giveBack tells the extension that a tab is not lent any more. One that is away forgets it when it comes back.
func (b *Browser) giveBack(ctx context.Context, t *Tab) {
	b.mu.Lock()
	b.drop(t)
	b.bump()
	b.mu.Unlock()
	_ = b.do(ctx, "tab.return", obj{"tab": t.number}, false, nil) // it is sent again when the extension is back
}

// Lent are the ids of the tabs that it holds.
func (b *Browser) Lent() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, t := range b.list() {
		out = append(out, t.id)
	}
	return out
}

// list is the tabs, oldest first; b.mu is held.
func (b *Browser) list() []*Tab {
	out := make([]*Tab, 0, len(b.tabs))
	for _, t := range b.tabs {
		out = append(out, t)
	}
	slices.SortFunc(out, func(x, y *Tab) int { return cmp.Compare(x.n, y.n) })
	return out
}

// plant remembers a tab; b.mu is held.
func (b *Browser) plant(number int, i tabSeen) *Tab {
	b.opened++
	t := &Tab{b: b, id: b.prefix + strconv.Itoa(number), number: number, n: b.opened, opener: b.openerID(i.Opener), title: cut(i.Title, 300),
		frames: map[int]*frame{}, maxRef: b.base, loads: map[string]bool{}}
	t.watch = settle.New(watched{t}, poll)
	t.frames[0] = &frame{parent: -1, url: i.URL, ready: true}
	t.nextFrame = 1
	b.tabs[number] = t
	b.active = number
	return t
}

// drop forgets a tab that is closed or given back; b.mu is held.
func (b *Browser) drop(t *Tab) {
	t.closed = true
	delete(b.tabs, t.number)
	if list := b.list(); b.active == t.number && len(list) > 0 {
		b.active = list[len(list)-1].number
	}
}

func (b *Browser) openerID(number int) string {
	if t := b.tabs[number]; t != nil && number != 0 {
		return t.id
	}
	return ""
}

// find is an open tab, or nil; b.mu is held.
func (b *Browser) find(id string) *Tab {
	number, err := strconv.Atoi(strings.TrimPrefix(id, b.prefix))
	if t := b.tabs[number]; err == nil && t != nil && t.id == id {
		return t
	}
	return nil
}

// do gives a command; an error of this browser's end is CodeBrowserGone.
func (b *Browser) do(ctx context.Context, method string, args any, changing bool, result any) error {
	if err := b.alive(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(b.ctx, func() { cancel(browserGone()) })()
	err := b.line.Do(ctx, method, args, changing, result)
	switch {
	case err == nil:
		return nil
	case b.ctx.Err() != nil:
		return browserGone()
	case ctx.Err() != nil && ports.CodeOf(err) == "":
		return late(ctx, "the page")
	case ports.CodeOf(err) == "":
		return &ports.Error{Code: ports.CodeFault, Msg: "the extension: " + cut(err.Error(), 300), Fix: "try again", Err: err}
	}
	return err
}

// late is the error of a call whose time ran out, or that was given up.
func late(ctx context.Context, what string) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &ports.Error{Code: ports.CodeTimeout, Msg: what + " did not answer in time", Fix: "look whether a dialog waits in the tab, then try again or reload the page", Err: ctx.Err()}
	}
	return &ports.Error{Code: ports.CodeCancelled, Msg: "given up", Err: fmt.Errorf("%w", context.Cause(ctx))}
}

func browserGone() error {
	return ports.NewError(ports.CodeBrowserGone, "the browser has ended, or is not lent any more", "start the run again")
}

func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n]) + "…"
	}
	return s
}
