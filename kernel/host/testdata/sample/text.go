package main

import (
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type countIn struct {
	Text string `json:"text" doc:"what to count"`
}

type countOut struct {
	Words int `json:"words"`
	Bytes int `json:"bytes"`
}

// text counts words: a plugin that needs nothing from the host.
func text() sdk.Plugin {
	return sdk.Plugin{Name: "text", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[countIn, countOut]{Name: "text_count", About: "Count words and bytes.",
			Run: func(_ *sdk.Host, in countIn) (countOut, error) {
				return countOut{Words: len(strings.Fields(in.Text)), Bytes: len(in.Text)}, nil
			}},
	}}
}
