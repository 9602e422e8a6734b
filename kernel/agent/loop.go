package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// maxFailures is how many model failures in a row, or empty answers in a row, end a run.
const maxFailures = 3

// loop turns until the run is finished. It leaves s.outcome filled in, whatever happens.
func (s *session) loop(ctx context.Context) {
	if s.task.URL != "" && s.Step == 0 {
		if err := s.open(ctx); err != nil {
			s.fail(err)
		}
	}
	if s.tab != "" && s.Step == 0 {
		s.arrive(ctx)
	}
	for !s.finished {
		switch {
		case ctx.Err() != nil:
			s.stopped(ctx)
		case s.Step >= s.task.MaxTurns:
			s.handOff(ctx)
		default:
			s.turn(ctx)
		}
	}
	s.outcome.Run, s.outcome.Steps, s.outcome.Usage, s.outcome.Trail = s.id, s.Step, s.Usage, s.Trail
	if s.outcome.URL == "" {
		s.outcome.URL, s.outcome.Title = s.URL, s.Title
	}
	if err := s.save(ctx, s.outcome.Status); err != nil {
		s.outcome.Status, s.outcome.Code = StatusFailed, ports.CodeOf(err)
		s.outcome.Reason = strings.TrimSpace(s.outcome.Reason + " the run could not be stored: " + err.Error())
	}
}

// open goes to the task's URL before the first turn.
func (s *session) open(ctx context.Context) error {
	s.emit(ports.Event{Kind: ports.EventToolStart, Tool: "navigate", Data: ports.JSON(map[string]string{"url": s.task.URL})})
	res, err := s.call(ctx, ports.FromKernel, "browser.nav", ports.JSON(map[string]string{"url": s.task.URL}))
	if err != nil {
		return err
	}
	var nav ports.NavResult
	if json.Unmarshal(res.Data, &nav) == nil {
		s.URL, s.Title = nav.URL, nav.Title
	}
	s.emit(ports.Event{Kind: ports.EventToolEnd, Tool: "navigate", Text: "at " + s.URL})
	return nil
}

// turn asks the model once and runs what it answered.
func (s *session) turn(ctx context.Context) {
	s.Step++
	s.compact()
	reply, err := s.ask(ctx, s.tools())
	if err != nil {
		s.modelFailed(ctx, err)
		return
	}
	s.failures = 0
	s.Messages = append(s.Messages, reply.Message)
	if err := s.save(ctx, statusRunning); err != nil {
		s.fail(err)
		return
	}
	if len(reply.Message.Calls) == 0 {
		s.answered(ctx, reply)
		return
	}
	s.empty = 0
	s.runCalls(ctx, reply.Message.Calls)
}

// runCalls runs the model's calls in order. Once stopped or finished, the rest is answered, not run:
// every call of a model must have an answer, or the next request is refused by its endpoint.
func (s *session) runCalls(ctx context.Context, calls []ports.ToolCall) {
	s.acted = false
	for _, tc := range calls {
		switch {
		case ctx.Err() != nil:
			s.answer(tc, "not run: the run was stopped", true)
		case s.finished:
			s.answer(tc, "not run: the run is finished", true)
		default:
			s.runCall(ctx, tc)
		}
	}
}

func (s *session) runCall(ctx context.Context, tc ports.ToolCall) {
	s.emit(ports.Event{Kind: ports.EventToolStart, Tool: tc.Name, Data: argsForShow(tc.Args)})
	before := s.Calls
	text, isError, images, receipt := s.dispatch(ctx, tc)
	e := ports.Event{Kind: ports.EventToolEnd, Tool: tc.Name}
	if s.Calls > before {
		e.Call = s.callID(before + 1)
	}
	if nudge, stop := s.detect.saw(tc, !isError, s.URL); nudge != "" {
		text += "\n\n[wb] " + nudge
		s.note(nudge)
		if stop {
			s.finish(StatusFailed, "The run was stopped because it turned in circles.", nudge)
		}
	}
	s.answer(tc, text, isError, images...)
	e.Text = text
	if receipt != nil {
		e.Data = ports.JSON(receipt)
	}
	if isError {
		e.Data = ports.JSON(map[string]any{"error": true, "receipt": receipt})
	}
	s.emit(e)
	if err := s.save(ctx, statusRunning); err != nil {
		s.fail(err)
	}
}

// dispatch runs one call and turns whatever comes of it into what the model reads.
func (s *session) dispatch(ctx context.Context, tc ports.ToolCall) (text string, isError bool, images []ports.Part, receipt *ports.Receipt) {
	args, err := decodeArgs(tc.Args)
	if err != nil {
		return err.Error(), true, nil, nil
	}
	spec, ok := s.spec(tc.Name)
	if !ok {
		return fmt.Sprintf("there is no tool %q here; use one of: %s", tc.Name, strings.Join(s.names(), ", ")), true, nil, nil
	}
	if why := s.hold(spec, args); why != "" {
		return why, true, nil, nil
	}
	res, err := s.call(ctx, ports.FromModel, tc.Name, args)
	if err != nil {
		s.learn(spec, args, nil)
		s.afterError(spec, err)
		return s.shownError(err), true, nil, nil
	}
	if r, ok := ports.ReceiptOf(res); ok {
		receipt = &r
	}
	s.look(spec, receipt)
	return s.shown(spec, res) + s.learn(spec, args, receipt), res.IsError, s.images(res), receipt
}

// afterError ends the run where going on cannot help.
func (s *session) afterError(spec ports.Spec, err error) {
	switch ports.CodeOf(err) {
	case ports.CodeNeedsUser:
		s.finish(StatusNeedsUser, "The run needs a person.", err.Error()+fixIn(err))
		s.outcome.Code = ports.CodeNeedsUser
	case ports.CodeStorage, ports.CodeBrowserGone:
		s.fail(err)
	case ports.CodeUnknown:
		s.Unverified = spec.Name
	}
	if refused := s.a.o.Refusals(s.id); len(refused) >= maxFailures {
		s.finish(StatusRefused, "The policy does not allow what the task needs.", strings.Join(last(refused, 1), "; "))
	}
}

// look keeps track of whether the last action's outcome has been looked at.
func (s *session) look(spec ports.Spec, r *ports.Receipt) {
	switch {
	case r != nil && r.Verdict == ports.VerdictUnknown:
		s.Unverified = spec.Name
	case r != nil:
		s.Unverified = ""
	case spec.Risk == ports.RiskRead:
		s.Unverified = ""
	}
	if r != nil && r.URL != "" {
		s.URL = r.URL
	}
}

// answer appends a tool's answer to the transcript.
func (s *session) answer(tc ports.ToolCall, text string, isError bool, images ...ports.Part) {
	parts := append([]ports.Part{{Type: "text", Text: text}}, images...)
	s.Messages = append(s.Messages, ports.Message{Role: "tool", CallID: tc.ID, IsError: isError, Content: parts})
	s.noteRefs(text)
}

// answered handles text without a tool call: the model's last word, held to the same gate as done.
func (s *session) answered(ctx context.Context, reply ports.ChatReply) {
	text := strings.TrimSpace(textOf(reply.Message))
	if text == "" {
		if s.empty++; s.empty >= maxFailures {
			s.finish(StatusFailed, "The model answered nothing.", fmt.Sprintf("%d empty answers in a row (finish: %s); try another model", s.empty, reply.Finish))
			return
		}
		s.Messages = append(s.Messages, userText("[wb] Your answer was empty. Call a tool, or call done with a summary."))
		return
	}
	s.empty = 0
	if s.validate != nil {
		s.DoneNo++
		if s.DoneNo > maxRefusals {
			s.finish(StatusPartial, text, "the model answered in text instead of the result that --output-schema asks for")
			return
		}
		s.Messages = append(s.Messages, userText("[wb] Call done with a result that matches its schema; text alone is not enough here."))
		return
	}
	if refusal := s.conclude(ctx, claim{summary: text, outcome: StatusSuccess}); refusal != "" {
		s.Messages = append(s.Messages, userText("[wb] "+refusal))
	}
}

// modelFailed makes a failed model call data, or ends the run.
func (s *session) modelFailed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return // the loop sees it
	}
	s.failures++
	switch ports.CodeOf(err) {
	case ports.CodeOverflow:
		if s.failures == 1 {
			s.trim(emergencyKeep)
			s.note("the prompt was larger than the model's window; the transcript was cut to its last messages")
			return
		}
	case ports.CodeTruncated, ports.CodeModel, ports.CodeGuest, ports.CodeFault, ports.CodeDeadline:
		if s.failures < maxFailures {
			s.note("the model failed and is asked again: " + err.Error())
			return
		}
	}
	s.fail(err)
}

// stopped ends a run that its caller gave up, or whose time is used up.
func (s *session) stopped(ctx context.Context) {
	cause := context.Cause(ctx)
	if e, ok := errors.AsType[*ports.Error](cause); ok && e.Code == ports.CodeTimeout {
		s.finish(StatusPartial, "The time is used up.", e.Msg+fixIn(e))
		s.outcome.Code = e.Code
		return
	}
	s.finish(StatusStopped, "The run was stopped.", "resume it with: wb run --resume "+s.id)
	s.outcome.Code = ports.CodeCancelled
}

// fail ends the run with an error.
func (s *session) fail(err error) {
	status := StatusFailed
	switch ports.CodeOf(err) {
	case ports.CodeRefused, ports.CodeBlocked:
		status = StatusRefused
	case ports.CodeNeedsUser:
		status = StatusNeedsUser
	}
	s.finish(status, "The run failed.", err.Error()+fixIn(err))
	s.outcome.Code = ports.CodeOf(err)
}

// finish sets the outcome; the first one stays.
func (s *session) finish(status, summary, reason string) {
	if s.finished {
		return
	}
	s.finished = true
	s.outcome = Outcome{Status: status, Summary: summary, Reason: reason}
	refused := s.a.o.Refusals(s.id)
	if len(refused) == 0 || status == StatusStopped {
		return
	}
	s.outcome.Reason = strings.TrimSpace(reason + "\nrefused on the way: " + strings.Join(last(refused, 3), "\n"))
	if status != StatusSuccess { // what was refused may be why
		s.outcome.Status = StatusRefused
	}
}

func fixIn(err error) string {
	if f := ports.FixOf(err); f != "" {
		return " (" + f + ")"
	}
	return ""
}

func last[T any](s []T, n int) []T { return s[max(0, len(s)-n):] }
