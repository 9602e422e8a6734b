package abi

import "encoding/json"

// ToolsPage is the result of tools/list.
type ToolsPage struct {
	Tools      []ToolSpec `json:"tools"`
	NextCursor string     `json:"nextCursor,omitempty"`
}

// ToolSpec describes one tool.
type ToolSpec struct {
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Annotations    `json:"annotations,omitempty"`
	Meta         *SpecMeta       `json:"_meta,omitempty"`
}

// Annotations are MCP's hints; a host may not trust them.
type Annotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    bool   `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  bool   `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// SpecMeta is the _meta of a tool.
type SpecMeta struct {
	WB *SpecWB `json:"wb,omitempty"`
}

// SpecWB is what wb wants to know of a tool; the words are those of ports.Spec. It may raise what the
// host assumes, never lower it.
type SpecWB struct {
	Risk    string   `json:"risk,omitempty"`
	Modes   []string `json:"modes,omitempty"`
	Tiers   []string `json:"tiers,omitempty"`
	Trusted bool     `json:"trusted,omitempty"`
	Budget  int      `json:"budget,omitempty"`
	Origins []string `json:"origins,omitempty"` // origins that the tool touches
}

// CallParams are the params of tools/call.
type CallParams struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"arguments,omitempty"`
	Meta *CallMeta       `json:"_meta,omitempty"`
}

// CallMeta is the _meta of a tools/call.
type CallMeta struct {
	ProgressToken json.RawMessage `json:"progressToken,omitempty"`
	WB            *CallWB         `json:"wb,omitempty"`
}

// CallWB tells a guest where its call stands. It cannot change any of it.
type CallWB struct {
	Tab  string `json:"tab,omitempty"`
	Mode string `json:"mode,omitempty"`
	Tier string `json:"tier,omitempty"`
}

// CallRequest are the params of wb/call. Args may hold {{attach:HANDLE}} in a call of http.fetch.
type CallRequest struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args,omitempty"`
}

// ToolResult is the result of tools/call and of wb/call.
type ToolResult struct {
	Content    []Content       `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
}

// Content is one block: text, image, audio, resource, resource_link, or wb's own handle, which stands
// for bytes that the host holds. In a guest's result a handle means those bytes, with MIME deciding
// what they are; in an answer to a guest, Text is the head of a long text and Bytes its length in
// bytes, -1 for a stream.
type Content struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	MIME     string    `json:"mimeType,omitempty"`
	Data     []byte    `json:"data,omitempty"`
	Resource *Resource `json:"resource,omitempty"`
	URI      string    `json:"uri,omitempty"`
	Name     string    `json:"name,omitempty"`
	Handle   string    `json:"handle,omitempty"`
	Bytes    int64     `json:"bytes,omitempty"`
}

// Resource is an embedded resource: Text, or bytes.
type Resource struct {
	URI  string `json:"uri"`
	MIME string `json:"mimeType,omitempty"`
	Text string `json:"text,omitempty"`
	Blob []byte `json:"blob,omitempty"`
}

// HandleRequest are the params of wb/close.
type HandleRequest struct {
	Handle string `json:"handle"`
}

// ReadRequest are the params of wb/read: at most Max bytes [64 KiB, at most 1 MiB], from where the last
// read ended or from At.
type ReadRequest struct {
	Handle string `json:"handle"`
	Max    int    `json:"max,omitempty"`
	At     *int64 `json:"at,omitempty"` // not of a stream
}

// ReadResult is what was there: Text if it is whole UTF-8, else Base64. A stream answers as soon as it
// has anything. EOF comes with or after the last bytes.
type ReadResult struct {
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"`
	EOF    bool   `json:"eof,omitempty"`
}

// FindRequest are the params of wb/find: where Text begins at or after the byte From.
type FindRequest struct {
	Handle string `json:"handle"`
	Text   string `json:"text"`
	From   int64  `json:"from,omitempty"`
}

// FindResult holds the offset in bytes, -1 if there is none.
type FindResult struct {
	At int64 `json:"at"`
}

// Progress are the params of notifications/progress.
type Progress struct {
	Token    json.RawMessage `json:"progressToken,omitempty"`
	Progress float64         `json:"progress"`
	Total    float64         `json:"total,omitempty"`
	Message  string          `json:"message,omitempty"`
}

// Log are the params of notifications/message.
type Log struct {
	Level  string          `json:"level"` // debug, info, notice, warning, error …
	Logger string          `json:"logger,omitempty"`
	Data   json.RawMessage `json:"data"`
}

// MatchRequest are the params of adapter/match, MatchResult is its result.
type MatchRequest struct {
	URL string `json:"url"`
}

// MatchResult holds notes about the page, or none.
type MatchResult struct {
	Notes []string `json:"notes"`
}
