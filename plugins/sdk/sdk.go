// Package sdk is what a plugin author imports: tools are typed functions, Serve speaks the wire.
//
//	func main() { sdk.Serve(plugin()) }
//
// A plugin is sequential: it reads a line, answers it, reads the next. A nested Host.Call reads lines
// where it stands. The same program, built with GOOS=wasip1 GOARCH=wasm, is a sandboxed wb plugin and,
// with go run, an ordinary MCP server; there Host.Call answers with code "refused".
//
// It is not a general MCP library: it offers tools, and what wb adds (a model provider, a site
// adapter). Read sdk.go, tool.go and host.go; package sdktest runs a plugin in a test.
package sdk

import (
	"errors"
	"fmt"
	"os"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Plugin is a named set of tools, and what it offers beside them.
type Plugin struct {
	Name, Version string
	Tools         []AnyTool
	Provider      *Provider // nil: it speaks to no models
	Adapter       *Adapter  // nil: it knows no site
}

// Provider speaks to one family of model endpoints.
type Provider struct {
	// Chat answers one request; emit passes on a piece of a streamed answer. A reply is returned only
	// when it is whole.
	Chat func(h *Host, req ChatRequest, emit func(Delta)) (ChatReply, error)
	// Models lists what the endpoint offers.
	Models func(h *Host, e Endpoint) ([]string, error)
}

// Adapter knows one site.
type Adapter struct {
	// Match returns notes about a page, or none. It may call nothing and must be quick.
	Match func(url string) ([]string, error)
}

// Values of the wire that plugins handle.
type (
	ChatRequest  = abi.ChatRequest
	ChatReply    = abi.ChatReply
	Delta        = abi.Delta
	Endpoint     = abi.Endpoint
	Turn         = abi.Turn
	Part         = abi.Part
	ModelCall    = abi.ToolCall
	ToolDecl     = abi.ToolDecl
	Usage        = abi.Usage
	FetchRequest = abi.FetchRequest
	FetchHead    = abi.FetchHead
	Question     = abi.Question
	Answer       = abi.Answer
	Receipt      = abi.Receipt
	Target       = abi.Target
	Hit          = abi.Hit
	Expected     = abi.Expected
	Request      = abi.Request
)

// Verdicts of a Receipt.
const (
	Done    = abi.VerdictDone
	NotDone = abi.VerdictNotDone
	Unknown = abi.VerdictUnknown
)

// Error is a failure with a code: a refusal by the host, or one that a tool or a provider returns. The
// codes are those of wb (stale_ref, not_actionable, auth, rate_limited …).
type Error struct {
	Code, Msg string
	Fix       string // what can be done about it
}

func (e *Error) Error() string { return e.Code + ": " + e.Msg }

// CodeOf returns the code of the first Error in err's chain, or "".
func CodeOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// Serve is a whole main function: it serves p on stdin and stdout until stdin ends.
func Serve(p Plugin) { Main(p) }

// Main serves the plugin that the first argument names, or the only one.
func Main(plugins ...Plugin) {
	for _, p := range plugins {
		if len(plugins) == 1 || len(os.Args) > 1 && os.Args[1] == p.Name {
			if err := ServeOn(p, os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, p.Name+":", err)
				os.Exit(1)
			}
			return
		}
	}
	fmt.Fprintln(os.Stderr, "the first argument must name a plugin")
	os.Exit(2)
}
