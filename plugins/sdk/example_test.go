package sdk_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

type wordIn struct {
	Word string `json:"word" doc:"what to count" min:"1"`
}

type wordOut struct {
	Times int `json:"times"`
}

// words is a whole plugin. Its program is  func main() { sdk.Serve(words()) }  and its plugin.json asks for
// the grant {"tool": "browser.read"}; `wb plugin new` writes all three.
func words() sdk.Plugin {
	return sdk.Plugin{Name: "words", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[wordIn, wordOut]{Name: "words_count", About: "Count a word in the selected text.",
			Risk: "read", Modes: []string{"ask", "act"},
			Run: func(h *sdk.Host, in wordIn) (out wordOut, err error) {
				var selected struct{ Text string }
				if err := h.Call("browser.read", map[string]string{"op": "selection"}, &selected); err != nil {
					return out, err
				}
				out.Times = strings.Count(selected.Text, in.Word)
				return out, nil
			}},
	}}
}

// A plugin and its test, which plays the host.
func Example() {
	t := new(testing.T) // in a test: the one it was given
	s := sdktest.Run(t, words(), sdktest.Tools{
		"browser.read": func(json.RawMessage) (any, error) { return map[string]string{"text": "a rose is a rose"}, nil },
	})
	r, err := s.Call("words_count", wordIn{Word: "rose"})
	fmt.Println(r.Text(), err, s.Asked[0].Tool)
	// Output: {"times":2} <nil> browser.read
}
