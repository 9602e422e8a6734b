package guard

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wb-agent/wb/ports"
)

// element grounds a gesture on what the driver will touch, and on nothing else that the call names: the
// target by ref; else, of a mouse gesture the point, and of a key what has the focus.
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
	at := look{t: t, frames: frames}
	switch {
	case c.Tool == "browser.eval":
		return at.in(Facts{Kind: KindEval}, orElse(a.Frame, "f0")), nil
	case a.Kind == "keys":
		if err := alone(a.Keys); err != nil {
			return Facts{}, err
		}
	case a.Kind == "drag":
		return at.drag(ctx, a)
	}
	return at.target(ctx, a)
}

func (l look) target(ctx context.Context, a args) (f Facts, err error) {
	trigger := slices.ContainsFunc(a.Keys, triggers)
	switch {
	case a.Ref != "":
		f, err = l.ask(ctx, ports.FrameOf(a.Ref), "element", map[string]any{"ref": a.Ref}, trigger)
	case a.Kind == "click":
		f, err = l.point(ctx, a.X, a.Y)
	default:
		f, err = l.ask(ctx, "f0", "focus", nil, trigger)
	}
	switch {
	case err == nil && a.Kind == "click" && a.Ref != "" && a.Force:
		return l.forced(ctx, a.Ref, f)
	case a.Kind == "text" || a.Kind == "keys" && !trigger:
		f.Submits, f.Role = false, "" // it presses nothing, whatever that is called
	}
	return f, err
}

// triggers reports whether a key may press what has the focus, or submit its form. Only keys that are
// known to do neither pass for harmless: characters, and those that edit or move.
func triggers(key string) bool {
	if i := strings.LastIndexByte(key[:max(len(key)-1, 0)], '+'); i > 0 {
		key = key[i+1:]
	}
	if utf8.RuneCountInString(key) == 1 && key != " " {
		return key < " "
	}
	switch strings.ToLower(key) {
	case "tab", "escape", "esc", "backspace", "delete", "del", "insert", "home", "end", "pageup", "pagedown",
		"arrowup", "up", "arrowdown", "down", "arrowleft", "left", "arrowright", "right":
		return false
	}
	return true
}

// accessKey is a chord that presses an element anywhere in the page.
var accessKey = regexp.MustCompile(`(?i)(^|\+)(alt|option)\+(.*\+)?.$`)

// alone refuses a key that triggers something among others: after the first one the focus may be elsewhere,
// where nobody has looked. For the same reason it refuses access keys.
func alone(keys []string) error {
	moved := false
	for _, k := range keys {
		if accessKey.MatchString(k) {
			return ports.NewError(ports.CodeInvalidArgs, k+" may be an access key, which presses what nobody has looked at", "click that element")
		}
		tab := strings.HasSuffix(strings.ToLower(k), "tab")
		if len(keys) > 1 && (triggers(k) || moved && !tab) {
			return ports.NewError(ports.CodeInvalidArgs, "keys after one that moves the focus or triggers something", "press such keys one call each")
		}
		moved = moved || tab
	}
	return nil
}

// look reads elements of one tab.
type look struct {
	t      ports.Tab
	frames []ports.Frame
}

func (l look) frame(id string) ports.Frame {
	for _, f := range l.frames {
		if f.ID == id {
			return f
		}
	}
	return ports.Frame{ID: id}
}

// in adds where a frame is: its own origin, and those of all documents around it, which may cover or move it.
func (l look) in(f Facts, id string) Facts {
	at := l.frame(id)
	f.Frame, f.Top = at.Origin, l.frames[0].Origin
	for range l.frames {
		if at = l.frame(at.Parent); at.Origin == "" {
			break
		}
		f.Around = append(f.Around, at.Origin)
	}
	return f
}

// ask reads one element and follows the focus into frames.
func (l look) ask(ctx context.Context, frame, op string, args any, enter bool) (Facts, error) {
	for range len(l.frames) + 1 {
		e, ref, err := l.read(ctx, frame, op, args)
		if err != nil {
			return Facts{}, err
		}
		if op != "focus" || !e.IsFrame {
			return l.in(e.facts(enter), frame), nil
		}
		if frame = l.owned(ref); frame == "" {
			break
		}
	}
	return Facts{}, ports.NewError(ports.CodeStaleRef, "the focus could not be followed into its frame", "click the field first")
}

// point reads what lies at a point of the top viewport. What lies deeper, in a child frame, is not known by
// a point: it has to be named.
func (l look) point(ctx context.Context, x, y float64) (Facts, error) {
	e, _, err := l.read(ctx, "f0", "at", map[string]any{"x": x, "y": y})
	if err != nil {
		return Facts{}, err
	}
	if e.IsFrame {
		return Facts{}, ports.NewError(ports.CodeRefused, "a frame lies at that point, and what is in it cannot be judged by a point",
			"take a snapshot and use the ref of the element in the frame, such as f2e7")
	}
	return l.in(e.facts(false), "f0"), nil
}

// forced judges a click that goes through even where something covers the target: what covers it is what
// will be clicked.
func (l look) forced(ctx context.Context, ref string, f Facts) (Facts, error) {
	frame := ports.FrameOf(ref)
	raw, err := l.t.Read(ctx, frame, "point", ports.JSON(map[string]any{"ref": ref}))
	if err != nil {
		return f, err
	}
	var p struct {
		Covered bool      `json:"covered"`
		Hit     ports.Hit `json:"hit"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return f, ports.NewError(ports.CodeFault, "page script: "+err.Error(), "")
	}
	if !p.Covered && frame == "f0" {
		return f, nil
	}
	if frame != "f0" || p.Hit.Ref == "" {
		return f, ports.NewError(ports.CodeRefused, "what covers "+ref+" cannot be judged", "click without force, or what covers it")
	}
	e, _, err := l.read(ctx, frame, "element", map[string]any{"ref": p.Hit.Ref})
	if err == nil && e.IsFrame {
		err = ports.NewError(ports.CodeRefused, "a frame covers "+ref, "click without force")
	}
	return l.in(e.facts(false), frame), err
}

// drag judges both ends: where something is dropped is written to as well.
func (l look) drag(ctx context.Context, a args) (Facts, error) {
	f, err := l.target(ctx, args{Kind: "click", Ref: a.Ref, X: a.X, Y: a.Y})
	if err != nil {
		return f, err
	}
	to, err := l.target(ctx, args{Kind: "click", Ref: a.To, X: a.ToX, Y: a.ToY, Force: ports.FrameOf(a.To) == "f0"})
	f.Around = append(append(f.Around, to.Frame), to.Around...)
	return f, err
}

func (l look) owned(ref string) string {
	for _, f := range l.frames {
		if ref != "" && f.Owner == ref {
			return f.ID
		}
	}
	return ""
}

func (l look) read(ctx context.Context, frame, op string, args any) (Element, string, error) {
	raw, err := l.t.Read(ctx, frame, op, ports.JSON(args))
	if err != nil {
		return Element{}, "", err
	}
	return element(raw)
}
