package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

const (
	toolDone   = "done"
	maxScratch = 8000 // characters
	maxItems   = 500
)

// item is a row of the progress ledger.
type item struct {
	ID     string          `json:"id"`
	Label  string          `json:"label,omitempty"`
	URL    string          `json:"url,omitempty"`
	Action string          `json:"action,omitempty"`
	Status string          `json:"status"`
	Fields json.RawMessage `json:"fields,omitempty"`
	Reason string          `json:"reason,omitempty"`
}

// steering are the model-facing tools that steer the loop itself.
func (a *Agent) steering() []ports.Tool {
	all, writing := []ports.Mode{ports.ModeAsk, ports.ModeAct, ports.ModeDev}, []ports.Mode{ports.ModeAct, ports.ModeDev}
	tool := func(name, about, schema string, modes []ports.Mode, f func(*session, context.Context, ports.Call) (ports.Result, error)) ports.Tool {
		spec := ports.Spec{Name: name, Description: about, Input: json.RawMessage(schema), Risk: ports.RiskControl, Modes: modes, Trusted: true}
		return toolOf{spec, func(ctx context.Context, c ports.Call) (ports.Result, error) {
			s, err := a.session(c.Run)
			if err != nil {
				return ports.Result{}, err
			}
			return f(s, ctx, c)
		}}
	}
	return []ports.Tool{
		tool(toolDone, "End the run: what was done, and whether the task is complete. Only after you have seen that it is.", doneArgs, all, (*session).done),
		tool("clarify", "Ask the person something that only they know. Give 2 to 4 options where you can.", clarifyArgs, all, (*session).clarify),
		tool("scratchpad_write", "Keep a note for the rest of this run; it is shown to you each turn.", scratchArgs, all, (*session).scratchpad),
		tool("progress_update", "Keep a ledger of the items of a long task: one row an item.", progressArgs, writing, (*session).progressUpdate),
		tool("progress_read", "Read the ledger.", progressReadArgs, writing, (*session).progressRead),
	}
}

const (
	doneArgs = `{"type":"object","required":["summary"],"additionalProperties":false,"properties":{
"summary":{"type":"string","description":"what was done and seen, for the person"},
"outcome":{"enum":["success","partial","failed"],"description":"default success"},
"evidence":{"type":"array","maxItems":8,"items":{"type":"object"},"description":"conditions as in the expect of an action, true on the page now; success may need them"},
"result":{"type":"object","description":"structured result, where the task asks for one"}}}`
	clarifyArgs = `{"type":"object","required":["question"],"additionalProperties":false,"properties":{
"question":{"type":"string","minLength":1,"maxLength":2000},"options":{"type":"array","maxItems":4,"items":{"type":"string","maxLength":200}},
"reason":{"type":"string","maxLength":1000}}}`
	scratchArgs = `{"type":"object","required":["text"],"additionalProperties":false,"properties":{
"text":{"type":"string","maxLength":8000},"replace":{"type":"boolean","description":"instead of what is there; default false: append"}}}`
	progressArgs = `{"type":"object","required":["items"],"additionalProperties":false,"properties":{"items":{"type":"array","minItems":1,"maxItems":100,
"items":{"type":"object","required":["id","status"],"additionalProperties":false,"properties":{"id":{"type":"string","maxLength":200},
"label":{"type":"string","maxLength":300},"url":{"type":"string","maxLength":2000},"action":{"type":"string","maxLength":200},
"status":{"enum":["pending","acted","processed","skipped","failed"]},"fields":{"type":"object"},"reason":{"type":"string","maxLength":500}}}}}}`
	progressReadArgs = `{"type":"object","additionalProperties":false,"properties":{"status":{"enum":["pending","acted","processed","skipped","failed"]},
"limit":{"type":"integer","minimum":1,"maximum":200,"description":"default 50"},"offset":{"type":"integer","minimum":0}}}`
)

// doneSchema is done's schema in this run: with the result that was asked for.
func (s *session) doneSchema() json.RawMessage {
	if len(s.task.Output) == 0 {
		return json.RawMessage(doneArgs)
	}
	var schema map[string]any
	if json.Unmarshal([]byte(doneArgs), &schema) != nil {
		return json.RawMessage(doneArgs)
	}
	schema["properties"].(map[string]any)["result"] = s.task.Output
	schema["required"] = []string{"summary", "result"}
	return ports.JSON(schema)
}

func (s *session) done(ctx context.Context, c ports.Call) (ports.Result, error) {
	var a struct {
		Summary  string            `json:"summary"`
		Outcome  string            `json:"outcome"`
		Result   json.RawMessage   `json:"result"`
		Evidence []json.RawMessage `json:"evidence"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	outcome := orElse(a.Outcome, StatusSuccess)
	if s.validate != nil && outcome != StatusFailed {
		if err := s.validate(orNull(a.Result)); err != nil {
			return ports.ErrorResult("result does not match the schema that was asked for: " + err.Error()), nil
		}
	}
	if refusal := s.conclude(ctx, claim{summary: a.Summary, outcome: outcome, result: a.Result, evidence: a.Evidence}); refusal != "" {
		return ports.ErrorResult(refusal), nil
	}
	return ports.Result{Content: []ports.Content{{Type: "text", Text: s.outcome.Status + ": " + s.outcome.Summary}}, Data: ports.JSON(s.outcome)}, nil
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// clarify goes through ui.ask, like any other question to the person.
func (s *session) clarify(ctx context.Context, c ports.Call) (ports.Result, error) {
	var a struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
		Reason   string   `json:"reason"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	q := ports.Question{Kind: ports.AskClarify, Text: a.Question, Options: a.Options, Reason: a.Reason}
	res, err := s.call(ctx, ports.FromKernel, "ui.ask", ports.JSON(q))
	if err != nil {
		return ports.Result{}, err
	}
	var ans ports.Answer
	if err := json.Unmarshal(res.Data, &ans); err != nil {
		return ports.Result{}, err
	}
	if ans.Choice == "cancel" || ans.Choice == "deny" {
		return ports.TextResult("The person did not answer. Go on without, or finish as partial."), nil
	}
	return ports.TextResult("The person answers: " + strings.TrimSpace(ans.Choice+" "+ans.Text)), nil
}

func (s *session) scratchpad(_ context.Context, c ports.Call) (ports.Result, error) {
	var a struct {
		Text    string `json:"text"`
		Replace bool   `json:"replace"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	text := a.Text
	if !a.Replace && s.Scratch != "" {
		text = s.Scratch + "\n" + a.Text
	}
	if n := len([]rune(text)); n > maxScratch {
		return ports.ErrorResult(fmt.Sprintf("the scratchpad would hold %d characters of at most %d: write a shorter one with replace", n, maxScratch)), nil
	}
	s.Scratch = text
	return ports.TextResult("noted"), nil
}

func (s *session) progressUpdate(_ context.Context, c ports.Call) (ports.Result, error) {
	var a struct {
		Items []item `json:"items"`
	}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	for _, in := range a.Items {
		i := slices.IndexFunc(s.Progress, func(p item) bool { return p.ID == in.ID })
		switch {
		case i >= 0:
			s.Progress[i] = merged(s.Progress[i], in)
		case len(s.Progress) >= maxItems:
			return ports.ErrorResult(fmt.Sprintf("the ledger holds at most %d rows", maxItems)), nil
		default:
			s.Progress = append(s.Progress, in)
		}
	}
	return ports.TextResult(s.tally()), nil
}

// merged keeps what an update leaves out.
func merged(old, in item) item {
	in.Label = orElse(in.Label, old.Label)
	in.URL = orElse(in.URL, old.URL)
	in.Action = orElse(in.Action, old.Action)
	in.Reason = orElse(in.Reason, old.Reason)
	if len(in.Fields) == 0 {
		in.Fields = old.Fields
	}
	return in
}

// tally counts the ledger by status, in the order of work.
func (s *session) tally() string {
	counts := map[string]int{}
	for _, p := range s.Progress {
		counts[p.Status]++
	}
	parts := []string{fmt.Sprintf("%d rows", len(s.Progress))}
	for _, st := range []string{"pending", "acted", "processed", "skipped", "failed"} {
		if counts[st] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[st], st))
		}
	}
	return strings.Join(parts, ", ")
}

func (s *session) progressRead(_ context.Context, c ports.Call) (ports.Result, error) {
	a := struct {
		Status string `json:"status"`
		Limit  int    `json:"limit"`
		Offset int    `json:"offset"`
	}{Limit: 50}
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
	}
	rows := slices.DeleteFunc(slices.Clone(s.Progress), func(p item) bool { return a.Status != "" && p.Status != a.Status })
	from := min(a.Offset, len(rows))
	rows = rows[from:min(len(rows), from+a.Limit)]
	return ports.DataResult(map[string]any{"tally": s.tally(), "items": rows}), nil
}
