package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/wb-agent/wb/ports"
)

// restore reads back what a run stored. It changes nothing in the world.
func (s *session) restore(r ports.Run, t Task) error {
	switch {
	case len(r.State) == 0:
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("run %s kept no transcript (journal: metadata), so it cannot be resumed", r.ID), "start it again")
	case r.Status == StatusSuccess:
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("run %s has ended with success", r.ID), "`wb trace show "+r.ID+"` prints it")
	}
	if err := json.Unmarshal(r.State, &s.state); err != nil {
		return ports.NewError(ports.CodeStorage, fmt.Sprintf("run %s: stored state: %v", r.ID, err), "start it again")
	}
	s.id, s.task = r.ID, s.Task
	s.task.TimeoutMS = t.TimeoutMS
	if t.MaxTurns > 0 {
		s.task.MaxTurns = t.MaxTurns
	} else if s.task.MaxTurns <= s.Step {
		s.task.MaxTurns = s.Step + defaultTurns
	}
	return nil
}

// pickUp goes on from old, now that the lease is ours. A run that somebody else worked on in between is
// not what was read.
func (s *session) pickUp(ctx context.Context, old ports.Run) error {
	now, err := s.a.o.Runs.Run(ctx, old.ID)
	if err != nil {
		return err
	}
	if now.Status != old.Status || !bytes.Equal(now.State, old.State) {
		return ports.NewError(ports.CodeBusy, fmt.Sprintf("run %s went on meanwhile", old.ID), "look at it with: wb trace show "+old.ID)
	}
	return s.recover(ctx)
}

// recover gives every call that has no answer one: a finished call its stored outcome, a mutating call
// that was begun and never ended "unknown", and one that was never begun "not run". Nothing is repeated.
// Then the last page is opened in the new browser.
func (s *session) recover(ctx context.Context) error {
	records, err := s.records(ctx)
	if err != nil {
		return err
	}
	s.stored = s.Calls
	for _, r := range records { // IDs are never used twice
		var n int
		if _, err := fmt.Sscanf(r.ID, s.id+"-%d", &n); err == nil {
			s.Calls = max(s.Calls, n)
		}
	}
	next := 0
	for _, tc := range s.unanswered() {
		var rec *ports.Record
		for ; next < len(records) && rec == nil; next++ {
			if r := records[next]; r.From == ports.FromModel && r.Tool == tc.Name && s.isPending(r.ID) {
				rec = &records[next]
			}
		}
		text, isError := s.afterwards(ctx, tc, rec)
		s.answer(tc, text, isError)
	}
	if s.tab != "" { // the person's own: the page is as it was
		s.Messages = append(s.Messages, userText("[wb] wb was stopped and has been started again. The tab was left as it was, but the person may have used it meanwhile. Look at the page before you act."))
		return nil
	}
	s.Messages = append(s.Messages, userText("[wb] wb was stopped and has been started again. The browser is a new one: "+
		"logins that the profile keeps are there, but what pages held in memory (unsent input, open dialogs) is lost, and all earlier refs are void. Look at the page before you act."))
	if s.a.o.Refs != nil {
		s.a.o.Refs(s.MaxRef)
	}
	if s.URL != "" && s.URL != "about:blank" {
		if _, err := s.call(ctx, ports.FromKernel, "browser.nav", ports.JSON(map[string]string{"url": s.URL})); err != nil {
			s.Messages = append(s.Messages, userText("[wb] The last page could not be opened again: "+oneLine(err.Error(), 300)))
		}
	}
	return nil
}

// afterwards is the answer to a call that the process did not live to give.
func (s *session) afterwards(ctx context.Context, tc ports.ToolCall, rec *ports.Record) (text string, isError bool) {
	switch {
	case rec == nil:
		return "not run: wb was stopped before it. Look at the page, then decide anew.", true
	case rec.Status == "" && rec.Mutates:
		s.Unverified = tc.Name
		return "unknown: wb was stopped while this ran. It may or may not have happened. Look at the page before anything else; do not repeat it unless you see that it did not happen.", true
	case rec.Status == "":
		return "not finished: wb was stopped while this was read. Read again.", true
	}
	res, err := s.a.o.Result(ctx, *rec)
	if err != nil || len(res.Content) == 0 {
		return fmt.Sprintf("it ended (%s) before wb was stopped: %s", rec.Status, oneLine(rec.Text, 500)), rec.Status != "ok"
	}
	spec, _ := s.spec(tc.Name)
	return s.shown(spec, res), rec.Status != "ok"
}

// unanswered are the calls of the last answer of the model that have no result in the transcript.
func (s *session) unanswered() []ports.ToolCall {
	answered := map[string]bool{}
	for i := len(s.Messages) - 1; i >= 0; i-- {
		m := s.Messages[i]
		if m.Role == "tool" {
			answered[m.CallID] = true
			continue
		}
		var out []ports.ToolCall
		for _, tc := range m.Calls {
			if !answered[tc.ID] {
				out = append(out, tc)
			}
		}
		return out
	}
	return nil
}

// isPending reports whether a journal row was written after the stored state.
func (s *session) isPending(id string) bool {
	var n int
	_, err := fmt.Sscanf(id, s.id+"-%d", &n)
	return err == nil && n > s.stored
}

// records are all rows of the run, oldest first.
func (s *session) records(ctx context.Context) ([]ports.Record, error) {
	const page = 500
	var out []ports.Record
	for seq := int64(0); ; {
		rs, err := s.a.o.Records.Since(ctx, s.id, seq, page)
		if err != nil {
			return nil, err
		}
		out = append(out, rs...)
		if len(rs) < page {
			return out, nil
		}
		seq = rs[len(rs)-1].Seq
	}
}
