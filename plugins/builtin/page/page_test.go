package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

// scriptedPage is a browser with one element, as far as the plugin can tell.
type scriptedPage struct {
	before, after string // facts of e1, before and after the gesture
	settled       string // answer to settle
	input         error  // of browser.input
	settle        error
	held          string // what value_equals finds; "" means the value that was asked for
	delivered     []string
}

func (p *scriptedPage) tools() sdktest.Tools {
	answer := func(raw json.RawMessage) (any, error) {
		var r struct {
			Op   string `json:"op"`
			Args struct {
				Conditions []struct {
					Expected string `json:"expected"`
				} `json:"conditions"`
			} `json:"args"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		switch r.Op {
		case "element", "focus":
			facts := p.before
			if len(p.delivered) > 0 {
				facts = p.after
			}
			if facts == "" {
				return nil, &sdk.Error{Code: "stale_ref", Msg: "e1 is gone"}
			}
			return json.RawMessage(facts), nil
		case "baseline":
			return json.RawMessage(`{"token":"t"}`), nil
		case "settle":
			return json.RawMessage(p.settled), p.settle
		case "check":
			want := r.Args.Conditions[0].Expected
			got := p.held
			if got == "" {
				got = want
			}
			return json.RawMessage(fmt.Sprintf(`{"checked":[{"condition":{},"passed":%t,"expected":%q,"actual":%q}]}`, got == want, want, got)), nil
		}
		return nil, fmt.Errorf("unexpected %s", r.Op)
	}
	deliver := func(raw json.RawMessage) (any, error) {
		p.delivered = append(p.delivered, string(raw))
		return json.RawMessage(`{"x":1,"y":1,"hit":{}}`), p.input
	}
	return sdktest.Tools{"browser.read": answer, "browser.input": deliver,
		"browser.act": func(raw json.RawMessage) (any, error) { return json.RawMessage(`{}`), nil }}
}

const button = `{"ref":"e1","role":"button","name":"Save","tag":"button","visible":true,"states":[],"url":"http://x/"}`

func field(value string) string {
	return fmt.Sprintf(`{"ref":"e1","role":"textbox","name":"Name","tag":"input","type":"text","visible":true,"editable":true,"states":[],"value":%q,"valueLength":%d,"url":"http://x/"}`, value, len(value))
}

// A verdict is what was seen, never that something was sent.
func TestVerdicts(t *testing.T) {
	quiet, busy := `{"settled":true,"effects":[],"url":"http://x/"}`, `{"settled":true,"effects":["dialog \"Saved\" opened"],"changed":true,"url":"http://x/"}`
	tests := map[string]struct {
		page       scriptedPage
		tool, args string
		want       string
		says       string
		untouched  bool
	}{
		"click with an effect":      {page: scriptedPage{before: button, after: button, settled: busy}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "done"},
		"click without":             {page: scriptedPage{before: button, after: button, settled: quiet}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "unknown", says: "look at the page"},
		"click in brackets":         {page: scriptedPage{before: button, after: button, settled: busy}, tool: "click_ax", args: `{"ref_id":"[e1]"}`, want: "done"},
		"click that removes it":     {page: scriptedPage{before: button, settled: busy}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "done"},
		"click on disabled":         {page: scriptedPage{before: strings.Replace(button, `"states":[]`, `"states":["disabled"]`, 1)}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "not_done", says: "disabled", untouched: true},
		"click on a covered one":    {page: scriptedPage{before: button, input: &sdk.Error{Code: "not_actionable", Msg: "covered by a banner"}}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "not_done", says: "covered"},
		"click that opens a dialog": {page: scriptedPage{before: button, settle: &sdk.Error{Code: "dialog_open", Msg: `confirm "Sure?"`}}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "done", says: "Sure?"},
		"contact lost":              {page: scriptedPage{before: button, settle: &sdk.Error{Code: "tab_crashed", Msg: "crashed"}}, tool: "click_ax", args: `{"ref_id":"e1"}`, want: "unknown", says: "contact was lost"},
		"expectation fails": {page: scriptedPage{before: button, after: button, settled: `{"settled":true,"effects":["text added"],"checked":[{"condition":{},"passed":false,"expected":"Saved","actual":"absent"}],"url":"http://x/"}`},
			tool: "click_ax", args: `{"ref_id":"e1","expect":[{"kind":"text_present","text":"Saved"}]}`, want: "unknown", says: "absent"},
		"fill":                       {page: scriptedPage{before: field(""), after: field("Ada"), settled: quiet}, tool: "set_field", args: `{"ref_id":"e1","text":"Ada"}`, want: "done"},
		"fill that the page reverts": {page: scriptedPage{before: field(""), after: field(""), settled: quiet, held: "nothing"}, tool: "set_field", args: `{"ref_id":"e1","text":"Ada"}`, want: "not_done", says: `"nothing" instead of "Ada"`},
		"fill read-only":             {page: scriptedPage{before: strings.Replace(field(""), `"states":[]`, `"states":["readonly"]`, 1)}, tool: "set_field", args: `{"ref_id":"e1","text":"Ada"}`, want: "not_done", says: "read-only", untouched: true},
		"fill a button":              {page: scriptedPage{before: button}, tool: "set_field", args: `{"ref_id":"e1","text":"Ada"}`, want: "not_done", says: "takes no text", untouched: true},
		"append":                     {page: scriptedPage{before: field("Ada"), after: field("Ada L"), settled: quiet}, tool: "type_ax", args: `{"ref_id":"e1","text":" L"}`, want: "done"},
		"field that is gone":         {page: scriptedPage{before: field(""), settled: busy}, tool: "set_field", args: `{"ref_id":"e1","text":"x"}`, want: "unknown", says: "gone"},
		"check what cannot be":       {page: scriptedPage{before: button}, tool: "set_checked", args: `{"ref_id":"e1","checked":true}`, want: "not_done", says: "cannot be checked", untouched: true},
		"check what is": {page: scriptedPage{before: strings.NewReplacer("button", "checkbox", `"states":[]`, `"states":["checked"]`).Replace(button)},
			tool: "set_checked", args: `{"ref_id":"e1","checked":true}`, want: "done", untouched: true},
		"check that the page undoes": {page: scriptedPage{before: strings.ReplaceAll(button, "button", "checkbox"), after: strings.ReplaceAll(button, "button", "checkbox"), settled: busy},
			tool: "set_checked", args: `{"ref_id":"e1","checked":true}`, want: "not_done", says: "unchecked"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := sdktest.Run(t, Plugin(), tt.page.tools())
			res, err := s.Call(tt.tool, json.RawMessage(tt.args))
			if err != nil {
				t.Fatal(err)
			}
			var r sdk.Receipt
			if err := json.Unmarshal(res.Data, &r); err != nil {
				t.Fatalf("no receipt in %s: %v", res.Text(), err)
			}
			if string(r.Verdict) != tt.want || !strings.Contains(res.Text(), tt.says) {
				t.Errorf("got %s, want %s with %q:\n%s", r.Verdict, tt.want, tt.says, res.Text())
			}
			if res.IsError != (tt.want == "not_done") {
				t.Errorf("is an error: %v", res.IsError)
			}
			if tt.untouched && len(tt.page.delivered) > 0 {
				t.Errorf("the page was touched: %v", tt.page.delivered)
			}
		})
	}
}

// A click by text does not guess: several matches come back as candidates with a way to say which.
func TestClickByText(t *testing.T) {
	two := `{"candidates":[{"ref":"e1","role":"button","name":"Edit","rect":{"x":1,"y":2,"w":3,"h":4},"in":"row \"A\""},{"ref":"e2","role":"button","name":"Edit","rect":{"x":1,"y":9,"w":3,"h":4}}],"exact":2,"scope":"dialog \"Rows\""}`
	tests := map[string]struct{ args, found, want string }{
		"ambiguous":       {`{"text":"Edit"}`, two, `button "Edit" [e2]`},
		"index":           {`{"text":"edit","index":1}`, two, "done: click"},
		"force":           {`{"text":"Edit","force":true}`, two, "done: click"},
		"index too large": {`{"text":"Edit","index":5}`, two, "index 5, but 2 fit"},
		"prefix":          {`{"text":"Ed"}`, two, "nothing fits in dialog"},
		"prefix, asked":   {`{"text":"Ed","textMatch":"prefix","index":0}`, two, "done: click"},
		"nothing":         {`{"text":"Save"}`, `{"candidates":[],"exact":0}`, "nothing fits"},
		"another role":    {`{"text":"Edit","index":0,"expected_role":"link"}`, two, "expected link"},
		"no target":       {`{}`, two, "nothing says what to click"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := scriptedPage{before: button, after: button, settled: `{"settled":true,"effects":["x"],"changed":true}`}
			tools := p.tools()
			inner := tools["browser.read"]
			tools["browser.read"] = func(raw json.RawMessage) (any, error) {
				if strings.Contains(string(raw), `"op":"find"`) {
					return json.RawMessage(tt.found), nil
				}
				return inner(raw)
			}
			res, err := sdktest.Run(t, Plugin(), tools).Call("click", json.RawMessage(tt.args))
			text := res.Text()
			if err != nil {
				text = err.Error()
			}
			if !strings.Contains(text, tt.want) {
				t.Errorf("got %q, want it to say %q", text, tt.want)
			}
		})
	}
}

// A secret is typed, and neither its value nor its length is in the receipt.
func TestSecretsStayOutOfReceipts(t *testing.T) {
	f := `{"ref":"e1","role":"textbox","name":"Password","tag":"input","type":"password","secret":true,"visible":true,"editable":true,"states":[],"value":%q}`
	p := scriptedPage{before: fmt.Sprintf(f, ""), after: fmt.Sprintf(f, "•••"), settled: `{"settled":true,"effects":[]}`}
	res, err := sdktest.Run(t, Plugin(), p.tools()).Call("set_field", map[string]string{"ref_id": "e1", "text": "hunter2"})
	if err != nil {
		t.Fatal(err)
	}
	if out := res.Text() + string(res.Data); strings.Contains(out, "hunter2") || !strings.Contains(out, "done") {
		t.Errorf("the receipt is %s", out)
	}
}
