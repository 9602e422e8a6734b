// Package abi is the wire between host and guest: the Model Context Protocol's stdio transport
// (newline-delimited JSON-RPC 2.0), and what wb adds to it.
//
// The host and the SDK import it; a plugin in another language follows it. It holds values only. Read
// abi.go (lines and the handshake), tools.go (tools, results, handles), then model.go and receipt.go,
// which mirror the values of package ports field by field, since a guest cannot import that.
package abi

import "encoding/json"

// What is spoken, named once.
const (
	Version         = 1            // negotiated as capabilities.experimental.wb.abi
	ProtocolVersion = "2025-06-18" // of MCP
)

// Methods of MCP that the host sends.
const (
	MethodInitialize  = "initialize"
	MethodInitialized = "notifications/initialized"
	MethodCancelled   = "notifications/cancelled"
	MethodPing        = "ping" // either way
	MethodToolsList   = "tools/list"
	MethodToolsCall   = "tools/call"
)

// Methods of MCP that a guest sends. The requests are answered only while a call is served.
const (
	MethodProgress     = "notifications/progress"
	MethodLog          = "notifications/message"
	MethodToolsChanged = "notifications/tools/list_changed"
	MethodSample       = "sampling/createMessage" // becomes a call of model.chat
	MethodElicit       = "elicitation/create"     // becomes a call of ui.ask
)

// Methods that wb adds.
const (
	MethodCall   = "wb/call"  // guest to host: CallRequest to ToolResult
	MethodRead   = "wb/read"  // guest to host: ReadRequest to ReadResult
	MethodFind   = "wb/find"  // guest to host: FindRequest to FindResult
	MethodClose  = "wb/close" // guest to host: HandleRequest to {}
	MethodChat   = "provider/chat"
	MethodModels = "provider/models"
	MethodDelta  = "notifications/provider/delta" // guest to host, params are a Delta
	MethodMatch  = "adapter/match"
)

// JSON-RPC error numbers.
const (
	ErrParse    = -32700
	ErrNoMethod = -32601
	ErrParams   = -32602
	ErrApp      = -32000 // Data holds a Detail
)

// Message is a request (Method and ID), a notification (Method alone) or a response (ID alone).
type Message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is a JSON-RPC error object.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Detail is the Data of an ErrApp: a code for programs, a fix for people.
type Detail struct {
	Code string `json:"code"`
	Fix  string `json:"fix,omitempty"`
}

// Hello is both sides' half of initialize; unknown fields are ignored.
type Hello struct {
	ProtocolVersion string       `json:"protocolVersion"`
	Capabilities    Capabilities `json:"capabilities"`
	ClientInfo      *Info        `json:"clientInfo,omitempty"`
	ServerInfo      *Info        `json:"serverInfo,omitempty"`
}

// Info names a program.
type Info struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Capabilities holds what the two sides negotiate.
type Capabilities struct {
	Tools        *struct{}    `json:"tools,omitempty"`
	Sampling     *struct{}    `json:"sampling,omitempty"`
	Elicitation  *struct{}    `json:"elicitation,omitempty"`
	Experimental Experimental `json:"experimental,omitzero"`
}

// Experimental carries wb's own part; a plain MCP server leaves it out.
type Experimental struct {
	WB *WB `json:"wb,omitempty"`
}

// WB is the version of what wb adds, and what a plugin offers beside tools.
type WB struct {
	ABI      int  `json:"abi"`
	Provider bool `json:"provider,omitempty"`
	Adapter  bool `json:"adapter,omitempty"`
}

// Line encodes m with its newline. It panics if a raw field is not JSON, which is a bug of the caller.
func Line(m Message) []byte {
	m.JSONRPC = "2.0"
	return append(JSON(m), '\n')
}

// JSON encodes a value of this package.
func JSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("abi: " + err.Error())
	}
	return b
}
