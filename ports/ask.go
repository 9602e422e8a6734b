package ports

import (
	"context"
	"encoding/json"
)

// Asker puts a question to whoever can answer: a person at a terminal or panel, an MCP client, or a
// policy. Where nobody can, the error is CodeNeedsUser, and the run stops or waits.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// Kinds of questions.
const (
	AskClarify    = "clarify"    // the model needs something only the person knows
	AskPermission = "permission" // a capability on an origin
	AskConfirm    = "confirm"    // one consequence: what would be sent, and where
	AskPlan       = "plan"       // a plan to approve or edit
	AskContinue   = "continue"   // a budget is used up: go on?
)

// Question is the argument of ui.ask.
type Question struct {
	Kind    string          `json:"kind"`
	Text    string          `json:"text"`              // plain text, never markup
	Options []string        `json:"options,omitempty"` // 2 to 4 to choose from; empty: free text
	Reason  string          `json:"reason,omitempty"`
	Details json.RawMessage `json:"details,omitempty"` // permission: {capability, origin}; confirm: {action, origin, fields}; plan: {steps}
	Schema  json.RawMessage `json:"schema,omitempty"`  // JSON Schema of Answer.Data for a structured answer
	Run     string          `json:"-"`                 // whose question it is; set by the host
}

// Answer is what was said.
type Answer struct {
	Choice string          `json:"choice"` // one of Options, or allow | deny | cancel
	Text   string          `json:"text,omitempty"`
	Scope  string          `json:"scope,omitempty"` // of a permission: once, session, always, never
	Data   json.RawMessage `json:"data,omitempty"`
}

// AskSchema is the JSON Schema of a Question.
const AskSchema = `{"type":"object","required":["kind","text"],"additionalProperties":false,"properties":{
"kind":{"enum":["clarify","permission","confirm","plan","continue"]},
"text":{"type":"string","minLength":1,"maxLength":4000},
"options":{"type":"array","maxItems":4,"items":{"type":"string","maxLength":200}},
"reason":{"type":"string","maxLength":1000},
"details":{"type":"object"},
"schema":{"type":"object"}}}`
