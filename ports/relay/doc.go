// Package relay is the daemon's side of the browser extension: who may connect, what the two say to each
// other, and a browser that is lent by the extension rather than started.
//
// Everything goes over one WebSocket a client, as JSON-RPC 2.0 (https://www.jsonrpc.org/specification), one
// text frame a message. The other end is extension/src: shared/wire.ts declares the same messages, and
// testdata/relay holds transcripts that both ends are held to.
//
// Read server.go (who gets in), then peer.go (requests and answers), extension.go (a browser that may lose its
// background and come back) and transport.go (Chromium's DevTools protocol over chrome.debugger, so that
// ports/cdp drives a lent tab as it drives its own).
package relay

import "encoding/json"

// Version of the protocol. A client of another version is refused with a fix.
const Version = 1

// Roles of a client.
const (
	RoleRelay = "relay" // the extension's background: it lends tabs
	RolePanel = "panel" // shows runs and starts them
)

// Challenge is what the daemon says first. A nonce is good for one hello.
type Challenge struct {
	Nonce   string `json:"nonce"`
	Version int    `json:"version"`
}

// Hello is a client's answer. Proof is hex of HMAC-SHA-256(token, nonce + "\n" + role): the token itself never
// travels, and a hello that was seen is worth nothing in another connection.
type Hello struct {
	Version int    `json:"version"`
	Role    string `json:"role"`
	Client  string `json:"client"`
	Proof   string `json:"proof"`
	Name    string `json:"name"`
	Browser string `json:"browser"`          // chromium or firefox
	Worker  string `json:"worker,omitempty"` // relay: changes when the background starts anew
	Epoch   string `json:"epoch,omitempty"`  // relay: the daemon's, as it was last told
	Last    int64  `json:"last,omitempty"`   // relay: number of the last changing command that it began in that epoch
}

// Welcome lets a client in. Epoch changes when the daemon starts anew: numbers begin again. Heard is the number of
// the last notification of this background that has arrived; it tells the rest again.
type Welcome struct {
	Version int    `json:"version"`
	Daemon  string `json:"daemon"`
	Epoch   string `json:"epoch"`
	Heard   int64  `json:"heard,omitempty"`
}

// Told is what a background tells of its browser, numbered from 1 in each background.
type Told struct {
	N      int64           `json:"n"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Pair asks for a token; the answer comes once a person has agreed.
type Pair struct {
	Version int    `json:"version"`
	Name    string `json:"name"`
	Browser string `json:"browser"`
}

// Paired is a new pairing.
type Paired struct {
	Client string `json:"client"`
	Token  string `json:"token"`
}

// message is any JSON-RPC message: a request has ID and Method, a notification Method, a response ID.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      *int64          `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Failure        `json:"error,omitempty"`
}

// Failure is a JSON-RPC error. Data holds the code and the fix of a *ports.Error.
type Failure struct {
	Code    int          `json:"code"`
	Message string       `json:"message"`
	Data    *FailureData `json:"data,omitempty"`
}

// FailureData is what a person can do about a failure.
type FailureData struct {
	Code string `json:"code,omitempty"`
	Fix  string `json:"fix,omitempty"`
}

// Codes of failures that JSON-RPC 2.0 section 5.1 names.
const (
	parseError     = -32700
	invalidRequest = -32600
	noMethod       = -32601
	invalidParams  = -32602
	serverError    = -32000
)
