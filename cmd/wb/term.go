package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"golang.org/x/term"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
)

// Rules of everything a person sees:
//   - one line a step; what is going on now is shown in place and wiped;
//   - colour only on a terminal, never as the only sign; NO_COLOR is honoured;
//   - errors are "error: what" and "fix: what to do", on stderr;
//   - text from pages and models is cleaned of control characters before it is printed.

// screen writes progress for a person. Safe for concurrent use.
type screen struct {
	w     io.Writer
	live  bool // a terminal: colour, and lines that are rewritten
	width int
	// untraced: the journal goes with the run, so there is no trace to point to.
	untraced bool

	mu    sync.Mutex
	step  int
	began time.Time
	wiped bool
}

func newScreen(f *os.File) *screen {
	s := &screen{w: f, width: 100, began: time.Now()}
	if term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.live = true
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
			s.width = w
		}
	}
	return s
}

func (s *screen) style(st lipgloss.Style, text string) string {
	if !s.live || os.Getenv("NO_COLOR") != "" {
		return text
	}
	return st.Render(text)
}

var ( // the palette: ANSI colours, so that the terminal's own theme decides how they look
	bold  = lipgloss.NewStyle().Bold(true)
	dim   = lipgloss.NewStyle().Faint(true)
	green = lipgloss.NewStyle().Foreground(lipgloss.Color("2"))
	red   = lipgloss.NewStyle().Foreground(lipgloss.Color("1"))
	amber = lipgloss.NewStyle().Foreground(lipgloss.Color("3"))
)

// event shows one event of a run.
func (s *screen) event(e ports.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch e.Kind {
	case ports.EventRunStart:
		var d struct{ Mode, Provider, Model string }
		_ = json.Unmarshal(e.Data, &d) // missing parts print as nothing
		s.line(s.style(bold, clean(e.Text, s.width-2)))
		s.line(s.style(dim, fmt.Sprintf("run %s · %s · %s %s", e.Run, d.Mode, d.Provider, d.Model)))
	case ports.EventStep:
		s.now("thinking")
	case ports.EventToolStart:
		s.now(e.Tool + " " + clean(string(e.Data), 60))
	case ports.EventToolEnd:
		s.step++
		s.line(s.toolLine(e))
		s.refusal(e)
	case ports.EventNote:
		s.line("    " + s.style(amber, "note: ") + clean(e.Text, s.width-12))
	case ports.EventRunEnd:
		s.wipe()
	}
}

// toolLine is number, sign, tool, and what came of it.
func (s *screen) toolLine(e ports.Event) string {
	var d struct {
		ports.Receipt
		Error bool `json:"error"`
	}
	_ = json.Unmarshal(e.Data, &d) // events of reading tools carry none
	sign, what := s.style(dim, "·"), firstLine(e.Text)
	switch {
	case d.Error:
		sign, what = s.style(red, "✗"), e.Text
		if strings.HasPrefix(e.Text, "error ("+ports.CodeRefused+"): ") {
			what = "refused" // the lines below say why
		}
	case d.Verdict == ports.VerdictDone:
		sign, what = s.style(green, "✓"), receiptText(d.Receipt)
	case d.Verdict == ports.VerdictNotDone:
		sign, what = s.style(red, "✗"), receiptText(d.Receipt)
	case d.Verdict == ports.VerdictUnknown:
		sign, what = s.style(amber, "?"), receiptText(d.Receipt)
	}
	return fmt.Sprintf("%3d %s %-22s %s", s.step, sign, e.Tool, clean(what, max(20, s.width-30)))
}

// refusal says in full what was refused and what would allow it: a person who cannot read it cannot decide.
func (s *screen) refusal(e ports.Event) {
	why, ok := strings.CutPrefix(e.Text, "error ("+ports.CodeRefused+"): ")
	var d struct{ Error bool }
	if !ok || json.Unmarshal(e.Data, &d) != nil || !d.Error {
		return
	}
	why, fix, _ := strings.Cut(why, "\nwhat to do: ")
	s.line("    " + s.style(red, "refused: ") + clean(why, 2000))
	if fix != "" {
		s.line("    fix: " + clean(fix, 2000))
	}
}

// receiptText is a receipt in one line: the target, its value or else what was seen, and why not.
func receiptText(r ports.Receipt) string {
	var parts []string
	if r.Target != nil {
		parts = append(parts, fmt.Sprintf("%s %q", r.Target.Role, clean(r.Target.Name, 40)))
	}
	if r.Verdict != ports.VerdictDone {
		parts = append(parts, string(r.Verdict))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if r.After != "" && r.After != r.Before {
		parts = append(parts, fmt.Sprintf("is %q", r.After))
	} else {
		parts = append(parts, r.Effects...)
	}
	if r.URL != "" {
		parts = append(parts, "now at "+r.URL)
	}
	return strings.Join(parts, " · ")
}

// end shows how a run ended.
func (s *screen) end(o agent.Outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wipe()
	sign := s.style(red, "✗ "+o.Status)
	switch o.Status {
	case agent.StatusSuccess:
		sign = s.style(green, "✓ success")
	case agent.StatusPartial, agent.StatusStopped, agent.StatusNeedsUser:
		sign = s.style(amber, "! "+o.Status)
	}
	_, _ = fmt.Fprintf(s.w, "\n%s in %d steps, %.1f s\n", sign, o.Steps, time.Since(s.began).Seconds())
	for l := range strings.Lines(strings.TrimSpace(o.Summary)) {
		_, _ = fmt.Fprintf(s.w, "  %s\n", clean(l, 2000))
	}
	if o.Reason != "" {
		for l := range strings.Lines(strings.TrimSpace(o.Reason)) {
			_, _ = fmt.Fprintf(s.w, "  %s%s\n", s.style(dim, "why: "), clean(l, 2000))
		}
	}
	if len(o.Result) > 0 && string(o.Result) != "null" {
		_, _ = fmt.Fprintf(s.w, "%s\n", o.Result)
	}
	if !s.untraced {
		_, _ = fmt.Fprintln(s.w, s.style(dim, "  trace: wb trace show "+o.Run))
	}
}

// now shows what is going on, until the next line. Nothing but a terminal sees it.
func (s *screen) now(text string) {
	if s.live {
		s.wipe()
		_, _ = fmt.Fprint(s.w, dim.Render("    … "+clean(text, s.width-8)))
		s.wiped = true
	}
}

func (s *screen) wipe() {
	if s.wiped {
		_, _ = fmt.Fprint(s.w, "\r\033[K")
		s.wiped = false
	}
}

func (s *screen) line(text string) {
	s.wipe()
	_, _ = fmt.Fprintln(s.w, text)
}

// clean makes text from anywhere printable on one line: no control characters, no bidirectional
// overrides, at most n characters.
func clean(text string, n int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < 0x20 || r >= 0x7f && r < 0xa0,
			r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff, r >= 0xe0000 && r <= 0xe007f:
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n && n > 1 {
		return string(r[:n-1]) + "…"
	}
	return text
}

// firstLine is the first line that says something, and how many there are behind it.
func firstLine(text string) string {
	first, more := "", 0
	for l := range strings.Lines(text) {
		switch l = strings.TrimSpace(l); {
		case l == "" || strings.HasPrefix(l, "<data ") || strings.HasPrefix(l, "</data "):
		case first == "":
			first = l
		default:
			more++
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s (%d more lines)", clean(first, 60), more)
	}
	return first
}

// printError shows an error and what to do about it.
func printError(w io.Writer, err error) {
	_, _ = fmt.Fprintln(w, "error:", clean(err.Error(), 4000))
	fix := ports.FixOf(err)
	if fix == "" && isUsage(err) {
		fix = "see: wb --help"
		if strings.HasPrefix(err.Error(), "accepts ") {
			fix = "text with spaces or JSON is one argument in quotes; see the command's --help"
		}
	}
	if fix != "" {
		_, _ = fmt.Fprintln(w, "fix:  ", clean(fix, 4000))
	}
}

// isUsage reports whether cobra refused the command line.
func isUsage(err error) bool {
	s := err.Error()
	for _, p := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "requires at most", "invalid argument", "flag needs an argument"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}
