package guard

import (
	"context"
	"encoding/json"
	"slices"

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
		if a.Ref, err = actsOn(c.Args); err != nil {
			return Facts{}, err
		}
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
