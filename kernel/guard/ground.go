package guard

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Pages finds the tab that a call works in.
type Pages interface {
	// Page returns the named tab, or with "" the run's current one, and whether the run opened it.
	Page(ctx context.Context, run, tab string) (t ports.Tab, own bool, err error)
}

// Ground reads facts from live pages. It is a Grounder.
type Ground struct{ Pages Pages }

// lookOps are operations of browser.act that only move the view or the marks in it.
var lookOps = []string{"scroll", "findText", "mask", "unmask", "blur"}

// Ground reads what c would touch.
func (g Ground) Ground(ctx context.Context, c ports.Call) (Facts, error) {
	a, err := parse(c)
	if err != nil {
		return Facts{}, err
	}
	switch c.Tool {
	case "http.fetch":
		return Facts{Kind: KindFetch, URL: a.URL, Verb: a.Method}, nil
	case "browser.nav":
		return Facts{Kind: KindNav, URL: a.URL}, nil
	case "browser.tabs":
		return g.tab(ctx, c, a)
	case "browser.act":
		if slices.Contains(lookOps, a.Op) {
			return Facts{Kind: KindLook}, nil
		}
	case "browser.input":
		if a.Kind == "wheel" || a.Kind == "hover" {
			return Facts{Kind: KindLook}, nil
		}
	}
	return g.element(ctx, c, a)
}

func (g Ground) tab(ctx context.Context, c ports.Call, a args) (Facts, error) {
	f := Facts{Kind: KindTab, Verb: a.Op, URL: a.URL}
	if a.Op != "close" && a.Op != "dialog" {
		return f, nil
	}
	t, own, err := g.Pages.Page(ctx, c.Run, a.Tab)
	if err != nil {
		return f, err
	}
	f.Own = own
	info, err := t.Info(ctx)
	f.Top = OriginOf(info.URL)
	return f, err
}

// element grounds a gesture: the target by ref, else what lies at the point, else what has the focus.
func (g Ground) element(ctx context.Context, c ports.Call, a args) (Facts, error) {
	t, _, err := g.Pages.Page(ctx, c.Run, a.Tab)
	if err != nil {
		return Facts{}, err
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return Facts{}, err
	}
	if len(frames) == 0 {
		return Facts{}, ports.NewError(ports.CodeTabGone, "the tab has no document", "navigate somewhere first")
	}
	at := look{t: t, frames: frames, top: frames[0].Origin}
	enter := c.Tool == "browser.input" && a.Kind == "keys" && slices.ContainsFunc(a.Keys, func(k string) bool {
		return strings.HasSuffix(k, "Enter")
	})
	if c.Tool == "browser.eval" {
		f := at.frame(orElse(a.Frame, "f0"))
		return Facts{Kind: KindEval, Top: at.top, Frame: f.Origin}, nil
	}
	var f Facts
	switch {
	case a.Ref != "":
		f, err = at.ask(ctx, ports.FrameOf(a.Ref), "element", map[string]any{"ref": a.Ref}, enter)
	case a.X != nil && a.Y != nil:
		f, err = at.point(ctx, "f0", *a.X, *a.Y)
	default:
		f, err = at.ask(ctx, "f0", "focus", nil, enter)
	}
	if err == nil && a.To != "" { // where something is dropped is written to as well
		var to Facts
		if to, err = at.ask(ctx, ports.FrameOf(a.To), "element", map[string]any{"ref": a.To}, false); err == nil && to.Frame != f.Frame {
			f.Top = to.Frame // both must be in the write set
		}
	}
	return f, err
}

// look reads elements of one tab.
type look struct {
	t      ports.Tab
	frames []ports.Frame
	top    string
}

func (l look) frame(id string) ports.Frame {
	for _, f := range l.frames {
		if f.ID == id {
			return f
		}
	}
	return ports.Frame{ID: id}
}

// ask reads one element and follows the focus into frames.
func (l look) ask(ctx context.Context, frame, op string, args any, enter bool) (Facts, error) {
	for range len(l.frames) + 1 {
		raw, err := l.t.Read(ctx, frame, op, ports.JSON(args))
		if err != nil {
			return Facts{}, err
		}
		e, ref, err := element(raw)
		if err != nil {
			return Facts{}, err
		}
		child := l.owned(ref)
		if op != "focus" || !e.IsFrame || child == "" {
			return e.facts(l.top, l.frame(frame).Origin, enter), nil
		}
		frame = child
	}
	return Facts{}, ports.NewError(ports.CodeStaleRef, "the focus could not be followed into its frame", "click the field first")
}

// point reads what lies at a point of the top viewport. Inside of a child frame the frame's own origin
// decides, and nothing finer is read: its form is not known, so it counts as submitting there.
func (l look) point(ctx context.Context, frame string, x, y float64) (Facts, error) {
	raw, err := l.t.Read(ctx, frame, "at", ports.JSON(map[string]any{"x": x, "y": y}))
	if err != nil {
		return Facts{}, err
	}
	e, ref, err := element(raw)
	if err != nil {
		return Facts{}, err
	}
	f := e.facts(l.top, l.frame(frame).Origin, false)
	if child := l.owned(ref); e.IsFrame && child != "" {
		f.Frame = l.frame(child).Origin
	}
	return f, nil
}

func (l look) owned(ref string) string {
	for _, f := range l.frames {
		if ref != "" && f.Owner == ref {
			return f.ID
		}
	}
	return ""
}

// element decodes facts, bare or as the answer of "at" and "focus". No element reads as the document.
func element(raw json.RawMessage) (Element, string, error) {
	type withRef struct {
		Element
		Ref string `json:"ref"`
	}
	var at struct {
		withRef
		Facts  *withRef `json:"facts"`
		Target *withRef `json:"target"`
	}
	if err := json.Unmarshal(raw, &at); err != nil {
		return Element{}, "", ports.NewError(ports.CodeFault, "page script: "+err.Error(), "")
	}
	switch {
	case at.Target != nil:
		return at.Target.Element, at.Target.Ref, nil
	case at.Facts != nil:
		return at.Facts.Element, at.Facts.Ref, nil
	}
	return at.Element, at.Ref, nil
}
