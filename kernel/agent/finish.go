package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// maxRefusals is how often done is refused before it is accepted as partial.
const maxRefusals = 2

// pageState is the part of the page script's "state" that decides about done.
type pageState struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Dialogs []string `json:"dialogs"`
	Errors  []string `json:"errors"`
	Forms   []struct {
		Name  string   `json:"name"`
		Dirty []string `json:"dirty"`
	} `json:"forms"`
}

// claim is how a model says that it is done.
type claim struct {
	summary, outcome string
	result           json.RawMessage
	evidence         []json.RawMessage // conditions; of a careful run
}

// conclude ends the run, or answers why not yet. A claim of success is refused twice while the page shows
// that something is open; then it is accepted as partial, with the reason beside it.
func (s *session) conclude(ctx context.Context, c claim) (refusal string) {
	open := s.openEnds(ctx)
	var checked []ports.Expected
	if s.task.Careful && c.outcome == StatusSuccess {
		var lacks []string
		checked, lacks = s.prove(ctx, c.evidence)
		open = append(open, lacks...)
	}
	if c.outcome == StatusSuccess && len(open) > 0 && s.task.Mode != ports.ModeAsk {
		why := strings.Join(open, "; ")
		if s.DoneNo < maxRefusals {
			s.DoneNo++
			return "Not done yet: " + why + ". Look at the page and finish it, or call done with outcome partial and say what is missing."
		}
		s.finish(StatusPartial, c.summary, "claimed as success, but "+why)
	} else {
		reason := ""
		if c.outcome != StatusSuccess {
			reason = strings.Join(open, "; ")
		}
		s.finish(c.outcome, c.summary, reason)
	}
	s.outcome.Result, s.outcome.Evidence = c.result, checked
	s.picture(ctx)
	return ""
}

// openEnds lists what speaks against "done", in words.
func (s *session) openEnds(ctx context.Context) []string {
	var open []string
	if s.Unverified != "" {
		open = append(open, fmt.Sprintf("nobody has looked at what %s did", s.Unverified))
	}
	if s.tab == "" {
		return open
	}
	open = append(open, s.reverted(ctx)...)
	res, err := s.call(ctx, ports.FromKernel, "browser.read", json.RawMessage(`{"op":"state"}`))
	if ports.CodeOf(err) == ports.CodeDialogOpen {
		return append(open, "a browser dialog is open: "+oneLine(err.Error(), 200))
	}
	var st pageState
	if err != nil || json.Unmarshal(res.Data, &st) != nil {
		return open // a page that cannot be read speaks neither for nor against
	}
	s.page = res.Data
	s.URL, s.Title = st.URL, oneLine(st.Title, 200)
	for _, d := range st.Dialogs {
		open = append(open, fmt.Sprintf("the dialog %q is open", oneLine(d, 80)))
	}
	for _, f := range st.Forms {
		if len(f.Dirty) > 0 {
			open = append(open, fmt.Sprintf("the form %q holds unsent input (%s)", oneLine(f.Name, 80), oneLine(strings.Join(f.Dirty, ", "), 200)))
		}
	}
	return open
}

// reverted lists what the page has taken back since the last receipt, told once.
func (s *session) reverted(ctx context.Context) []string {
	res, err := s.call(ctx, ports.FromKernel, "browser.read", json.RawMessage(`{"op":"late"}`))
	var late struct{ Since []string }
	if err != nil || json.Unmarshal(res.Data, &late) != nil {
		return nil // a page that cannot be read speaks neither for nor against
	}
	var out []string
	for _, l := range late.Since {
		if strings.Contains(l, "was reverted") {
			out = append(out, oneLine(l, 200))
		}
	}
	return out
}

// picture adds a last look at the page to the outcome, where there is one to be had.
func (s *session) picture(ctx context.Context) {
	s.outcome.URL, s.outcome.Title, s.outcome.Page = s.URL, s.Title, s.page
	if s.tab == "" {
		return
	}
	res, err := s.call(ctx, ports.FromKernel, "browser.capture", json.RawMessage(`{}`))
	if err != nil {
		return
	}
	for _, c := range res.Content {
		if c.Type == "image" {
			s.pictures = append(s.pictures, c)
		}
	}
}

// handOff gives the model one last word when its turns are used up: only done, and no success.
func (s *session) handOff(ctx context.Context) {
	reason := fmt.Sprintf("all %d turns are used up; raise --max-steps, or go on with: wb run --resume %s --max-steps N", s.task.MaxTurns, s.id)
	s.Messages = append(s.Messages, userText("[wb] Your turns are used up. Call done now: say what is complete and what is missing. The outcome is partial or failed."))
	only := []ports.ToolDecl{{Name: toolDone, Description: "End the run.", Input: s.doneSchema()}}
	summary, outcome := "The turns were used up.", StatusPartial
	if reply, err := s.ask(ctx, only); err == nil {
		s.Messages = append(s.Messages, reply.Message)
		if text := strings.TrimSpace(textOf(reply.Message)); text != "" {
			summary = text
		}
		for _, tc := range reply.Message.Calls {
			var a struct{ Summary, Outcome string }
			if args, err := decodeArgs(tc.Args); tc.Name == toolDone && err == nil && json.Unmarshal(args, &a) == nil {
				summary = orElse(a.Summary, summary)
				if a.Outcome == StatusFailed {
					outcome = StatusFailed
				}
			}
		}
	}
	s.finish(outcome, summary, reason)
	s.picture(ctx)
}
