package sdk

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

type inner struct {
	Kind string `json:"kind" enum:"a,b" doc:"which"`
}

type everything struct {
	inner
	Name   string          `json:"name" min:"1" max:"60"`
	Count  int             `json:"count,omitempty" min:"0" max:"9" enum:"1,2"`
	Ratio  *float64        `json:"ratio"`
	Mode   *string         `json:"mode,omitempty" enum:"x,y"`
	List   []inner         `json:"list" max:"3"`
	Map    map[string]int  `json:"map,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"`
	Bytes  []byte          `json:"bytes,omitempty"`
	When   time.Time       `json:"when,omitzero"`
	Any    any             `json:"any,omitempty"`
	Hidden string          `json:"-"`
	Plain  bool
}

func TestSchema(t *testing.T) {
	got, err := json.Marshal(Tool[everything, inner]{Name: "t", About: "A.", Risk: "read", Modes: []string{"ask"}}.spec())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"additionalProperties":false`, `"required":["kind","name","list","Plain"]`,
		`"kind":{"description":"which","enum":["a","b"],"type":"string"}`,
		`"name":{"maxLength":60,"minLength":1,"type":"string"}`,
		`"count":{"enum":[1,2],"maximum":9,"minimum":0,"type":"integer"}`,
		`"ratio":{"type":["number","null"]}`, `"mode":{"enum":["x","y",null],"type":["string","null"]}`,
		`"maxItems":3,"type":"array"`, `"map":{"additionalProperties":{"type":"integer"},"type":"object"}`,
		`"raw":{}`, `"any":{}`, `"bytes":{"contentEncoding":"base64","type":"string"}`,
		`"when":{"format":"date-time","type":"string"}`, `"annotations":{"readOnlyHint":true}`,
		`"_meta":{"wb":{"risk":"read","modes":["ask"]}}`, `"outputSchema":{"properties":{"kind"`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("lacks %s", want)
		}
	}
	if strings.Contains(string(got), "Hidden") {
		t.Error("fields that are no arguments")
	}
	if t.Failed() {
		t.Logf("%s", got)
	}
}

func talk(t testing.TB, p Plugin, lines ...string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := ServeOn(p, strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

func plugin() Plugin {
	return Plugin{Name: "p", Version: "1", Tools: []AnyTool{
		Tool[struct{}, string]{Name: "call", Run: func(h *Host, _ struct{}) (string, error) { return "", h.Call("x", nil, nil) }},
		Tool[struct{}, []Content]{Name: "picture", Run: func(*Host, struct{}) ([]Content, error) {
			return []Content{Text("see"), Text(""), Picture("image/png", []byte{1})}, nil
		}},
		Tool[inner, inner]{Name: "echo", Run: func(_ *Host, in inner) (inner, error) { return in, nil }},
		Tool[struct{}, []int]{Name: "list", Run: func(*Host, struct{}) ([]int, error) { return []int{1, 2}, nil }},
		Tool[struct{}, any]{Name: "fail", Run: func(*Host, struct{}) (any, error) {
			return nil, fmt.Errorf("here: %w", &Error{Code: "stale_ref", Msg: "gone", Fix: "look again"})
		}},
		Tool[struct{}, string]{Name: "ask", Run: func(h *Host, _ struct{}) (string, error) {
			a, err := h.Ask(Question{Text: "which?"})
			return a.Choice + "/" + a.Text, err
		}},
	}}
}

// Run as it is, a plugin is an MCP server for any host.
func TestNative(t *testing.T) {
	got := talk(t, plugin(),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"picture","arguments":{}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"echo","arguments":{"kind":"a"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"list"}}`,
		`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"fail"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nope"}}`,
		`{"jsonrpc":"2.0","id":"x","method":"provider/chat","params":{}}`,
		`{"jsonrpc":"2.0","id":8,"method":"ping"}`,
	)
	for i, want := range []string{
		`"serverInfo":{"name":"p","version":"1"}`,
		`refused: x: this host takes no wb/call (run the plugin in wb)"}],"isError":true`,
		`"content":[{"type":"text","text":"see"},{"type":"image","mimeType":"image/png","data":"AQ=="}]`,
		`"content":[{"type":"text","text":"{\"kind\":\"a\"}"}],"structuredContent":{"kind":"a"}`,
		`"content":[{"type":"text","text":"[1,2]"}]}`,
		`here: stale_ref: gone (look again)"}],"isError":true`,
		`"error":{"code":-32602,"message":"unknown tool nope"}`,
		`"id":"x","error":{"code":-32601`,
		`"id":8,"result":{}`,
	} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("answer %d lacks %s\n%s", i+1, want, strings.Join(got, "\n"))
		}
	}
}

// While a question is open, other requests wait and a ping is answered.
func TestAskOfAnotherHost(t *testing.T) {
	got := talk(t, plugin(),
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"answer":"the red one"}}}`,
	)
	for i, want := range []string{`"id":1`, `"method":"elicitation/create"`, `"id":4`, `"id":2,"result":{"content":[{"type":"text","text":"the red one/the red one"}]`, `"id":3`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("line %d lacks %s\n%s", i+1, want, strings.Join(got, "\n"))
		}
	}
}

func TestDecode(t *testing.T) {
	var s string
	var o inner
	if err := (Result{Content: []Content{Text("a"), Text("b")}}).Decode(&s); err != nil || s != "a\nb" {
		t.Fatal(s, err)
	}
	if err := (Result{Content: []Content{Text(`{"kind":"b"}`)}}).Decode(&o); err != nil || o.Kind != "b" {
		t.Fatal(o, err)
	}
	if err := (Result{Data: json.RawMessage(`{"kind":"a"}`)}).Decode(&o); err != nil || o.Kind != "a" {
		t.Fatal(o, err)
	}
	if CodeOf(errors.New("x")) != "" || CodeOf(fmt.Errorf("y: %w", &Error{Code: "c"})) != "c" {
		t.Fatal("codes")
	}
}

// Whatever a host sends, a plugin answers or ends; it never panics.
func FuzzServe(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"wb":{"abi":1}}}}}` + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"call"}}` + "\n" + `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"handle","handle":"h"}]}}`)
	f.Add(`{"id":2,"method":"tools/call","params":{"name":"echo","arguments":{"kind":3},"_meta":{"wb":null}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		var out bytes.Buffer
		_ = ServeOn(plugin(), strings.NewReader(in), &out) // an error is an answer, too
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%q", line)
			}
		}
	})
}
