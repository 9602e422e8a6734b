package primitive

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"github.com/wb-agent/wb/ports"
)

// view is how much of the outline is wanted.
type view struct {
	Budget   int    `json:"budget"`   // tokens of a page, its last line included; never exceeded [2000]
	MaxChars int    `json:"maxChars"` // the same in bytes; Budget wins
	Page     int    `json:"page"`     // 1-based [1]
	Revision string `json:"revision"` // of the page that this one follows
	Find     string `json:"find"`     // only lines that hold this text, and what they stand under
}

const (
	defaultBudget = 2000
	minBudget     = 140
	footBytes     = 260 // kept free for the last line
	longestFind   = 200
)

// tokens is how many bytes are as many tokens: 3.5 bytes each, where no provider counts them.
func tokens(n int) (bytes int) { return n * 7 / 2 }

// line is one line of the outline before it is cut into pages.
type line struct {
	depth  int
	text   string
	inView bool
}

func (l line) String() string { return strings.Repeat(" ", l.depth) + l.text }

// page is the structured content beside an outline's text.
type page struct {
	URL      string          `json:"url"`
	Title    string          `json:"title"`
	Page     int             `json:"page"`
	Pages    int             `json:"pages,omitempty"` // 0: more than one, not counted
	Revision string          `json:"revision,omitempty"`
	Changed  bool            `json:"changed,omitempty"` // since the revision that was named
	Chars    int             `json:"total_chars"`       // bytes of all that was walked
	Examined int             `json:"examined"`
	Omitted  int             `json:"omitted,omitempty"`
	Hidden   int             `json:"hidden,omitempty"`
	More     bool            `json:"more,omitempty"` // what does not fit was not walked
	Partial  string          `json:"partial,omitempty"`
	Overlays json.RawMessage `json:"overlays,omitempty"`
}

// mark takes a frame's revision into the page's.
func (p *page) mark(url, revision string) {
	h := fnv.New32a()
	fmt.Fprint(h, p.Revision, "\x00", url, "\x00", revision)
	p.Revision = fmt.Sprintf("%08x", h.Sum32())
}

// prepare fills in defaults and refuses a budget in which nothing could be said.
func (v *view) prepare() error {
	switch {
	case v.Budget == 0 && v.MaxChars > 0:
		v.Budget = v.MaxChars * 2 / 7
	case v.Budget == 0:
		v.Budget = defaultBudget
	}
	if v.Budget < minBudget {
		return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("a budget of %d tokens", v.Budget), fmt.Sprintf("give at least %d", minBudget))
	}
	v.Page = max(v.Page, 1)
	if len(v.Find) > longestFind {
		return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("find has %d bytes", len(v.Find)), fmt.Sprintf("give at most %d", longestFind))
	}
	return nil
}

// scriptArgs is what the page script is told: for the first page it need not walk more than what fits.
func (v view) scriptArgs(raw json.RawMessage) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(orEmpty(raw), &m) != nil {
		return raw
	}
	for _, k := range []string{"budget", "maxChars", "page", "revision", "find"} {
		delete(m, k)
	}
	if v.Page == 1 && v.Find == "" {
		m["enough"] = ports.JSON(tokens(v.Budget))
	}
	return ports.JSON(m)
}

// render cuts the outline into pages of whole lines and returns the one asked for. Where all fits, lines
// stand in the order of the document; else what is in view comes first, and the rest after it.
func render(lines []line, v view, sum page) (string, page) {
	if v.Find != "" {
		lines = holding(lines, v.Find)
	}
	for _, l := range lines {
		sum.Chars += l.depth + len(l.text) + 1
	}
	limit := tokens(v.Budget)
	if sum.Chars > limit-footBytes {
		lines, limit = inViewFirst(lines), limit-footBytes
	}
	pages := cut(lines, limit)
	sum.Pages, sum.Page = len(pages), min(v.Page, len(pages))
	if sum.More {
		sum.Pages, pages = 0, pages[:1] // what comes after it was not walked in full
	}
	sum.Changed = v.Revision != "" && v.Revision != sum.Revision
	return pages[sum.Page-1] + footer(sum), sum
}

// cut fills pages with whole lines; a line longer than a page is clipped.
func cut(lines []line, limit int) []string {
	var pages []string
	var cur strings.Builder
	for _, l := range lines {
		t := clip(l.String(), limit-1) + "\n"
		if cur.Len() > 0 && cur.Len()+len(t) > limit {
			pages = append(pages, cur.String())
			cur.Reset()
		}
		cur.WriteString(t)
	}
	return append(pages, cur.String())
}

// inViewFirst moves what is in view, with the lines it stands under, before the rest.
func inViewFirst(lines []line) []line {
	keep := upwards(lines, func(l line) bool { return l.inView })
	var first, rest []line
	for i, l := range lines {
		if keep[i] {
			first = append(first, l)
		} else {
			rest = append(rest, l)
		}
	}
	if len(first) == 0 || len(rest) == 0 {
		return lines
	}
	return append(append(first, line{text: "(not in view:)"}), rest...)
}

// holding keeps the lines that hold a text, case ignored, and those they stand under.
func holding(lines []line, text string) []line {
	want := strings.ToLower(text)
	keep := upwards(lines, func(l line) bool { return strings.Contains(strings.ToLower(l.text), want) })
	var out []line
	for i, l := range lines {
		if keep[i] {
			out = append(out, l)
		}
	}
	return out
}

// upwards marks the lines that are wanted and all lines they stand under.
func upwards(lines []line, wanted func(line) bool) []bool {
	keep := make([]bool, len(lines))
	above := 0 // a line of less depth than this is an ancestor of one that is kept
	for i := len(lines) - 1; i >= 0; i-- {
		l := lines[i]
		keep[i] = wanted(l) || l.depth < above
		if keep[i] {
			above = l.depth
		}
	}
	return keep
}

func footer(p page) string {
	var parts []string
	switch {
	case p.More:
		parts = append(parts, fmt.Sprintf("page 1, revision %s; there is more: ask for page 2, a find, or a ref_id", p.Revision))
	case p.Pages > 1:
		parts = append(parts, fmt.Sprintf("page %d of %d, revision %s", p.Page, p.Pages, p.Revision))
	}
	if p.Changed {
		parts = append(parts, "the page has changed since the revision you named: lines may be missing or twice, begin at page 1")
	}
	if p.Hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d hidden pieces left out", p.Hidden))
	}
	if p.Omitted > 0 {
		parts = append(parts, fmt.Sprintf("%d elements not shown", p.Omitted))
	}
	if p.Partial != "" {
		parts = append(parts, "partial: "+p.Partial)
	}
	if len(parts) == 0 {
		return ""
	}
	return clip("("+strings.Join(parts, "; "), footBytes-2) + ")\n"
}

// clip cuts a text to at most n bytes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(0, n-len("…"))
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
