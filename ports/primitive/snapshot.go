package primitive

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wb-agent/wb/ports"
)

// maxFrames bounds the frames of one outline; the rest are named and can be asked for.
const maxFrames = 40

// outline is one frame's answer to "snapshot".
type outline struct {
	Lines []struct {
		Depth  int    `json:"d"`
		Text   string `json:"t"`
		Ref    string `json:"ref"`
		InView bool   `json:"iv"`
		Frame  bool   `json:"frame"`
	} `json:"lines"`
	URL      string          `json:"url"`
	Title    string          `json:"title"`
	Examined int             `json:"examined"`
	Omitted  int             `json:"omitted"`
	Hidden   int             `json:"hidden"`
	Overlays json.RawMessage `json:"overlays"`
	Partial  string          `json:"partial"`
}

// view is how much of the outline is wanted.
type view struct {
	MaxChars int `json:"maxChars"` // characters of a page [6000]
	Page     int `json:"page"`     // 1-based [1]
}

// page is the structured content beside an outline's text.
type page struct {
	URL      string          `json:"url"`
	Title    string          `json:"title"`
	Page     int             `json:"page"`
	Pages    int             `json:"pages"`
	Chars    int             `json:"total_chars"`
	Examined int             `json:"examined"`
	Omitted  int             `json:"omitted,omitempty"`
	Hidden   int             `json:"hidden,omitempty"`
	Partial  string          `json:"partial,omitempty"`
	Overlays json.RawMessage `json:"overlays,omitempty"`
}

// snapshot asks every frame for its outline, puts each child's under its iframe's line, and cuts one
// page out of the whole by whole lines. A frame that does not answer is a line that says why.
func snapshot(ctx context.Context, t ports.Tab, r request) (ports.Result, error) {
	var v view
	if err := json.Unmarshal(orEmpty(r.Args), &v); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "snapshot: "+err.Error(), "")
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return ports.Result{}, err
	}
	s := stitch{t: t, frames: frames, args: withoutView(r.Args)}
	if err := s.frame(ctx, r.frame(), 0); err != nil {
		return ports.Result{}, err
	}
	text, p := s.page(v)
	res, err := data(p, nil)
	res.Content = []ports.Content{{Type: "text", Text: text}}
	return res, err
}

// withoutView strips what the page script does not take.
func withoutView(raw json.RawMessage) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(orEmpty(raw), &m) != nil {
		return raw
	}
	delete(m, "maxChars")
	delete(m, "page")
	return ports.JSON(m)
}

// stitch builds the outline of all frames.
type stitch struct {
	t      ports.Tab
	frames []ports.Frame
	args   json.RawMessage
	lines  []string
	seen   int
	sum    page
}

func (s *stitch) frame(ctx context.Context, id string, indent int) error {
	raw, err := s.t.Read(ctx, id, "snapshot", s.args)
	if err != nil {
		return err
	}
	var o outline
	if err := json.Unmarshal(raw, &o); err != nil {
		return ports.NewError(ports.CodeFault, "page script: snapshot: "+err.Error(), "")
	}
	if s.seen == 0 {
		s.sum.URL, s.sum.Title, s.sum.Overlays = o.URL, o.Title, o.Overlays
	}
	s.seen++
	s.sum.Examined += o.Examined
	s.sum.Omitted += o.Omitted
	s.sum.Hidden += o.Hidden
	if o.Partial != "" {
		s.sum.Partial = o.Partial
	}
	for _, l := range o.Lines {
		s.lines = append(s.lines, strings.Repeat(" ", indent+l.Depth)+l.Text)
		if l.Frame {
			s.child(ctx, l.Ref, indent+l.Depth+1)
		}
	}
	return nil
}

// child puts the frame that an iframe element owns under its line.
func (s *stitch) child(ctx context.Context, owner string, indent int) {
	for _, f := range s.frames {
		if f.Owner != owner || owner == "" {
			continue
		}
		if s.seen >= maxFrames {
			s.lines = append(s.lines, strings.Repeat(" ", indent)+fmt.Sprintf("(frame %s not examined: more than %d frames)", f.ID, maxFrames))
			return
		}
		args := s.args
		s.args = withoutRoot(args)
		if err := s.frame(ctx, f.ID, indent); err != nil {
			s.lines = append(s.lines, strings.Repeat(" ", indent)+fmt.Sprintf("(frame %s not examined: %s)", f.ID, err))
		}
		s.args = args
		return
	}
}

func withoutRoot(raw json.RawMessage) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return raw
	}
	delete(m, "root")
	return ports.JSON(m)
}

// page cuts the outline into pages of whole lines and renders the one asked for, with a last line that
// says what is not on it.
func (s *stitch) page(v view) (string, page) {
	if v.MaxChars <= 0 {
		v.MaxChars = 6000
	}
	var pages []string
	var cur strings.Builder
	n := 0
	for _, l := range s.lines {
		l = clip(l, v.MaxChars)
		size := utf8.RuneCountInString(l) + 1
		if n > 0 && n+size > v.MaxChars {
			pages, n = append(pages, cur.String()), 0
			cur.Reset()
		}
		cur.WriteString(l + "\n")
		n += size
		s.sum.Chars += size
	}
	pages = append(pages, cur.String())
	s.sum.Pages, s.sum.Page = len(pages), min(max(v.Page, 1), len(pages))
	return pages[s.sum.Page-1] + s.footer(), s.sum
}

func (s *stitch) footer() string {
	var parts []string
	if s.sum.Pages > 1 {
		parts = append(parts, fmt.Sprintf("page %d of %d", s.sum.Page, s.sum.Pages))
	}
	if s.sum.Hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden pieces left out", s.sum.Hidden))
	}
	if s.sum.Omitted > 0 {
		parts = append(parts, fmt.Sprintf("%d elements not shown", s.sum.Omitted))
	}
	if s.sum.Partial != "" {
		parts = append(parts, "partial: "+s.sum.Partial)
	}
	if len(parts) == 0 {
		return ""
	}
	return "(" + strings.Join(parts, "; ") + ")\n"
}

// clip cuts a line at n characters.
func clip(l string, n int) string {
	if utf8.RuneCountInString(l) < n {
		return l
	}
	return string([]rune(l)[:max(0, n-2)]) + "…"
}
