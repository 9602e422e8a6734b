package primitive

import (
	"context"
	"encoding/json"
	"fmt"

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
	Revision string          `json:"revision"`
	More     bool            `json:"more"` // what does not fit the first page was not walked
	URL      string          `json:"url"`
	Title    string          `json:"title"`
	Examined int             `json:"examined"`
	Omitted  int             `json:"omitted"`
	Hidden   int             `json:"hidden"`
	Overlays json.RawMessage `json:"overlays"`
	Partial  string          `json:"partial"`
}

// snapshot asks every frame for its outline, puts each child's under its iframe's line, and cuts one
// page out of the whole by whole lines (view.go). A frame that does not answer is a line that says why.
func snapshot(ctx context.Context, t ports.Tab, r request) (ports.Result, error) {
	var v view
	if err := json.Unmarshal(orEmpty(r.Args), &v); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "snapshot: "+err.Error(), "")
	}
	if err := v.prepare(); err != nil {
		return ports.Result{}, err
	}
	frames, err := t.Frames(ctx)
	if err != nil {
		return ports.Result{}, err
	}
	s := stitch{t: t, frames: frames, args: v.scriptArgs(r.Args)}
	if err := s.frame(ctx, r.frame(), 0); err != nil {
		return ports.Result{}, err
	}
	text, p := render(s.lines, v, s.sum)
	res, err := data(p, nil)
	res.Content = []ports.Content{{Type: "text", Text: text}}
	return res, err
}

// stitch builds the outline of all frames.
type stitch struct {
	t      ports.Tab
	frames []ports.Frame
	args   json.RawMessage
	lines  []line
	seen   int
	sum    page
}

func (s *stitch) add(depth int, text string, inView bool) {
	s.lines = append(s.lines, line{depth: depth, text: text, inView: inView})
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
	s.sum.mark(o.URL, o.Revision)
	s.sum.More = s.sum.More || o.More
	s.sum.Examined += o.Examined
	s.sum.Omitted += o.Omitted
	s.sum.Hidden += o.Hidden
	if o.Partial != "" {
		s.sum.Partial = o.Partial
	}
	for _, l := range o.Lines {
		s.add(indent+l.Depth, l.Text, l.InView)
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
			s.add(indent, fmt.Sprintf("(frame %s not examined: more than %d frames)", f.ID, maxFrames), true)
			return
		}
		args := s.args
		s.args = withoutRoot(args)
		if err := s.frame(ctx, f.ID, indent); err != nil {
			s.add(indent, fmt.Sprintf("(frame %s not examined: %s)", f.ID, err), true)
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
