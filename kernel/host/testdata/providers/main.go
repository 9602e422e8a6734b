// Command providers is the provider plugins alone, for the host's tests.
package main

import (
	"github.com/wb-agent/wb/plugins/builtin/anthropic"
	"github.com/wb-agent/wb/plugins/builtin/openai"
	"github.com/wb-agent/wb/plugins/sdk"
)

func main() { sdk.Main(anthropic.Plugin(), openai.Plugin()) }
