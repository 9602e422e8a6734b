package primitive

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/ports"
)

// Schemas of the primitives' arguments. The page script checks what stands in "args" itself.
const (
	readSchema = `{"type":"object","required":["op"],"additionalProperties":false,"properties":{
"op":{"type":"string","maxLength":40},"tab":{"type":"string"},"frame":{"type":"string","pattern":"^f[0-9]+$"},"args":{"type":"object"}}}`
	inputSchema = `{"type":"object","required":["kind"],"additionalProperties":false,"properties":{
"kind":{"enum":["click","hover","drag","text","keys","wheel"]},"tab":{"type":"string"},"ref":{"type":"string"},"to":{"type":"string"},
"x":{"type":"number"},"y":{"type":"number"},"to_x":{"type":"number"},"to_y":{"type":"number"},"steps":{"type":"integer","minimum":1,"maximum":100},
"text":{"type":"string"},"keys":{"type":"array","maxItems":100,"items":{"type":"string","maxLength":40}},"count":{"type":"integer","minimum":1,"maximum":3},
"button":{"enum":["left","middle","right"]},"dx":{"type":"number"},"dy":{"type":"number"},"force":{"type":"boolean"}}}`
	navSchema = `{"type":"object","additionalProperties":false,"properties":{"url":{"type":"string","maxLength":16384},
"delta":{"type":"integer","minimum":-10,"maximum":10},"reload":{"type":"boolean"},"force":{"type":"boolean"},"tab":{"type":"string"}}}`
	tabsSchema = `{"type":"object","required":["op"],"additionalProperties":false,"properties":{"op":{"enum":["list","open","activate","close","dialog"]},
"tab":{"type":"string"},"url":{"type":"string","maxLength":16384},"accept":{"type":"boolean"},"text":{"type":"string","maxLength":4000}}}`
	captureSchema = `{"type":"object","additionalProperties":false,"properties":{"full":{"type":"boolean"},"ref":{"type":"string"},
"format":{"enum":["png","jpeg"]},"quality":{"type":"integer","minimum":1,"maximum":100},"tab":{"type":"string"}}}`
	evalSchema = `{"type":"object","required":["code"],"additionalProperties":false,"properties":{"code":{"type":"string","maxLength":100000},
"frame":{"type":"string"},"tab":{"type":"string"}}}`
	fetchSchema = `{"type":"object","required":["url"],"additionalProperties":false,"properties":{"url":{"type":"string","maxLength":16384},
"method":{"enum":["GET","HEAD","POST","PUT","PATCH","DELETE"]},"headers":{"type":"object","additionalProperties":{"type":"string"}},
"body":{"type":"string"},"stream":{"type":"boolean"},"retry":{"type":"boolean"},"timeout":{"type":"integer","minimum":1,"maximum":600000}}}`
	kvSchema = `{"type":"object","required":["key"],"additionalProperties":false,"properties":{"key":{"type":"string","maxLength":256},
"value":{"type":"string","maxLength":65536}}}`
	keysSchema   = `{"type":"object","additionalProperties":false,"properties":{"prefix":{"type":"string","maxLength":256}}}`
	modelSchema  = `{"type":"object","required":["messages"],"properties":{"messages":{"type":"array","minItems":1}}}`
	modelsSchema = `{"type":"object","additionalProperties":false,"properties":{"endpoint":{"type":"string"}}}`
	emptySchema  = `{"type":"object","additionalProperties":false}`
)

// primitive makes a tool of the host.
func primitive(name string, risk ports.Risk, about, schema string, f ports.CallFunc) ports.Tool {
	return tool{ports.Spec{Name: name, Description: about, Risk: risk, Input: json.RawMessage(schema), Trusted: true}, f}
}

type tool struct {
	spec ports.Spec
	run  ports.CallFunc
}

func (t tool) Spec() ports.Spec { return t.spec }

func (t tool) Call(ctx context.Context, c ports.Call) (ports.Result, error) { return t.run(ctx, c) }

// data is a result of structured content alone: guests decode it, nobody reads it twice.
func data(v any, err error) (ports.Result, error) {
	if err != nil {
		return ports.Result{}, err
	}
	return ports.Result{Data: ports.JSON(v)}, nil
}

func orEmpty(args json.RawMessage) json.RawMessage {
	if len(args) == 0 {
		return json.RawMessage("{}")
	}
	return args
}
