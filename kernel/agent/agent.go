// Package agent is the model loop: a goal in, an outcome out, everything between through one Caller.
//
// A run assembles context, asks the model, runs the tools it names in order, feeds the results back, and
// goes on until the model is done, a budget is used up, or somebody stops it. What the model and the
// tools get wrong becomes data in the transcript: the loop does not panic, hang or repeat an effect.
//
// Read loop.go first. context.go says what a model sees, steer.go offers the tools that steer the loop,
// finish.go holds "done" to what the page shows, detect.go notices that a run turns in circles,
// compact.go keeps the transcript inside the window, resume.go picks a killed run up again.
package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Task is the argument of agent.run. Zero fields take the defaults in brackets.
type Task struct {
	Goal        string          `json:"goal"`
	URL         string          `json:"url,omitempty"`         // opened before the first turn
	Mode        ports.Mode      `json:"mode,omitempty"`        // [act]
	Tier        ports.Tier      `json:"tier,omitempty"`        // [the endpoint's]
	Provider    string          `json:"provider,omitempty"`    // endpoint id [the configured default]
	Model       string          `json:"model,omitempty"`       // [the endpoint's]
	Tools       []string        `json:"tools,omitempty"`       // offer only these, and the steering tools
	MaxTurns    int             `json:"max_turns,omitempty"`   // model turns [130]
	TimeoutMS   int             `json:"timeout_ms,omitempty"`  // [none]
	Temperature *float64        `json:"temperature,omitempty"` // [0.15, in ask 0.3]
	MaxTokens   int             `json:"max_tokens,omitempty"`  // of one answer [4096]
	Output      json.RawMessage `json:"output_schema,omitempty"`
	Origins     []string        `json:"origins,omitempty"` // may be written to, beside those of URL and Goal
	// Careful runs do one action a turn on a fresh outline of the page, say beforehand what must be true
	// afterwards, and bring evidence for success.
	Careful bool   `json:"careful,omitempty"`
	Resume  string `json:"resume,omitempty"` // run to pick up; all else but MaxTurns is that run's
	// After is the run that a person's conversation goes on from: its transcript comes before the goal.
	After   string `json:"after,omitempty"`
	Session string `json:"session,omitempty"` // the conversation that the run belongs to
	Files   []File `json:"files,omitempty"`   // given along by the person
}

// File is something a person gave along with a task; its bytes are in the call's Attach under its name.
type File struct {
	Name string `json:"name"`
	MIME string `json:"mime"` // text/*, or an image or PDF that the model reads
}

// Outcome is the structured content of agent.run's result.
type Outcome struct {
	Run     string          `json:"run"`
	Status  string          `json:"status"` // success, partial, failed, refused, needs_user, stopped
	Summary string          `json:"summary"`
	Reason  string          `json:"reason,omitempty"` // why it is not success, and what to do
	Code    string          `json:"code,omitempty"`   // of the error that ended it
	Result  json.RawMessage `json:"result,omitempty"` // against Output
	URL     string          `json:"url,omitempty"`
	Title   string          `json:"title,omitempty"`
	Page    json.RawMessage `json:"page,omitempty"` // the page script's "state" at the end: dialogs, errors, forms
	Steps   int             `json:"steps"`
	// Trail is what a careful run did, in order, and Evidence what it was held to at its end.
	Trail    []Step           `json:"trail,omitempty"`
	Evidence []ports.Expected `json:"evidence,omitempty"`
	Usage    ports.Usage      `json:"usage"`
}

// Statuses of an outcome.
const (
	StatusSuccess   = "success"
	StatusPartial   = "partial"
	StatusFailed    = "failed"
	StatusRefused   = "refused"
	StatusNeedsUser = "needs_user"
	StatusStopped   = "stopped"
	statusRunning   = "running"
)

// Options are an agent's parts; all are required but Redact and Validate.
type Options struct {
	Caller   ports.Caller // the kernel
	Specs    func() []ports.Spec
	Endpoint func(id string) (ports.Endpoint, error)
	Clock    ports.Clock
	NewID    func() string
	Runs     ports.RunStore
	Records  ports.Store
	// Result reads a recorded result back, blobs included.
	Result func(ctx context.Context, rec ports.Record) (ports.Result, error)
	// Begin gives a run its policy and lease, End takes them back. by is the call that asked for the run: its
	// Run is the run that this one works for, "" for a run of a person, and its Tab where it begins.
	Begin func(ctx context.Context, run string, by ports.Call, t Task) error
	End   func(run string)
	// Refusals lists what the guard refused to a run, in words.
	Refusals func(run string) []string
	// Redact takes secrets out of what is stored; nil stores nothing of the transcript, and the run
	// cannot be resumed.
	Redact func(json.RawMessage) json.RawMessage
	// Validate compiles a JSON Schema.
	Validate func(schema json.RawMessage) (func(json.RawMessage) error, error)
	// Refs is told the highest ref number that a resumed run has shown, before anything is asked of its new
	// browser, so that no number means another element; nil where there is no browser.
	Refs   func(max int)
	Locale string
}

// Agent runs tasks. Safe for concurrent use; runs are independent of each other.
type Agent struct {
	o Options

	mu   sync.Mutex
	runs map[string]*session
}

// New makes an agent.
func New(o Options) *Agent { return &Agent{o: o, runs: map[string]*session{}} }

const taskSchema = `{"type":"object","additionalProperties":false,"properties":{
"goal":{"type":"string","maxLength":100000},"url":{"type":"string"},"mode":{"enum":["ask","act","dev"]},"tier":{"enum":["compact","mid","full"]},
"provider":{"type":"string"},"model":{"type":"string"},"tools":{"type":"array","items":{"type":"string"}},
"max_turns":{"type":"integer","minimum":1},"timeout_ms":{"type":"integer","minimum":1},"temperature":{"type":"number"},
"max_tokens":{"type":"integer","minimum":1},"output_schema":{"type":"object"},"origins":{"type":"array","items":{"type":"string"}},"careful":{"type":"boolean"},"resume":{"type":"string"},"after":{"type":"string"},"session":{"type":"string","maxLength":64},
"files":{"type":"array","maxItems":20,"items":{"type":"object","required":["name","mime"],"additionalProperties":false,"properties":{"name":{"type":"string","maxLength":200},"mime":{"type":"string","maxLength":100}}}}}}`

// Tools are agent.run and the tools that steer a loop.
func (a *Agent) Tools() []ports.Tool {
	run := ports.Spec{Name: "agent.run", Description: "Run a task to its end.", Risk: ports.RiskAct,
		Input: json.RawMessage(taskSchema)}
	return append([]ports.Tool{toolOf{run, a.run}}, a.steering()...)
}

type toolOf struct {
	spec ports.Spec
	f    ports.CallFunc
}

func (t toolOf) Spec() ports.Spec { return t.spec }

func (t toolOf) Call(ctx context.Context, c ports.Call) (ports.Result, error) { return t.f(ctx, c) }

// run is agent.run. A task that cannot start is an error; everything after that is an Outcome.
func (a *Agent) run(ctx context.Context, c ports.Call) (ports.Result, error) {
	var t Task
	if err := json.Unmarshal(c.Args, &t); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "agent.run: "+err.Error(), "")
	}
	s, err := a.begin(ctx, c, t)
	if err != nil {
		return ports.Result{}, err
	}
	defer a.end(s)
	if ms := s.task.TimeoutMS; ms > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, time.Duration(ms)*time.Millisecond,
			ports.NewError(ports.CodeTimeout, fmt.Sprintf("the run's time of %v is used up", time.Duration(ms)*time.Millisecond), "raise --timeout"))
		defer cancel()
	}
	s.emit(ports.Event{Kind: ports.EventRunStart, Text: s.task.Goal, Data: ports.JSON(map[string]any{
		"mode": s.task.Mode, "tier": s.task.Tier, "provider": s.end.ID, "model": s.end.Model, "resumed": t.Resume != ""})})
	s.loop(ctx)
	out := s.outcome
	s.emit(ports.Event{Kind: ports.EventRunEnd, Text: out.Summary, Data: ports.JSON(out)})
	res := ports.DataResult(out)
	res.Content = append([]ports.Content{{Type: "text", Text: out.Summary}}, s.pictures...)
	res.IsError = out.Status == StatusFailed
	return res, nil
}

// begin makes the session of a new run, or of one that is picked up again.
func (a *Agent) begin(ctx context.Context, c ports.Call, t Task) (*session, error) {
	s := &session{a: a, emitter: c.Emit, parent: c, tab: c.Tab}
	if c.From != ports.FromUser { // a conversation is its person's own
		t.After, t.Session, t.Files = "", "", nil
	}
	var old ports.Run
	if t.Resume != "" {
		var err error
		if old, err = a.o.Runs.Run(ctx, t.Resume); err != nil {
			return nil, err
		}
		if err := s.restore(old, t); err != nil {
			return nil, err
		}
	} else {
		s.id, s.task = a.o.NewID(), a.inherited(t, c.Run)
		s.Nonce = a.o.NewID()
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	if err := a.o.Begin(ctx, s.id, c, s.task); err != nil {
		return nil, err
	}
	s.started = a.o.Clock.Now()
	if t.Resume != "" {
		s.started = old.Started
		if err := s.pickUp(ctx, old); err != nil {
			a.o.End(s.id)
			return nil, err
		}
	} else {
		if err := s.converse(ctx); err != nil {
			a.o.End(s.id)
			return nil, err
		}
	}
	if err := s.save(ctx, statusRunning); err != nil {
		a.o.End(s.id)
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs[s.id] = s
	return s, nil
}

// inherited lets a run that was started from another one speak to the same model.
func (a *Agent) inherited(t Task, parent string) Task {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.runs[parent]; p != nil && t.Provider == "" { // p waits in the call that started this run
		t.Provider, t.Model = p.end.ID, orElse(t.Model, p.task.Model)
	}
	return t
}

func (a *Agent) end(s *session) {
	a.mu.Lock()
	delete(a.runs, s.id)
	a.mu.Unlock()
	a.o.End(s.id)
}

// session returns the live session of a run.
func (a *Agent) session(run string) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.runs[run]; s != nil {
		return s, nil
	}
	return nil, ports.NewError(ports.CodeRefused, "this tool steers a run, and none is here", "use it inside of wb run")
}
