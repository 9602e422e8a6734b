package ports

import (
	"context"
	"encoding/json"
)

// Provider talks to one family of model endpoints. It holds no conversation and no secret: the endpoint
// comes with each request, and its key is a name that only the fetch port can resolve.
type Provider interface {
	// Chat answers one request. emit gets deltas in order while it streams and may be nil. A reply is
	// returned only when it is whole: a cut stream is an error (CodeTruncated) or has been asked again,
	// never a reply with half a tool call in it.
	Chat(ctx context.Context, c Call, req ChatRequest, emit func(Delta)) (ChatReply, error)
	// Models lists what the endpoint offers.
	Models(ctx context.Context, c Call, e Endpoint) ([]string, error)
}

// Endpoint is a configured model: an entry of providers in the config, all data.
type Endpoint struct {
	ID      string            `json:"id"`
	Family  string            `json:"family"`             // openai or anthropic: which plugin speaks to it
	BaseURL string            `json:"base_url"`           // such as https://host/v1, without the operation
	Model   string            `json:"model"`              //
	Secret  string            `json:"secret,omitempty"`   // name of the key, "" for none
	Tier    Tier              `json:"tier,omitempty"`     // [full]
	Context int               `json:"context,omitempty"`  // tokens of the window [128,000]
	Vision  bool              `json:"vision,omitempty"`   // reads pictures
	PDF     bool              `json:"pdf,omitempty"`      // reads PDF files
	NoTools bool              `json:"no_tools,omitempty"` // known to reject tool lists
	Headers map[string]string `json:"headers,omitempty"`  // sent as they are; values may hold {{secret:NAME}}
}

// ChatRequest is the argument of model.chat and of provider/chat.
type ChatRequest struct {
	Endpoint    Endpoint   `json:"endpoint"` // model.chat takes its ID only and fills in the rest
	System      string     `json:"system,omitempty"`
	Messages    []Message  `json:"messages"`
	Tools       []ToolDecl `json:"tools,omitempty"`
	Temperature *float64   `json:"temperature,omitempty"`
	MaxTokens   int        `json:"max_tokens,omitempty"`
	Stream      bool       `json:"stream,omitempty"`
}

// ToolDecl is a tool as a model sees it.
type ToolDecl struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
}

// Message is one turn. Roles: user, assistant, tool.
type Message struct {
	Role    string     `json:"role"`
	Content []Part     `json:"content,omitempty"`
	Calls   []ToolCall `json:"calls,omitempty"`    // of an assistant
	CallID  string     `json:"call_id,omitempty"`  // of a tool: which call it answers
	IsError bool       `json:"is_error,omitempty"` // of a tool
}

// Part is text, a picture or a file. Data crosses to a guest as Handle instead.
type Part struct {
	Type   string `json:"type"` // text, image or file
	Text   string `json:"text,omitempty"`
	Name   string `json:"name,omitempty"` // of a file
	MIME   string `json:"mime,omitempty"`
	Data   []byte `json:"data,omitempty"`
	Handle string `json:"handle,omitempty"` // in a guest: {{attach:HANDLE}} in a request body becomes the base64
}

// ToolCall is a model's wish. Args is what it wrote: often, but not always, a JSON object.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"`
}

// Delta is a piece of a streamed answer. Reset takes back everything since the start: the provider asks
// again without streaming.
type Delta struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Index     int    `json:"index,omitempty"` // which tool call Name and Args belong to
	Name      string `json:"name,omitempty"`
	Args      string `json:"args,omitempty"`
	Reset     bool   `json:"reset,omitempty"`
}

// ChatReply is a whole answer.
type ChatReply struct {
	Message Message `json:"message"`
	Finish  string  `json:"finish"` // stop, tool_calls, length, filter
	Usage   Usage   `json:"usage"`
	Model   string  `json:"model,omitempty"`
	Notes   string  `json:"notes,omitempty"` // such as "asked again without streaming", for the journal
}

// Usage is counted in tokens; zero where the endpoint did not say.
type Usage struct {
	Input      int `json:"input,omitempty"`
	Output     int `json:"output,omitempty"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}
