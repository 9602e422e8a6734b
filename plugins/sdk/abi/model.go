package abi

import "encoding/json"

// Endpoint mirrors ports.Endpoint; it is the params of provider/models.
type Endpoint struct {
	ID      string            `json:"id"`
	Family  string            `json:"family"`
	BaseURL string            `json:"base_url"`
	Model   string            `json:"model"`
	Secret  string            `json:"secret,omitempty"` // its name, never its value
	Tier    string            `json:"tier,omitempty"`
	Context int               `json:"context,omitempty"`
	Vision  bool              `json:"vision,omitempty"`
	PDF     bool              `json:"pdf,omitempty"`
	NoTools bool              `json:"no_tools,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
}

// ModelsResult is the result of provider/models.
type ModelsResult struct {
	Models []string `json:"models"`
}

// ChatRequest mirrors ports.ChatRequest; it is the params of provider/chat.
type ChatRequest struct {
	Endpoint    Endpoint   `json:"endpoint"`
	System      string     `json:"system,omitempty"`
	Messages    []Turn     `json:"messages"`
	Tools       []ToolDecl `json:"tools,omitempty"`
	Temperature *float64   `json:"temperature,omitempty"`
	MaxTokens   int        `json:"max_tokens,omitempty"`
	Stream      bool       `json:"stream,omitempty"`
}

// ToolDecl mirrors ports.ToolDecl: a tool as a model sees it.
type ToolDecl struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`
}

// Turn mirrors ports.Message.
type Turn struct {
	Role    string     `json:"role"` // user, assistant or tool
	Content []Part     `json:"content,omitempty"`
	Calls   []ToolCall `json:"calls,omitempty"`
	CallID  string     `json:"call_id,omitempty"`
	IsError bool       `json:"is_error,omitempty"`
}

// Part mirrors ports.Part. In a guest a picture has a Handle and no Data.
type Part struct {
	Type   string `json:"type"` // text, image or file
	Text   string `json:"text,omitempty"`
	Name   string `json:"name,omitempty"` // of a file
	MIME   string `json:"mime,omitempty"`
	Data   []byte `json:"data,omitempty"`
	Handle string `json:"handle,omitempty"`
}

// ToolCall mirrors ports.ToolCall.
type ToolCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Args string `json:"args"` // what the model wrote, which need not be JSON
}

// Delta mirrors ports.Delta.
type Delta struct {
	Text      string `json:"text,omitempty"`
	Reasoning string `json:"reasoning,omitempty"`
	Index     int    `json:"index,omitempty"`
	Name      string `json:"name,omitempty"`
	Args      string `json:"args,omitempty"`
	Reset     bool   `json:"reset,omitempty"`
}

// ChatReply mirrors ports.ChatReply; it is the result of provider/chat.
type ChatReply struct {
	Message Turn   `json:"message"`
	Finish  string `json:"finish"` // stop, tool_calls, length or filter
	Usage   Usage  `json:"usage"`
	Model   string `json:"model,omitempty"`
	Notes   string `json:"notes,omitempty"`
}

// Usage mirrors ports.Usage, in tokens.
type Usage struct {
	Input      int `json:"input,omitempty"`
	Output     int `json:"output,omitempty"`
	CacheRead  int `json:"cache_read,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
}

// FetchRequest mirrors ports.FetchRequest: the arguments of http.fetch.
type FetchRequest struct {
	URL     string            `json:"url"`
	Method  string            `json:"method,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Stream  bool              `json:"stream,omitempty"`
	Retry   bool              `json:"retry,omitempty"`
	Timeout int               `json:"timeout,omitempty"` // ms
}

// FetchHead is the structured result of http.fetch; the body is a handle.
type FetchHead struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// Question mirrors ports.Question: the arguments of ui.ask.
type Question struct {
	Kind    string          `json:"kind"`
	Text    string          `json:"text"`
	Options []string        `json:"options,omitempty"`
	Reason  string          `json:"reason,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
}

// Answer mirrors ports.Answer: the structured result of ui.ask.
type Answer struct {
	Choice string          `json:"choice"`
	Text   string          `json:"text,omitempty"`
	Scope  string          `json:"scope,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}
