// Package ports is every contract of wb: small interfaces and the plain values they speak.
//
// Read it first. It says what the world looks like to the kernel (a Caller, a Browser, a Provider, a
// Store, a Clock) and nothing about how any of it is done: the drivers below this folder do that, and
// portstest holds the suites that each of them passes. It imports the standard library only.
//
// Start here, in call.go: one verb reaches everything. Then tool.go (what can be called), error.go (how
// it fails), browser.go, model.go, store.go and the small ones beside them. Read kernel/call.go next.
package ports

import (
	"context"
	"encoding/json"
	"io"
	"strings"
)

// Caller runs one call. Call may be used from many goroutines, never panics, and returns soon after ctx
// ends. Errors that a caller can act upon are a *Error.
type Caller interface {
	Call(ctx context.Context, c Call) (Result, error)
}

// CallFunc makes a function a Caller.
type CallFunc func(ctx context.Context, c Call) (Result, error)

// Call runs f.
func (f CallFunc) Call(ctx context.Context, c Call) (Result, error) { return f(ctx, c) }

// Call is one asked effect. Whoever asks gives Tool and Args; the host sets everything else, so nothing
// in ID, Parent, Run, From, Depth, Tab, Mode or Tier ever comes from a model or a guest.
type Call struct {
	ID     string          // unique; given by the journal when the call begins
	Parent string          // ID of the call that made this one, "" at the root of a tree
	Run    string          // run the call belongs to, "" outside of any
	From   string          // who asks: one of the From constants, or a plugin's id
	Depth  int             // plugin calls above this one
	Tool   string          // a dotted host primitive or a model-facing tool
	Tab    string          // tab the run works in, "" before there is one
	Mode   Mode            // of the run; "" means act
	Tier   Tier            // of the run; "" means full
	Args   json.RawMessage // a JSON object; empty reads as {}
	// Attach holds bytes that Args names by a key, so that they are not journaled with it: http.fetch puts
	// them into the body as base64 where it says {{attach:KEY}}, model.chat takes a picture's Handle as key.
	Attach map[string][]byte
	// Emit carries streams and progress while the call runs; nil drops them. It must not block for long,
	// is never called after the call has returned, and is not journaled event by event.
	Emit func(Event)
}

// Who may ask, beside plugins.
const (
	FromUser   = "user"   // a person at a terminal or panel
	FromModel  = "model"  // the model of a run
	FromKernel = "kernel" // the agent loop itself
	FromMCP    = "mcp"    // another program over the MCP server
)

// Event is one thing that happens while a call runs.
type Event struct {
	Kind string          `json:"kind"`           // one of the Event constants, or a tool's own
	Run  string          `json:"run,omitempty"`  // set by the kernel
	Call string          `json:"call,omitempty"` // that it belongs to
	Tool string          `json:"tool,omitempty"`
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Kinds of events that the kernel and its ports emit.
const (
	EventRunStart  = "run_start"
	EventRunEnd    = "run_end"
	EventStep      = "step"       // one turn of the model begins; Call is that of model.chat; Data {"step":n,"of":n}
	EventDelta     = "delta"      // a piece of the model's answer; Data is a Delta
	EventToolStart = "tool_start" // Tool and its arguments
	EventToolEnd   = "tool_end"   // Tool and its result; Call, if it was called
	EventNote      = "note"       // something a person should know
	EventProgress  = "progress"   // Data {"progress":n,"total":n}
	EventLog       = "log"        // Data {"level":s}
)

// Result is what a tool answered. IsError marks a tool's own failure, which is data for the model and
// not a Go error.
type Result struct {
	Content []Content       `json:"content,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"` // structured content, if any
	IsError bool            `json:"is_error,omitempty"`
	// Body is a stream that the caller reads on and must close. The journal counts and hashes it.
	Body io.ReadCloser `json:"-"`
}

// Content is one block of a result, in reading order.
type Content struct {
	Type string `json:"type"` // text, image, audio or resource
	Text string `json:"text,omitempty"`
	MIME string `json:"mime,omitempty"`
	Data []byte `json:"data,omitempty"` // of an image, an audio clip or a binary resource
	URI  string `json:"uri,omitempty"`  // of a resource
}

// Text returns the text blocks, joined by newlines.
func (r Result) Text() string {
	var parts []string
	for _, c := range r.Content {
		if c.Type == "text" && c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// TextResult is a result of one text block.
func TextResult(text string) Result {
	return Result{Content: []Content{{Type: "text", Text: text}}}
}

// DataResult encodes v as the structured content and, for readers without it, as text. It panics if v
// cannot be encoded, which is a bug of the caller.
func DataResult(v any) Result {
	b, err := json.Marshal(v)
	if err != nil {
		panic("ports: " + err.Error())
	}
	return Result{Content: []Content{{Type: "text", Text: string(b)}}, Data: b}
}

// ErrorResult is a tool's own failure, to be read by whoever asked.
func ErrorResult(text string) Result {
	r := TextResult(text)
	r.IsError = true
	return r
}

// JSON encodes v, nil as {}. It panics if v cannot be encoded, which is a bug of the caller.
func JSON(v any) json.RawMessage {
	if v == nil {
		return json.RawMessage("{}")
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic("ports: " + err.Error())
	}
	return b
}
