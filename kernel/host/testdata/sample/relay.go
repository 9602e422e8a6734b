package main

import (
	"encoding/json"

	"github.com/wb-agent/wb/plugins/sdk"
)

type viaIn struct {
	Tool string          `json:"tool" doc:"tool to call through the host"`
	Args json.RawMessage `json:"args,omitempty"`
}

type diveIn struct {
	Levels int `json:"levels" doc:"plugin calls to nest, this one included"`
}

type diveOut struct {
	Reached int `json:"reached"`
}

// relay is a Caller itself: it reaches other tools through the host, its own included.
func relay() sdk.Plugin {
	return sdk.Plugin{Name: "relay", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[viaIn, any]{Name: "relay_via", About: "Call another tool and return what it returned.",
			Run: func(h *sdk.Host, in viaIn) (out any, err error) {
				return out, h.Call(in.Tool, in.Args, &out)
			}},
		sdk.Tool[diveIn, diveOut]{Name: "relay_dive", About: "Call itself, level by level.", Run: dive},
	}}
}

func dive(h *sdk.Host, in diveIn) (out diveOut, err error) {
	if in.Levels > 1 {
		if err := h.Call("relay_dive", diveIn{in.Levels - 1}, &out); err != nil {
			return out, err
		}
	}
	out.Reached++
	return out, nil
}
