package scripted

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/wb-agent/wb/ports"
)

const (
	scriptTime = 20 * time.Second
	parseTime  = 3 * time.Second // how long a look waits for a document that is being parsed still
)

// Read implements ports.Page.
func (t *Tab) Read(ctx context.Context, name, op string, args json.RawMessage) (json.RawMessage, error) {
	switch op {
	case "baseline":
		return t.watch.Baseline(ctx, name, args)
	case "settle":
		return t.watch.Settle(ctx, args)
	case "late":
		return t.watch.Late(ctx)
	case "check":
		return t.watch.Check(ctx, name, args)
	}
	return t.script(ctx, name, "read", op, args)
}

// Act implements ports.Page.
func (t *Tab) Act(ctx context.Context, name, op string, args json.RawMessage) (json.RawMessage, error) {
	return t.script(ctx, name, "act", op, args)
}

// Input implements ports.Page: a browser gives extensions without a debugger none.
func (t *Tab) Input(context.Context, ports.Input) (ports.InputResult, error) {
	if err := t.problem(); err != nil {
		return ports.InputResult{}, err
	}
	return ports.InputResult{}, ports.NewError(ports.CodeNoInput, "this browser lets extensions send no trusted input", "act by script")
}

// named finds a frame, "" meaning f0; with Browser.mu held.
func (t *Tab) named(name string) *frame {
	for _, f := range t.frames {
		if frameName(f.n) == cmp.Or(name, "f0") {
			return f
		}
	}
	return nil
}

func frameName(n int) string { return "f" + strconv.Itoa(n) }

func noFrame(name string) error {
	return ports.NewError(ports.CodeStaleRef, "no frame "+cut(name, 20)+" in this tab", "take a new snapshot: the frame is gone")
}

// enter waits until a frame's document is parsed, but not for long, and returns a copy of the frame.
func (t *Tab) enter(ctx context.Context, name string) (f frame, base int, err error) {
	if err := t.b.alive(); err != nil {
		return f, 0, err
	}
	soon, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	err = t.b.until(soon, func() (bool, error) {
		if err := t.trouble(); err != nil {
			return false, err
		}
		g := t.named(name)
		if g == nil {
			return false, noFrame(name)
		}
		f, base = *g, t.maxRef
		return g.ready, nil
	})
	if ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		err = nil // half a page is better than none
	}
	return f, base, err
}

// said is the extension's answer to an operation.
type said struct {
	Doc     string `json:"doc"`
	Text    string `json:"text"`
	Missing bool   `json:"missing"` // nothing was done: the frame shows another document, or is gone
	Lost    bool   `json:"lost"`    // the document went away meanwhile
	Shut    bool   `json:"shut"`    // no extension is let into the document
}

// script runs one operation of the page script. A reading one is asked again of the next document when its own
// goes away under it; the outcome of an acting one is then unknown.
func (t *Tab) script(ctx context.Context, name, kind, op string, args json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptLimit(args))
	defer cancel()
	for range 20 {
		f, base, err := t.enter(ctx, name)
		if err != nil {
			return nil, err
		}
		var s said
		err = t.b.do(ctx, "frame.op", obj{"tab": t.number, "frame": f.number, "doc": "", "kind": kind, "op": op, "args": string(args), "name": frameName(f.n), "base": base}, kind == "act", &s)
		switch {
		case ports.CodeOf(err) == ports.CodeTimeout && kind != "read":
			return nil, &ports.Error{Code: ports.CodeUnknown, Msg: op + " did not come to an end in time", Fix: "a dialog may wait in the tab: ask the person to answer it, then look at the page", Err: err}
		case err != nil:
			return nil, t.explain(err)
		case s.Lost && kind != "read":
			return nil, ports.NewError(ports.CodeUnknown, "the document went away during "+op, "look at the page before doing it again")
		case s.Shut:
			if err := t.replaced(ctx, f); err != nil {
				return nil, err
			}
			continue
		case s.Lost || s.Missing:
			if err := t.refresh(ctx); err != nil {
				return nil, err
			}
			continue
		}
		t.learn(f, s.Doc)
		return t.answer(s.Text)
	}
	return nil, ports.NewError(ports.CodeTimeout, "the page is replaced again and again", "wait, then look again")
}

// replaced waits a while for another document where a tab is empty still.
func (t *Tab) replaced(ctx context.Context, f frame) error {
	soon, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	err := t.b.until(soon, func() (bool, error) {
		g := t.frames[f.number]
		return g == nil || g.document != f.document, t.trouble()
	})
	if ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		return ports.NewError(ports.CodeRefused, "the browser lets no extension into "+frameName(f.n)+" as it is", "open a web page there; if one is open, allow wb the data of all websites in about:addons")
	}
	return err
}

// learn remembers the document that answered. One that nobody told of is a new one.
func (t *Tab) learn(f frame, doc string) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	g := t.frames[f.number]
	if g == nil || g.document != f.document {
		return
	}
	if g.doc != "" && g.doc != doc {
		g.document++
	}
	g.doc = cut(doc, 60)
}

// explain says that a tab is gone where that is why.
func (t *Tab) explain(err error) error {
	if p := t.problem(); p != nil {
		return p
	}
	return err
}

// scriptLimit is scriptTime, and what an operation itself is told to wait.
func scriptLimit(args json.RawMessage) time.Duration {
	var a struct{ Timeout float64 }
	_ = json.Unmarshal(args, &a) // the page script says what is wrong with them
	return scriptTime + time.Duration(min(max(a.Timeout, 0), 120_000))*time.Millisecond
}

// answer parses what the script said, which comes from a process that a page may have taken over.
func (t *Tab) answer(text string) (json.RawMessage, error) {
	var a struct {
		OK    json.RawMessage `json:"ok"`
		Error *struct {
			Code, Message, Fix string
			Near               []struct{ Ref, Role, Name string }
		} `json:"error"`
		MaxRef int `json:"maxRef"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, ports.NewError(ports.CodeFault, "the page script's answer is not JSON", "reload the page")
	}
	t.b.mu.Lock()
	if a.MaxRef > t.maxRef && a.MaxRef < 1<<30 {
		t.maxRef = a.MaxRef
	}
	t.b.mu.Unlock()
	if a.Error == nil {
		return a.OK, nil
	}
	fix := a.Error.Fix
	for i, n := range a.Error.Near {
		fix += map[bool]string{true: ": ", false: ", "}[i == 0] + n.Role + " " + strconv.Quote(n.Name) + " [" + n.Ref + "]"
	}
	return nil, ports.NewError(a.Error.Code, a.Error.Message, fix)
}

// ask runs a reading operation and decodes its answer.
func (t *Tab) ask(ctx context.Context, name, op string, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := t.script(ctx, name, "read", op, raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

// originOf names an origin as ports.Frame does.
func originOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Scheme + "://" + u.Host
	}
	return "null"
}

// sorted is the tab's frames in order of their names; with Browser.mu held.
func (t *Tab) sorted() []*frame {
	out := make([]*frame, 0, len(t.frames))
	for _, f := range t.frames {
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b *frame) int { return cmp.Compare(a.n, b.n) })
	return out
}
