package sdktest_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

type countIn struct {
	Word string `json:"word" doc:"what to count" min:"1"`
}

type countOut struct {
	Times int `json:"times"`
}

// A whole plugin. Its main function would be
//
//	func main() { sdk.Serve(plugin()) }
func plugin() sdk.Plugin {
	return sdk.Plugin{Name: "count", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[countIn, countOut]{Name: "count_word", About: "Count a word in the selected text.",
			Risk: "read", Modes: []string{"ask", "act"},
			Run: func(h *sdk.Host, in countIn) (out countOut, err error) {
				var selected struct{ Text string }
				if err := h.Call("browser.read", map[string]string{"op": "selection"}, &selected); err != nil {
					return out, err
				}
				out.Times = strings.Count(selected.Text, in.Word)
				return out, nil
			}},
	}}
}

// And its test.
func ExampleRun() {
	t := new(testing.T) // in a test: the one it was given
	s := sdktest.Run(t, plugin(), sdktest.Tools{
		"browser.read": func(json.RawMessage) (any, error) { return map[string]string{"text": "a rose is a rose"}, nil },
	})
	r, err := s.Call("count_word", countIn{Word: "rose"})
	if err != nil || r.Text() != `{"times":2}` {
		panic(r.Text())
	}
	// Output:
}

func TestRefusalKeepsItsCode(t *testing.T) {
	s := sdktest.Run(t, plugin(), nil)
	if _, err := s.Call("count_word", countIn{Word: "x"}); sdk.CodeOf(err) != "refused" {
		t.Fatal(err)
	}
	if len(s.Asked) != 1 || s.Asked[0].Tool != "browser.read" {
		t.Fatalf("%+v", s.Asked)
	}
}

func TestToolsOwnFailureIsAResult(t *testing.T) {
	s := sdktest.Run(t, plugin(), nil)
	r, err := s.Call("count_word", map[string]int{"word": 3})
	if err != nil || !r.IsError || !strings.Contains(r.Text(), "arguments") {
		t.Fatal(r, err)
	}
}

// A body that is not streamed and is short comes with the answer, without a handle.
func TestShortBody(t *testing.T) {
	p := sdk.Plugin{Name: "h", Tools: []sdk.AnyTool{sdk.RawTool{Name: "read", Run: func(h *sdk.Host, _ json.RawMessage) (sdk.Result, error) {
		head, body, err := h.Fetch(sdk.FetchRequest{URL: "https://a.example/"})
		if err != nil {
			return sdk.Result{}, err
		}
		at, err := body.Find("b", 1)
		if err != nil || at != 3 || head.Status != 200 {
			t.Error("found at", at, err, head)
		}
		two := make([]byte, 2)
		if _, err := body.ReadAt(two, 2); err != nil || string(two) != "cb" {
			t.Errorf("%q %v", two, err)
		}
		all, err := io.ReadAll(body)
		if err != nil {
			return sdk.Result{}, err
		}
		return sdk.Result{Content: []sdk.Content{sdk.Text(string(all))}}, body.Close()
	}}}}
	for name, c := range map[string]sdk.Content{"text": sdk.Text("aacbb"),
		"bytes": {Type: "resource", Resource: &abi.Resource{Blob: []byte("aacbb")}}, "resource": {Type: "resource", Resource: &abi.Resource{Text: "aacbb"}}} {
		s := sdktest.Run(t, p, sdktest.Tools{"http.fetch": func(json.RawMessage) (any, error) {
			return sdk.Result{Content: []sdk.Content{c}, Data: abi.JSON(sdk.FetchHead{Status: 200})}, nil
		}})
		if r, err := s.Call("read", struct{}{}); err != nil || r.Text() != "aacbb" {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}

func TestHandles(t *testing.T) {
	p := sdk.Plugin{Name: "h", Tools: []sdk.AnyTool{sdk.RawTool{Name: "read", Run: func(h *sdk.Host, _ json.RawMessage) (sdk.Result, error) {
		head, body, err := h.Fetch(sdk.FetchRequest{URL: "https://a.example/"})
		if err != nil {
			return sdk.Result{}, err
		}
		at, err := body.Find("b", 1)
		if err != nil || at != 3 || head.Status != 200 {
			return sdk.Result{}, err
		}
		two := make([]byte, 2)
		if _, err := body.ReadAt(two, 2); err != nil {
			return sdk.Result{}, err
		}
		h.Progress(1, 2, "half")
		h.Log("info", "read "+string(two))
		return sdk.Result{Content: []sdk.Content{sdk.Text(string(two)), sdk.Held(body.Name, "image/png")}}, body.Close()
	}}}}
	s := sdktest.Run(t, p, sdktest.Tools{"http.fetch": func(json.RawMessage) (any, error) {
		return sdktest.Stream{Head: sdk.FetchHead{Status: 200}, Chunks: []string{"aa", "cb", "b"}}, nil
	}})
	r, err := s.Call("read", struct{}{})
	if err != nil || r.Text() != "cb" || r.Handle() == "" || len(s.Events) != 2 {
		t.Fatalf("%+v %v %+v", r, err, s.Events)
	}
}
