// Package panel is what panels see of the daemon: conversations, the runs in them, and the questions that wait
// for a person. Runs belong to the daemon: a panel starts one, is told its events from any point on, and may go
// and come back without the run noticing.
//
// It knows no wire and no browser. Whoever serves it (ports/relay, by way of cmd/wb) hands over requests by
// method and takes notifications; extension/src/shared/wire.ts declares both.
//
// Read panel.go (what may be asked), then session.go (a conversation and who watches it) and ask.go.
package panel

import (
	"context"
	"encoding/json"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Event is one thing that happened in a conversation. Seq grows by one with each; At is milliseconds since 1970.
type Event struct {
	Seq  int64           `json:"seq"`
	At   int64           `json:"at"`
	Kind string          `json:"kind"`
	Run  string          `json:"run,omitempty"`
	Call string          `json:"call,omitempty"`
	Tool string          `json:"tool,omitempty"`
	Text string          `json:"text,omitempty"`
	Data json.RawMessage `json:"data,omitempty"`
}

// Kinds of events beside those of a run.
const (
	EventUser     = "user"     // what the person said
	EventAsk      = "ask"      // a question; Data is a Question
	EventAnswered = "answered" // what became of it; Data {"id", "answer"}
	EventQueued   = "queued"   // a message that waits for the run before it; Data {"id"}
	EventUnqueued = "unqueued"
	EventWarning  = "warning"
)

// Info is a conversation in a list.
type Info struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	At     int64  `json:"at"`
	Status string `json:"status"`
	URL    string `json:"url,omitempty"`
	Busy   bool   `json:"busy,omitempty"`
}

// Start is a message of a person, and how it is to be done.
type Start struct {
	Session  string       `json:"session"`
	Text     string       `json:"text"`
	Mode     string       `json:"mode"`
	Provider string       `json:"provider,omitempty"`
	Model    string       `json:"model,omitempty"`
	Tab      string       `json:"tab,omitempty"` // the browser's own number of the tab beside the panel
	URL      string       `json:"url,omitempty"`
	Files    []Attachment `json:"attachments,omitempty"`
	After    string       `json:"-"` // the conversation's last run
	Client   string       `json:"-"` // pairing of the panel
	Resume   string       `json:"-"` // a run of an earlier daemon to pick up
}

// Attachment is a file given along.
type Attachment struct {
	Name string `json:"name"`
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

// Runner runs one message to its end; ctx ends it early. emit is told everything that happens.
type Runner func(ctx context.Context, s Start, emit func(ports.Event)) error

// History is what earlier daemons did.
type History interface {
	// List names conversations whose title holds query, the newest first.
	List(ctx context.Context, query string, limit int) ([]Info, error)
	// Load returns a conversation's events, oldest first, and its last run; none if it is not known.
	Load(ctx context.Context, session string) (events []Event, last string, err error)
	Delete(ctx context.Context, session string) error
}

// Options are a Panel's parts; Methods are further ones, such as settings.
type Options struct {
	Run     Runner
	History History
	NewID   func() string
	Now     func() time.Time
	Methods map[string]func(ctx context.Context, params json.RawMessage) (any, error)
}
