package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// session is one run while it is alive. Only the loop's goroutine touches it; steering tools run on that
// goroutine too, inside of Caller.Call.
type session struct {
	a        *Agent
	id       string
	task     Task
	end      ports.Endpoint
	parent   ports.Call // the agent.run call
	emitter  func(ports.Event)
	started  time.Time
	validate func(json.RawMessage) error
	tab      string // current tab, for the journal

	outcome  Outcome
	finished bool
	pictures []ports.Content
	page     json.RawMessage // "state" of the page, as done saw it
	detect   detector
	failures int  // model failures in a row
	empty    int  // empty answers in a row
	stored   int  // on resume: calls that the stored state knows of
	acted    bool // a careful run's action of this turn

	state
}

// state is what survives the process.
type state struct {
	Task       Task            `json:"task"`
	Messages   []ports.Message `json:"messages"`
	Nonce      string          `json:"nonce"`
	Calls      int             `json:"calls"` // given out so far: IDs of journal rows
	Step       int             `json:"step"`
	Scratch    string          `json:"scratch,omitempty"`
	Progress   []item          `json:"progress,omitempty"`
	DoneNo     int             `json:"done_no,omitempty"`    // times that done was refused
	Unverified string          `json:"unverified,omitempty"` // an action whose outcome nobody has looked at
	URL        string          `json:"url,omitempty"`        // last known
	Title      string          `json:"title,omitempty"`
	Usage      ports.Usage     `json:"usage"`
	MaxRef     int             `json:"max_ref,omitempty"`
	conduct
}

const (
	defaultTurns  = 130
	defaultTokens = 4096
)

// prepare fills in defaults and refuses what cannot work, before any model is asked.
func (s *session) prepare() error {
	t := &s.task
	if strings.TrimSpace(t.Goal) == "" {
		return ports.NewError(ports.CodeUsage, "the task is empty", `say what to do: wb run "…"`)
	}
	e, err := s.a.o.Endpoint(t.Provider)
	if err != nil {
		return err
	}
	if t.Model != "" {
		e.Model = t.Model
	}
	s.end = e
	t.Mode = orElse(t.Mode, ports.ModeAct)
	t.Tier = orElse(t.Tier, orElse(e.Tier, ports.TierFull))
	t.MaxTurns = orElse(t.MaxTurns, defaultTurns)
	t.MaxTokens = orElse(t.MaxTokens, defaultTokens)
	if t.Temperature == nil {
		temp := 0.15
		if t.Mode == ports.ModeAsk {
			temp = 0.3
		}
		t.Temperature = &temp
	}
	if t.Mode == ports.ModeDev {
		if err := s.checkDev(); err != nil {
			return err
		}
	}
	if len(t.Output) > 0 {
		if s.validate, err = s.a.o.Validate(t.Output); err != nil {
			return ports.NewError(ports.CodeUsage, "output schema: "+err.Error(), "give a JSON Schema of an object")
		}
	}
	s.Task = *t
	return nil
}

// checkDev holds dev mode to models that can carry it, and says so where no tool is there for it.
func (s *session) checkDev() error {
	if s.task.Tier == ports.TierCompact {
		return ports.NewError(ports.CodeUsage, "mode dev needs a model of tier mid or full; this one is compact",
			"set tier: mid under the provider in the config, or use --mode act")
	}
	for _, spec := range s.a.o.Specs() {
		if len(spec.Modes) == 1 && spec.Modes[0] == ports.ModeDev {
			return nil
		}
	}
	return ports.NewError(ports.CodeUsage, "mode dev has no tools of its own yet", "use --mode act")
}

// call runs one tool through the kernel as part of this run.
func (s *session) call(ctx context.Context, from, tool string, args json.RawMessage) (ports.Result, error) {
	return s.attach(ctx, from, tool, args, nil)
}

// attach is call with bytes that the arguments name.
func (s *session) attach(ctx context.Context, from, tool string, args json.RawMessage, bytes map[string][]byte) (ports.Result, error) {
	s.Calls++
	return s.a.o.Caller.Call(ctx, ports.Call{ID: s.callID(s.Calls), Parent: s.parent.ID, Run: s.id, From: from, Depth: s.parent.Depth,
		Tool: tool, Tab: s.tab, Mode: s.task.Mode, Tier: s.task.Tier, Args: args, Attach: bytes, Emit: s.emit})
}

func (s *session) callID(n int) string { return fmt.Sprintf("%s-%d", s.id, n) }

// emit passes an event on, marked as this run's.
func (s *session) emit(e ports.Event) {
	if s.emitter == nil {
		return
	}
	if e.Run == "" {
		e.Run = s.id
	}
	s.emitter(e)
}

func (s *session) note(text string) { s.emit(ports.Event{Kind: ports.EventNote, Text: text}) }

// save stores the run as it is. Without it the run may not go on: an effect nobody could account for
// after a crash is worse than a stop.
func (s *session) save(ctx context.Context, status string) error {
	r := ports.Run{ID: s.id, Parent: s.parent.Run, Goal: s.task.Goal, Status: status, Started: s.started}
	if status != statusRunning {
		r.Ended = s.a.o.Clock.Now()
	}
	if s.a.o.Redact != nil {
		r.Spec = s.a.o.Redact(ports.JSON(s.task))
		kept := s.state
		kept.Messages = make([]ports.Message, len(s.Messages))
		for i, m := range s.Messages { // their bytes are in the journal already
			kept.Messages[i] = without(m, "image", "file")
		}
		r.State = s.a.o.Redact(ports.JSON(kept))
		r.Goal = redactText(s.a.o.Redact, r.Goal)
	} else {
		r.Goal = "(not kept)"
	}
	return s.a.o.Runs.PutRun(context.WithoutCancel(ctx), r)
}

func redactText(redact func(json.RawMessage) json.RawMessage, text string) string {
	var out string
	if json.Unmarshal(redact(ports.JSON(text)), &out) != nil {
		return "(not kept)"
	}
	return out
}

// tools are what this run's model sees.
func (s *session) tools() []ports.ToolDecl {
	var out []ports.ToolDecl
	for _, spec := range s.a.o.Specs() {
		if !s.offers(spec) {
			continue
		}
		d := ports.ToolDecl{Name: spec.Name, Description: spec.Description, Input: spec.Input}
		if spec.Name == toolDone {
			d.Input = s.doneSchema()
		}
		out = append(out, d)
	}
	return out
}

func (s *session) offers(spec ports.Spec) bool {
	if spec.Primitive() || len(spec.Modes) == 0 || !slices.Contains(spec.Modes, s.task.Mode) {
		return false
	}
	if len(spec.Tiers) > 0 && !slices.Contains(spec.Tiers, s.task.Tier) {
		return false
	}
	if s.task.Mode == ports.ModeAsk && spec.Mutates() {
		return false
	}
	return len(s.task.Tools) == 0 || spec.Risk == ports.RiskControl || slices.Contains(s.task.Tools, spec.Name)
}

func orElse[T comparable](v, d T) T {
	var zero T
	if v == zero {
		return d
	}
	return v
}

func userText(text string) ports.Message {
	return ports.Message{Role: "user", Content: []ports.Part{{Type: "text", Text: text}}}
}
