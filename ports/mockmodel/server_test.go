package mockmodel

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
)

func start(t *testing.T, playbook string) (*Server, string) {
	t.Helper()
	p, err := Parse([]byte(playbook))
	if err != nil {
		t.Fatal(err)
	}
	s := New(p)
	ts := httptest.NewServer(s)
	t.Cleanup(ts.Close)
	return s, ts.URL
}

func post(t *testing.T, url, body string) (int, http.Header, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer k")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, "", err
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	return res.StatusCode, res.Header, string(b), err
}

const tools = `"tools":[{"type":"function","function":{"name":"read","parameters":{}}},{"type":"function","function":{"name":"click","parameters":{}}}]`

const openAIRound = `{"model":"m","STREAM"` + tools + `,"messages":[{"role":"system","content":"sys"},
{"role":"user","content":[{"type":"text","text":"buy tea"},{"type":"image_url","image_url":{"url":"data:x"}}]},
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"read","arguments":"{}"}}]},
{"role":"tool","tool_call_id":"c1","content":"button \"Buy\" [e7]"}]}`

const anthropicRound = `{"model":"m","max_tokens":9,"STREAM""system":[{"type":"text","text":"sys"}],
"tools":[{"name":"read","input_schema":{}},{"name":"click","input_schema":{}}],"messages":[
{"role":"user","content":"buy tea"},
{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"tool_use","id":"c1","name":"read","input":{}}]},
{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":[{"type":"text","text":"button \"Buy\" [e7]"}]}]}]}`

const buyBook = `
key: k
rules:
  - when: {user: "buy", system: sys, turn: 2, last_tool: read, last_result: Buy, tools: [click]}
    reply: {think: "I think so", text: "Grüße, ich kaufe", calls: [{tool: click, args: {ref: '{{ref name="Buy"}}', text: "ö\"x"}}, {tool: read}]}
`

// said is what a client understood.
type said struct {
	think, text, finish string
	calls               []Call
	input, output       int
}

func check(t *testing.T, got said) {
	t.Helper()
	if got.think != "I think so" || got.text != "Grüße, ich kaufe" || len(got.calls) != 2 || got.input == 0 || got.output == 0 {
		t.Fatalf("got %+v", got)
	}
	var args map[string]string
	if err := json.Unmarshal([]byte(got.calls[0].Args), &args); err != nil || got.calls[0].Name != "click" || args["ref"] != "e7" || args["text"] != `ö"x` {
		t.Errorf("call %+v: %v", got.calls[0], err)
	}
	if got.calls[1].Name != "read" || got.calls[1].Args != "{}" || got.calls[0].ID == got.calls[1].ID {
		t.Errorf("second call %+v", got.calls[1])
	}
}

func TestOpenAI(t *testing.T) {
	s, url := start(t, buyBook)
	for _, stream := range []string{"", `"stream":true,"stream_options":{"include_usage":true},`} {
		status, _, body, err := post(t, url+"/v1/chat/completions", strings.Replace(openAIRound, `"STREAM"`, stream, 1))
		if status != 200 || err != nil {
			t.Fatal(status, body, err)
		}
		got := said{}
		if stream == "" {
			got.openAI(t, []byte(body), "message")
		} else {
			for _, e := range sse(body) {
				if e.data != "[DONE]" {
					got.openAI(t, []byte(e.data), "delta")
				}
			}
		}
		if got.finish != "tool_calls" {
			t.Errorf("finish %q", got.finish)
		}
		check(t, got)
	}
	if log := s.Requests(); len(log) != 2 || log[0].Rule != 0 || log[0].Conversation.Messages[0].Images != 1 {
		t.Errorf("log %+v", log)
	}
}

func TestAnthropic(t *testing.T) {
	_, url := start(t, buyBook)
	for _, stream := range []string{"", `"stream":true,`} {
		status, _, body, err := post(t, url+"/v1/messages", strings.Replace(anthropicRound, `"STREAM"`, stream, 1))
		if status != 200 || err != nil {
			t.Fatal(status, body, err)
		}
		got := said{}
		if stream == "" {
			got.anthropic(t, []byte(body))
		} else {
			for _, e := range sse(body) {
				got.anthropicEvent(t, e)
			}
		}
		if got.finish != "tool_use" {
			t.Errorf("finish %q", got.finish)
		}
		check(t, got)
	}
}

func TestRefusals(t *testing.T) {
	_, url := start(t, buyBook)
	for name, tt := range map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"no rule":           {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"what"}]}`, 422, `turn 1, last_tool \"\", last_result \"\", user \"what\"`},
		"not json":          {"/chat/completions", `{`, 400, "not readable"},
		"no model":          {"/chat/completions", `{"messages":[]}`, 400, "required"},
		"role":              {"/chat/completions", `{"model":"m","messages":[{"role":"boss"}]}`, 400, "boss"},
		"open call":         {"/chat/completions", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"t"}}]},{"role":"user","content":"x"}]}`, 400, "has no result"},
		"result alone":      {"/chat/completions", `{"model":"m","messages":[{"role":"tool","tool_call_id":"c","content":"x"}]}`, 400, "no open call"},
		"no max_tokens":     {"/messages", `{"model":"m","messages":[{"role":"user","content":"x"}]}`, 400, "max_tokens"},
		"assistant first":   {"/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}`, 400, "first message"},
		"unknown path":      {"/v1/other", `{}`, 404, "no such path"},
		"text before":       {"/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"tool_result","tool_use_id":"c"}]}]}`, 400, "must come first"},
		"no rule, messages": {"/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}`, 422, "invalid_request_error"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, body, err := post(t, url+tt.path, tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) || err != nil || !json.Valid([]byte(body)) {
				t.Errorf("%d %s %v; want %d with %q", status, body, err, tt.status, tt.want)
			}
		})
	}
	res, err := http.Post(url+"/v1/messages", "application/json", strings.NewReader(`{}`))
	if err != nil || res.StatusCode != 401 {
		t.Errorf("without a key: %v, %v", res, err)
	}
	res.Body.Close()
}

func TestModels(t *testing.T) {
	_, url := start(t, "- reply: {text: hi}")
	res, err := http.Get(url + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || !bytes.Contains(b, []byte(`"id":"mock-1"`)) {
		t.Errorf("%s, %v", b, err)
	}
}

func TestRun(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	p := Playbook{Rules: []Rule{{Fault: &Fault{Hang: true}}}}
	s := New(p)
	go func() { done <- s.Run(ctx, ln) }()
	wrote := make(chan struct{})
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { close(wrote) }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost,
		"http://"+ln.Addr().String()+"/v1/chat/completions", strings.NewReader(strings.Replace(ask, `"STREAM"`, "", 1)))
	if err != nil {
		t.Fatal(err)
	}
	hung := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(req)
		hung <- err
	}()
	<-wrote
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-hung; err == nil {
		t.Error("the hanging request was answered")
	}
}

type sseEvent struct{ name, data string }

func sse(body string) (out []sseEvent) {
	var e sseEvent
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		key, value, _ := strings.Cut(sc.Text(), ": ")
		switch key {
		case "event":
			e.name = value
		case "data":
			e.data = value
		case "":
			out = append(out, e)
			e = sseEvent{}
		}
	}
	return out
}
