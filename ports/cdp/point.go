package cdp

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/wb-agent/wb/ports"
)

// hitAt is what the page script says of a point.
type hitAt struct {
	X, Y    float64
	Covered bool
	Hit     struct{ Ref, Role, Name string }
	Facts   struct {
		Role, Name string
		States     []string
	}
}

// aim is where a gesture goes.
type aim struct {
	sid string // session that takes the input
	at  xy     // in the viewport of that session
	top xy     // in the tab's
	hit ports.Hit
}

var refShape = regexp.MustCompile(`^(f\d+)?e\d+$`)

// frameOf returns the name of the frame that a ref belongs to.
func frameOf(ref string) (string, error) {
	m := refShape.FindStringSubmatch(ref)
	if m == nil {
		return "", ports.NewError(ports.CodeInvalidArgs, "not a ref: "+cut(ref, 40), "use a ref such as e12 from the last snapshot")
	}
	if m[1] == "" {
		return "f0", nil
	}
	return m[1], nil
}

// aimAt brings an element into view, level by level, and hit-tests it where the gesture will go.
func (t *Tab) aimAt(ctx context.Context, ref string, force bool) (aim, error) {
	name, err := frameOf(ref)
	if err != nil {
		return aim{}, err
	}
	if err := t.showFrame(ctx, name); err != nil {
		return aim{}, err
	}
	var last aim
	for try := range 6 { // it or its frame may still be moving: two looks in a row must agree
		a, err := t.measure(ctx, name, ref, try%2 == 0)
		if err != nil {
			return aim{}, err
		}
		if try > 0 && near(a.at, last.at) && near(a.top, last.top) {
			last = a
			break
		}
		last = a
	}
	if last.hit.Covered && !force {
		return last, ports.NewError(ports.CodeNotActionable, ref+" is covered by "+describe(last.hit), "close or move what covers it, act on "+orThat(last.hit.Ref)+" instead, or use force")
	}
	return last, nil
}

func describe(h ports.Hit) string {
	s := h.Role
	if h.Name != "" {
		s += " " + quoted(h.Name)
	}
	if h.Ref != "" {
		s += " [" + h.Ref + "]"
	}
	if s == "" {
		return "something else"
	}
	return s
}

func orThat(ref string) string {
	if ref == "" {
		return "that"
	}
	return ref
}

// showFrame scrolls the elements of the frames around a frame into view, the outermost first.
func (t *Tab) showFrame(ctx context.Context, name string) error {
	var chain []frame
	for range 32 {
		f, parent, ok, err := t.up(name)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		chain = append(chain, f)
		name = parent.name()
	}
	for i := len(chain) - 1; i >= 0; i-- {
		owner, err := t.owner(ctx, chain[i].id)
		if err != nil {
			return noFrame(chain[i].name())
		}
		in, err := frameOf(owner)
		if err != nil {
			return err
		}
		if err := t.ask(ctx, in, "act", "scroll", map[string]any{"direction": "into_view", "ref": owner}, nil); err != nil {
			return err
		}
	}
	return nil
}

// measure finds the point of an element, hit-tests it in its own frame, and its frames in theirs.
func (t *Tab) measure(ctx context.Context, name, ref string, scroll bool) (aim, error) {
	var p hitAt
	if err := t.ask(ctx, name, "read", "point", map[string]any{"ref": ref, "scroll": scroll}, &p); err != nil {
		return aim{}, err
	}
	for _, s := range p.Facts.States {
		if s == "disabled" {
			return aim{}, ports.NewError(ports.CodeNotActionable, ref+" ("+p.Facts.Role+" "+quoted(p.Facts.Name)+") is disabled", "do first what enables it")
		}
	}
	f, _, _, err := t.up(name)
	if err != nil {
		return aim{}, err
	}
	a := aim{sid: f.session, hit: ports.Hit{Ref: p.Hit.Ref, Role: p.Hit.Role, Name: p.Hit.Name, Covered: p.Covered}}
	if a.at, err = t.toRoot(ctx, f, xy{p.X, p.Y}); err != nil {
		return aim{}, err
	}
	if a.top, err = t.toTop(ctx, f, xy{p.X, p.Y}); err != nil {
		return aim{}, err
	}
	if !p.Covered && f.n != 0 {
		err = t.coverAbove(ctx, f, &a)
	}
	return a, err
}

// coverAbove asks the top document what lies over the frame at the point.
func (t *Tab) coverAbove(ctx context.Context, f frame, a *aim) error {
	outer := f
	for range 32 {
		g, parent, ok, err := t.up(outer.name())
		if err != nil {
			return err
		}
		if !ok || parent.n == 0 {
			outer = g
			break
		}
		outer = parent
	}
	owner, err := t.owner(ctx, outer.id)
	if err != nil {
		return nil // a frame without an element, such as a portal: the frame's own test stands
	}
	over, err := t.look(ctx, a.top)
	if err != nil {
		return err
	}
	if over.Ref != owner {
		over.Covered = true
		a.hit = over
	}
	return nil
}

// look says what lies at a point of the tab's viewport, as the top document sees it.
func (t *Tab) look(ctx context.Context, p xy) (ports.Hit, error) {
	raw, err := json.Marshal(map[string]float64{"x": p.X, "y": p.Y})
	if err != nil {
		return ports.Hit{}, err
	}
	b, err := t.script(ctx, "f0", "read", "at", raw)
	if err != nil {
		return ports.Hit{}, err
	}
	var r struct {
		Target *struct{ Ref, Role, Name string }
	}
	if err := json.Unmarshal(b, &r); err != nil || r.Target == nil {
		return ports.Hit{}, err
	}
	return ports.Hit{Ref: r.Target.Ref, Role: r.Target.Role, Name: r.Target.Name}, nil
}
