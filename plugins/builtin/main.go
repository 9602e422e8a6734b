// Command builtin is every built-in plugin in one module; the first argument names the one to start.
// `go run ./plugins/build` makes builtins.wasm of it. Run as it is, it is an MCP server on stdio.
package main

import (
	"github.com/wb-agent/wb/plugins/builtin/anthropic"
	"github.com/wb-agent/wb/plugins/builtin/engine"
	"github.com/wb-agent/wb/plugins/builtin/openai"
	"github.com/wb-agent/wb/plugins/builtin/page"
	"github.com/wb-agent/wb/plugins/builtin/tabs"
	"github.com/wb-agent/wb/plugins/sdk"
)

func main() {
	sdk.Main(
		anthropic.Plugin(),
		engine.Plugin(),
		openai.Plugin(),
		page.Plugin(),
		tabs.Plugin(),
	)
}
