package primitive

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// framedTab answers "snapshot" by frame.
type framedTab struct {
	ports.Tab
	frames []ports.Frame
	lines  map[string]string // JSON of "lines"
}

func (f framedTab) Frames(context.Context) ([]ports.Frame, error) { return f.frames, nil }

func (f framedTab) Read(_ context.Context, frame, op string, _ json.RawMessage) (json.RawMessage, error) {
	l, ok := f.lines[frame]
	if !ok {
		return nil, ports.NewError(ports.CodeTimeout, "busy", "")
	}
	return json.RawMessage(fmt.Sprintf(`{"lines":%s,"url":"http://%s/","title":"T","examined":3,"hidden":1}`, l, frame)), nil
}

// Each child's outline stands under its iframe's line; a frame that does not answer is a line that says why.
func TestSnapshotStitchesFrames(t *testing.T) {
	tab := framedTab{
		frames: []ports.Frame{{ID: "f0"}, {ID: "f1", Owner: "e1"}, {ID: "f2", Owner: "f1e1"}, {ID: "f3", Owner: "e2"}},
		lines: map[string]string{
			"f0": `[{"d":0,"t":"main"},{"d":1,"t":"iframe [e1]","ref":"e1","frame":true},{"d":1,"t":"iframe [e2]","ref":"e2","frame":true},{"d":0,"t":"button \"X\" [e3]","ref":"e3"}]`,
			"f1": `[{"d":0,"t":"iframe [f1e1]","ref":"f1e1","frame":true}]`,
			"f2": `[{"d":0,"t":"link \"Deep\" [f2e1]","ref":"f2e1"}]`,
		},
	}
	res, err := snapshot(t.Context(), tab, request{Op: "snapshot"})
	if err != nil {
		t.Fatal(err)
	}
	want := `main
 iframe [e1]
  iframe [f1e1]
   link "Deep" [f2e1]
 iframe [e2]
  (frame f3 not examined: busy)
button "X" [e3]
(3 hidden pieces left out)
`
	if diff := cmp.Diff(want, res.Text()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Pages are whole lines, none is longer than asked, and together they are the whole outline.
func TestSnapshotPages(t *testing.T) {
	var lines []string
	for i := range 300 {
		lines = append(lines, fmt.Sprintf(`{"d":%d,"t":%q}`, i%5, fmt.Sprintf("text: line %d %s", i, strings.Repeat("é", i%90))))
	}
	lines = append(lines, fmt.Sprintf(`{"d":0,"t":%q}`, strings.Repeat("x", 5000)))
	tab := framedTab{frames: []ports.Frame{{ID: "f0"}}, lines: map[string]string{"f0": "[" + strings.Join(lines, ",") + "]"}}
	const budget = 300
	seen := 0
	for n := 1; ; n++ {
		res, err := snapshot(t.Context(), tab, request{Args: ports.JSON(view{Budget: budget, Page: n})})
		if err != nil {
			t.Fatal(err)
		}
		var p page
		if err := json.Unmarshal(res.Data, &p); err != nil {
			t.Fatal(err)
		}
		body, foot, _ := strings.Cut(res.Text(), "\n(page ")
		if got := float64(len(res.Text())) / 3.5; got > budget {
			t.Errorf("page %d has %.0f tokens, at most %d", n, got, budget)
		}
		if foot == "" {
			t.Errorf("page %d does not say which page it is", n)
		}
		seen += strings.Count(body, "\n") + 1
		if n == p.Pages {
			break
		}
	}
	if seen != len(lines) {
		t.Errorf("the pages hold %d lines, want %d", seen, len(lines))
	}
}

// What is in view comes first where not all fits, with the lines it stands under, and nothing is lost.
func TestViews(t *testing.T) {
	var lines []line
	for i := range 100 {
		lines = append(lines, line{0, fmt.Sprintf("section %d", i), false}, line{1, fmt.Sprintf("button %q [e%d]", fmt.Sprint("Buy ", i), i), i == 77})
	}
	long := "x" + strings.Repeat("é", 3000)
	tests := map[string]struct {
		why   string
		lines []line
		view  view
		first string // lines of the page
	}{
		"all fits":      {"order of the document", lines[:6], view{}, "section 0\n button \"Buy 0\" [e0]\nsection 1"},
		"in view":       {"what a person sees comes first", lines, view{Budget: 200}, "section 77\n button \"Buy 77\" [e77]\n(not in view:)\nsection 0\n"},
		"second page":   {"it goes on where the first ended", lines, view{Budget: 200, Page: 2}, " button \"Buy 12\" [e12]\nsection 13\n"},
		"beyond":        {"a page that is not there is the last one", lines, view{Budget: 200, Page: 999}, ""},
		"find":          {"only what fits, under what it stands", lines, view{Find: "BUY 5"}, "section 5\n button \"Buy 5\" [e5]\nsection 50\n"},
		"find nothing":  {"nothing is nothing", lines, view{Find: "sell"}, ""},
		"one long line": {"a line longer than a page is clipped between characters", []line{{0, long, true}}, view{Budget: 150}, "xéé"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := tt.view.prepare(); err != nil {
				t.Fatal(err)
			}
			text, p := render(tt.lines, tt.view, page{Hidden: 3, Partial: strings.Repeat("é", 400)})
			if !strings.HasPrefix(text, tt.first) {
				t.Errorf("%s: got\n%s", tt.why, text)
			}
			if !utf8.ValidString(text) || len(text) > tokens(tt.view.Budget) {
				t.Errorf("%d bytes of at most %d, valid %t", len(text), tokens(tt.view.Budget), utf8.ValidString(text))
			}
			if !strings.Contains(text, "3 hidden") || p.Page < 1 {
				t.Errorf("no last line, or no page: %+v\n%s", p, text)
			}
		})
	}
}

func TestRevision(t *testing.T) {
	tab := framedTab{frames: []ports.Frame{{ID: "f0"}}, lines: map[string]string{"f0": `[{"d":0,"t":"main"}],"revision":"a"`}}
	first := look(t, tab, view{})
	if p := look(t, tab, view{Revision: first.Revision}); p.Changed {
		t.Error("the same page counts as changed")
	}
	tab.lines["f0"] = `[{"d":0,"t":"main"}],"revision":"b"`
	if p := look(t, tab, view{Revision: first.Revision}); !p.Changed {
		t.Error("a changed page counts as the same")
	}
}

func look(t *testing.T, tab ports.Tab, v view) (p page) {
	t.Helper()
	res, err := snapshot(t.Context(), tab, request{Args: ports.JSON(v)})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(res.Data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
