// Command plugin offers the tools that the scenarios of MCP's conformance suite call. It is a wb plugin
// like a stranger's, so each scenario runs through the plugin host, Kernel.Call and the MCP server.
package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/abi"
)

func main() {
	sdk.Serve(sdk.Plugin{Name: "conformance", Version: "0.1.0", Tools: append(contents(), asking()...)})
}

type none = struct{}

// pixel is a red PNG of 1 by 1, silence a WAV without samples.
var (
	pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
		"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")
	silence = []byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x00\x00\x00\x00")
)

// tool is one that reads and that a model may call.
func tool[In any](name, about string, run func(h *sdk.Host, in In) (sdk.Result, error)) sdk.AnyTool {
	return sdk.Tool[In, sdk.Result]{Name: name, About: about, Risk: "read", Modes: []string{"ask", "act", "dev"}, Run: run}
}

func fixed(name, about string, blocks ...sdk.Content) sdk.AnyTool {
	return tool(name, about, func(*sdk.Host, none) (sdk.Result, error) { return sdk.Result{Content: blocks}, nil })
}

func contents() []sdk.AnyTool {
	image := sdk.Picture("image/png", pixel)
	return []sdk.AnyTool{
		fixed("test_simple_text", "A text.", sdk.Text("This is a simple text response for testing.")),
		fixed("test_image_content", "A picture.", image),
		fixed("test_audio_content", "A sound.", sdk.Content{Type: "audio", MIME: "audio/wav", Data: silence}),
		fixed("test_embedded_resource", "A resource.", resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		fixed("test_multiple_content_types", "A text, a picture and a resource.", sdk.Text("Multiple content types test:"), image,
			resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		fixed("test_reconnection", "A text, after which nothing is lost.", sdk.Text("Reconnection test completed.")),
		tool("test_error_handling", "An error.", func(*sdk.Host, none) (sdk.Result, error) {
			return sdk.Result{}, &sdk.Error{Code: "tool", Msg: "This tool intentionally returns an error for testing"}
		}),
		tool("test_tool_with_logging", "Three log messages.", logging),
		tool("test_tool_with_progress", "Three reports of progress.", progress),
		sdk.RawTool{Name: "json_schema_2020_12_tool", About: "Tool with JSON Schema 2020-12 features", Risk: "read", Modes: []string{"ask", "act", "dev"},
			Input: json.RawMessage(addressSchema), Run: func(_ *sdk.Host, args json.RawMessage) (sdk.Result, error) {
				return sdk.Result{Content: []sdk.Content{sdk.Text("got " + string(args))}}, nil
			}},
	}
}

const addressSchema = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
"$defs":{"address":{"type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"}},"additionalProperties":false}`

func resource(uri, mime, text string) sdk.Content {
	return sdk.Content{Type: "resource", Resource: &abi.Resource{URI: uri, MIME: mime, Text: text}}
}

// pause is what the suite wants between two notifications; nobody waits for it but the suite.
const pause = 50 * time.Millisecond

func logging(h *sdk.Host, _ none) (sdk.Result, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			<-time.After(pause)
		}
		h.Log("info", line)
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text("Logged three messages.")}}, nil
}

func progress(h *sdk.Host, _ none) (sdk.Result, error) {
	for i, done := range []float64{0, 50, 100} {
		if i > 0 {
			<-time.After(pause)
		}
		h.Progress(done, 100, fmt.Sprintf("Completed step %.0f of 100", done))
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text("Reported progress three times.")}}, nil
}
