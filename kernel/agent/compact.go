package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// When the transcript is compacted, and to what.
const (
	maxMessages    = 50
	maxChars       = 80_000
	windowShare    = 0.75
	charsPerToken  = 3.5
	keepMessages   = 30
	emergencyKeep  = 6
	summaryChars   = 4000
	oldResultChars = 600 // of a result behind the last few, once the window is tight
	freshMessages  = 6
	imageMessages  = 4 // pictures live in the last few messages only
	defaultWindow  = 128_000
	promptReserve  = 12_000 // characters of the system prompt and the tool list
)

const summaryMark = "[wb] Earlier in this run (summary):"

// compact keeps the transcript inside its bounds: the task, a summary of what is dropped, and the last
// messages. The summary is made from the calls and their receipts, not by a model: it cannot be talked
// into anything.
func (s *session) compact() {
	if len(s.Messages) <= maxMessages && chars(s.Messages) <= s.charLimit() {
		return
	}
	s.trim(keepMessages)
	s.shortenAllBut(freshMessages)
	for keep := keepMessages / 2; keep >= emergencyKeep && chars(s.Messages) > s.charLimit(); keep /= 2 {
		s.trim(keep)
	}
	s.shortenAllBut(1) // a small window: only what came last is whole
}

// shortenAllBut cuts old answers, the oldest first, until the transcript fits.
func (s *session) shortenAllBut(fresh int) {
	for i := range s.Messages[:max(0, len(s.Messages)-fresh)] {
		if chars(s.Messages) <= s.charLimit() {
			return
		}
		shorten(&s.Messages[i])
	}
}

// charLimit is the smaller of the fixed bound and the model's window.
func (s *session) charLimit() int {
	window := float64(orElse(s.end.Context, defaultWindow))*windowShare*charsPerToken - promptReserve
	return max(4000, min(maxChars, int(window)))
}

// trim drops all but the task and the last keep messages, and summarises what went. An answer is never
// kept without the call it answers.
func (s *session) trim(keep int) {
	from := max(1, len(s.Messages)-keep)
	for from < len(s.Messages) && s.Messages[from].Role == "tool" {
		from++
	}
	if from <= 1 || from == 2 && isSummary(s.Messages[1]) {
		return
	}
	summary := userText(summaryMark + "\n" + summarise(s.Messages[1:from]))
	s.Messages = append([]ports.Message{s.Messages[0], summary}, s.Messages[from:]...)
}

func isSummary(m ports.Message) bool { return strings.HasPrefix(textOf(m), summaryMark) }

// summarise is one line a call with the first line of its answer, the newest kept when space runs out.
func summarise(dropped []ports.Message) string {
	answers := map[string]string{}
	for _, m := range dropped {
		if m.Role == "tool" {
			answers[m.CallID] = gist(textOf(m))
		}
	}
	var lines []string
	for _, m := range dropped {
		switch {
		case isSummary(m):
			lines = append(lines, strings.Split(strings.TrimSpace(strings.TrimPrefix(textOf(m), summaryMark)), "\n")...)
		case m.Role == "assistant":
			if t := oneLine(textOf(m), 200); t != "" {
				lines = append(lines, "- said: "+t)
			}
			for _, tc := range m.Calls {
				lines = append(lines, fmt.Sprintf("- %s %s -> %s", tc.Name, oneLine(tc.Args, 120), answers[tc.ID]))
			}
		case m.Role == "user":
			lines = append(lines, "- told: "+oneLine(textOf(m), 200))
		}
	}
	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += len(lines[i]) + 1; size > summaryChars {
			return fmt.Sprintf("- (%d older steps)\n%s", i+1, strings.Join(lines[i+1:], "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// gist is the first telling line of an answer.
func gist(text string) string {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "<data ") {
			return oneLine(l, 160)
		}
	}
	return ""
}

// shorten cuts the text of an old answer.
func shorten(m *ports.Message) {
	if m.Role != "tool" {
		return
	}
	for i, p := range m.Content {
		if r := []rune(p.Text); len(r) > oldResultChars {
			m.Content[i].Text = string(r[:oldResultChars]) + "\n(cut: an old result; look again if it matters)"
		}
	}
}

// window is the transcript as it is sent: pictures only in the last messages.
func (s *session) window() []ports.Message {
	out := make([]ports.Message, len(s.Messages))
	copy(out, s.Messages)
	for i := range max(0, len(out)-imageMessages) {
		out[i] = without(out[i], "image")
	}
	return out
}

// without is a message with a note in place of its parts of some types.
func without(m ports.Message, types ...string) ports.Message {
	parts := make([]ports.Part, 0, len(m.Content))
	for _, p := range m.Content {
		switch {
		case !slices.Contains(types, p.Type):
		case p.Type == "image":
			p = ports.Part{Type: "text", Text: "(a picture was here)"}
		default:
			p = ports.Part{Type: "text", Text: "(the file " + p.Name + " was here)"}
		}
		parts = append(parts, p)
	}
	m.Content = parts
	return m
}

func chars(ms []ports.Message) int {
	n := 0
	for _, m := range ms {
		for _, p := range m.Content {
			n += len(p.Text)
		}
		for _, tc := range m.Calls {
			n += len(tc.Name) + len(tc.Args)
		}
	}
	return n
}
