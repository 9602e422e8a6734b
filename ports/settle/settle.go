// Package settle tells what an action did to a page, the same for every driver.
//
// A driver knows one browser's protocol; what to watch for after a gesture is not its business. Before the
// gesture [Watch.Baseline] marks where the page stands: in the frame that the action is in, in the top document,
// in the network and in what the browser has announced. [Watch.Settle] then asks the page script of both
// documents again and again until all of that has come to rest, and answers what was seen. From the receipt on
// the page is watched further, and [Watch.Late] answers once what came after it.
//
// The operations are those of the page script (extension/src/page/ops.ts), whose parts this package puts together.
package settle

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Page is one tab as its driver knows it. Methods may be called by several goroutines, and never while a lock of
// this package is held.
type Page interface {
	// Script runs a reading operation of the page script in a frame. A document that went away under it is
	// CodeStaleRef or CodeInvalidArgs.
	Script(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error)
	// Document says what a frame shows; false: there is no such frame.
	Document(frame string) (Document, bool)
	// Noticed is what the browser did for this tab after the since-th notice, in words, and the number of the
	// last notice.
	Noticed(since int64) (said []string, last int64)
	// Trouble is why the page can answer nothing now: closed, crashed, or a dialog is open.
	Trouble() error
}

// Document is what a frame shows.
type Document struct {
	ID     string // another one for each document
	URL    string
	Loaded bool // its resources too
}

// Watch watches one tab. It is safe for concurrent use.
type Watch struct {
	// Net is what the driver hears of the network.
	Net  *Traffic
	page Page
	poll time.Duration

	mu    sync.Mutex
	last  int
	marks map[string]mark
	after *mark // the last action, from its receipt on
}

// New watches a page that is asked every poll while it has not come to rest.
func New(page Page, poll time.Duration) *Watch {
	return &Watch{Net: NewTraffic(), page: page, poll: poll, marks: map[string]mark{}}
}

// mark is a baseline: the script's in the frame and in the top document, and what the browser had done.
type mark struct {
	frame     string            // that the action is in
	tokens    map[string]string // of the script, by frame
	documents map[string]string
	measures  json.RawMessage
	begun     int   // requests so far
	notice    int64 // the last one
	at        time.Time
	action    bool // follows
}

// maxMarks is how many baselines of a tab are kept.
const maxMarks = 8

// both is a frame and the top one.
func both(frame string) []string {
	if frame == "f0" {
		return []string{frame}
	}
	return []string{frame, "f0"}
}

// documents are those that a mark is about.
func (w *Watch) documents(frame string) map[string]string {
	out := map[string]string{}
	for _, n := range both(frame) {
		if d, ok := w.page.Document(n); ok {
			out[n] = d.ID
		}
	}
	return out
}

// replaced is the frame of a mark that shows another document now, or is gone; "" if none.
func (w *Watch) replaced(k mark) (frame string) {
	for _, n := range both(k.frame) {
		if d, ok := w.page.Document(n); !ok || d.ID != k.documents[n] {
			frame = n
		}
	}
	return frame
}

// Baseline begins to watch a frame ("" is the top one), the top document and the network.
func (w *Watch) Baseline(ctx context.Context, frame string, args json.RawMessage) (json.RawMessage, error) {
	if frame == "" {
		frame = "f0"
	}
	var a struct{ Watch bool }
	_ = json.Unmarshal(args, &a) // the page script says what is wrong with them
	k := mark{frame: frame, tokens: map[string]string{}, action: a.Watch}
	since := []string{}
	if k.action {
		since = append(since, w.gone()...)
	}
	for _, n := range both(frame) {
		own := args
		if n != frame {
			own = json.RawMessage("{}")
		}
		var r struct {
			Token    string          `json:"token"`
			Measures json.RawMessage `json:"measures"`
			Since    []string        `json:"since"`
		}
		if err := w.askRaw(ctx, n, "baseline", own, &r); err != nil {
			return nil, err
		}
		k.tokens[n] = r.Token
		if n == frame {
			k.measures, since = r.Measures, append(since, r.Since...)
		}
	}
	k.documents, k.begun, k.at = w.documents(frame), w.Net.count(), time.Now()
	_, k.notice = w.page.Noticed(0)
	return json.Marshal(map[string]any{"token": w.add(k), "measures": k.measures, "since": since})
}

func (w *Watch) add(k mark) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	w.marks[strconv.Itoa(w.last)] = k
	delete(w.marks, strconv.Itoa(w.last-maxMarks))
	return strconv.Itoa(w.last)
}

func (w *Watch) mark(token string) (mark, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if k, ok := w.marks[token]; ok {
		return k, nil
	}
	return mark{}, ports.NewError(ports.CodeInvalidArgs, "no baseline "+cut(token, 20), "take a baseline before acting")
}

// Check looks at expectations now; a baseline of a document that is gone goes by what it measured.
func (w *Watch) Check(ctx context.Context, frame string, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "arguments must be an object", "give conditions")
	}
	if b, ok := args["baseline"]; ok {
		var token string
		_ = json.Unmarshal(b, &token) // not a string: no such baseline
		k, err := w.mark(token)
		if err != nil {
			return nil, err
		}
		delete(args, "baseline")
		args["measures"] = orNone(k.measures)
	}
	out, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return w.page.Script(ctx, frame, "check", out)
}

func orNone(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("[]")
	}
	return raw
}

// ask runs a reading operation and decodes its answer.
func (w *Watch) ask(ctx context.Context, frame, op string, args, answer any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	return w.askRaw(ctx, frame, op, raw, answer)
}

func (w *Watch) askRaw(ctx context.Context, frame, op string, args json.RawMessage, answer any) error {
	raw, err := w.page.Script(ctx, frame, op, args)
	if err != nil {
		return err
	}
	return json.Unmarshal(raw, answer)
}

// pause waits for a tick or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
	}
	err := context.Cause(ctx)
	if errors.Is(err, context.Canceled) {
		return &ports.Error{Code: ports.CodeCancelled, Msg: "cancelled", Err: err}
	}
	return &ports.Error{Code: ports.CodeTimeout, Msg: "the page did not answer in time", Fix: "wait, or try again with a longer timeout", Err: err}
}
