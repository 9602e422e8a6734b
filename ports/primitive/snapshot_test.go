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
	const budget = 1000
	seen := 0
	for n := 1; ; n++ {
		res, err := snapshot(t.Context(), tab, request{Args: ports.JSON(view{MaxChars: budget, Page: n})})
		if err != nil {
			t.Fatal(err)
		}
		var p page
		if err := json.Unmarshal(res.Data, &p); err != nil {
			t.Fatal(err)
		}
		body, foot, _ := strings.Cut(res.Text(), "\n(page ")
		if got := utf8.RuneCountInString(body); got > budget {
			t.Errorf("page %d has %d characters, at most %d", n, got, budget)
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
