// Package engine is the built-in plugin that reaches a goal in a page: with a model, one verified action at
// a time (page_act), or without one, by replaying actions that are known to work (page_replay).
//
// It acts through the same tools that a model calls, and believes their receipts alone. Read act.go, then
// replay.go; ground.go finds a recorded target again, heal.go says what is tried when a step fails.
package engine

import (
	"encoding/json"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Plugin is the plugin.
func Plugin() sdk.Plugin {
	modes := []string{"act", "dev"}
	return sdk.Plugin{Name: "engine", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[actIn, sdk.Result]{Name: "page_act", About: "Reach a goal in the current page by a verified sub-run: one action at a time, each checked. Give the whole goal with all values. Returns what was done and the evidence for it.",
			Risk: "act", Modes: modes, Run: pageAct},
		sdk.Tool[replayIn, sdk.Result]{Name: "page_replay", About: "Repeat recorded actions without a model, each verified; expect is checked at the end. Stops at the first step that fails.",
			Risk: "act", Modes: modes, Tiers: []string{"full"}, Run: pageReplay},
	}}
}

// target is a recorded element: what a person would call it, and what it looked like to the page script.
type target struct {
	Ref         string `json:"ref,omitempty" doc:"of the recording; its frame is where to look first"`
	Role        string `json:"role,omitempty"`
	Name        string `json:"name,omitempty"`
	In          string `json:"in,omitempty" doc:"the dialog or form around it"`
	Fingerprint string `json:"fingerprint,omitempty"`
}

func (t target) String() string { return strings.TrimSpace(t.Role + ` "` + t.Name + `"`) }

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // values of this package always encode
	}
	return b
}
