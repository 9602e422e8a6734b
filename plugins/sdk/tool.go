package sdk

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Tool is one typed tool. The schemas of In and Out, which must be structs for that, come from their
// json, doc, enum, min and max tags. An error from Run becomes a tool error that the model can read, an
// *Error keeps its code; a panic costs the host this instance.
//
// Out may also be a Result, a Content or a []Content, for pictures and handles, or a string.
type Tool[In, Out any] struct {
	Name, About string
	Risk        string   // read, control, act or dangerous [dangerous]
	Modes       []string // ask, act, dev: where a model may call it; none: it is not for models
	Tiers       []string // compact, mid, full: which models see it; none: all
	Trusted     bool     // the result is the plugin's own words, not page or network text
	Budget      int      // characters of a result that a model sees [8,000]
	Origins     []string // origins it touches beside the tab's
	Run         func(h *Host, in In) (Out, error)
}

// RawTool is a tool with a schema of its own that sees its arguments as they came.
type RawTool struct {
	Name, About   string
	Input, Output json.RawMessage // JSON Schemas; Output may be nil
	Risk          string
	Modes, Tiers  []string
	Trusted       bool
	Budget        int
	Origins       []string
	Run           func(h *Host, args json.RawMessage) (Result, error)
}

// AnyTool is a Tool of any types, or a RawTool.
type AnyTool interface {
	name() string
	spec() abi.ToolSpec
	call(h *Host, args json.RawMessage) (Result, error)
}

func (t Tool[In, Out]) name() string { return t.Name }

func (t Tool[In, Out]) spec() abi.ToolSpec {
	s := RawTool{Name: t.Name, About: t.About, Risk: t.Risk, Modes: t.Modes, Tiers: t.Tiers, Trusted: t.Trusted,
		Budget: t.Budget, Origins: t.Origins, Input: abi.JSON(inputSchema(reflect.TypeFor[In]()))}
	if out := reflect.TypeFor[Out](); out.Kind() == reflect.Struct && !isResult(out) {
		s.Output = abi.JSON(outputSchema(out))
	}
	return s.spec()
}

func (t Tool[In, Out]) call(h *Host, args json.RawMessage) (Result, error) {
	var in In
	if len(args) > 0 {
		if err := json.Unmarshal(args, &in); err != nil {
			return Result{}, fmt.Errorf("arguments: %w", err)
		}
	}
	out, err := t.Run(h, in)
	if err != nil {
		return Result{}, err
	}
	return resultOf(out)
}

func (t RawTool) name() string { return t.Name }

func (t RawTool) spec() abi.ToolSpec {
	s := abi.ToolSpec{Name: t.Name, Description: t.About, InputSchema: t.Input, OutputSchema: t.Output,
		Meta: &abi.SpecMeta{WB: &abi.SpecWB{Risk: t.Risk, Modes: t.Modes, Tiers: t.Tiers, Trusted: t.Trusted,
			Budget: t.Budget, Origins: t.Origins}}}
	if len(s.InputSchema) == 0 {
		s.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	switch t.Risk {
	case "read":
		s.Annotations = &abi.Annotations{ReadOnlyHint: true}
	case "control", "act":
		s.Annotations = &abi.Annotations{DestructiveHint: new(bool)}
	}
	return s
}

func (t RawTool) call(h *Host, args json.RawMessage) (Result, error) { return t.Run(h, args) }
