// Command sample is three sample plugins in one module; the first argument names the one to start.
//
//	go run . text       an MCP server on this terminal
//	GOOS=wasip1 GOARCH=wasm go build -o sample.wasm .
package main

import "github.com/wb-agent/wb/plugins/sdk"

func main() { sdk.Main(text(), relay(), probe()) }
