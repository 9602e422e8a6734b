package mockmodel

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

const ask = `{"model":"m","STREAM""messages":[{"role":"user","content":"x"}]}`

func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		fault, stream string
		status        int
		want          string
		broken        bool
	}{
		"status":                {"status: 503, message: later", "", 503, "later", false},
		"garbage":               {"garbage: true", "", 200, "<html>", false},
		"garbage stream":        {"garbage: true", `"stream":true,`, 200, "data: ]}", false},
		"cut":                   {"cut_after: 20", "", 200, `{"choices":[{"finish`, true},
		"cut stream":            {"cut_after: 300", `"stream":true,`, 200, "data: {", true},
		"in-stream error":       {"in_stream_error: overloaded", `"stream":true,`, 200, `{"error":{"code":500,"message":"overloaded"`, false},
		"in-stream error whole": {"in_stream_error: overloaded", "", 500, "overloaded", false},
		"delay then reply":      {"delay: 1ms", "", 200, "hello", false},
	} {
		t.Run(name, func(t *testing.T) {
			_, url := start(t, "- fault: {"+tt.fault+"}\n  reply: {text: hello world}")
			status, _, body, err := post(t, url+"/v1/chat/completions", strings.Replace(ask, `"STREAM"`, tt.stream, 1))
			if status != tt.status || !strings.Contains(body, tt.want) || (err != nil) != tt.broken {
				t.Errorf("%d %q %v", status, body, err)
			}
			if tt.broken && strings.Contains(body, "[DONE]") {
				t.Errorf("the stream was not cut: %q", body)
			}
		})
	}
}

func TestRetryThenReply(t *testing.T) {
	s, url := start(t, "- when: {times: 1}\n  fault: {status: 429, retry_after: 1}\n- name: second\n  reply: {text: ok}")
	plain := strings.Replace(ask, `"STREAM"`, "", 1)
	status, header, _, _ := post(t, url+"/v1/chat/completions", plain)
	if status != 429 || header.Get("Retry-After") != "1" {
		t.Errorf("first: %d %v", status, header)
	}
	if status, _, _, _ := post(t, url+"/v1/chat/completions", plain); status != 200 {
		t.Errorf("second: %d", status)
	}
	if log := s.Requests(); len(log) != 2 || log[1].Name != "second" {
		t.Errorf("log %+v", log)
	}
}

func TestRejectTools(t *testing.T) {
	_, url := start(t, "- fault: {reject_tools: true}\n  reply: {text: ok}")
	if status, _, body, _ := post(t, url+"/v1/chat/completions", strings.Replace(openAIRound, `"STREAM"`, "", 1)); status != 400 || !strings.Contains(body, "does not support tools") {
		t.Errorf("with tools: %d %s", status, body)
	}
	if status, _, _, _ := post(t, url+"/v1/chat/completions", strings.Replace(ask, `"STREAM"`, "", 1)); status != 200 {
		t.Errorf("without: %d", status)
	}
}

func TestUnplayable(t *testing.T) {
	_, url := start(t, `- reply: {text: fine, calls: [{tool: click, args: {ref: '{{ref name="Absent"}}'}}]}`)
	status, _, body, _ := post(t, url+"/v1/chat/completions", strings.Replace(ask, `"STREAM"`, "", 1))
	if status != 422 || !strings.Contains(body, "cannot be played") {
		t.Errorf("got %d %s", status, body)
	}
}

func TestRawArguments(t *testing.T) {
	_, url := start(t, `- reply: {calls: [{tool: click, raw: '{"ref": '}]}`)
	_, _, body, _ := post(t, url+"/v1/chat/completions", strings.Replace(ask, `"STREAM"`, "", 1))
	got := said{}
	got.openAI(t, []byte(body), "message")
	if len(got.calls) != 1 || got.calls[0].Args != `{"ref": ` || json.Valid([]byte(got.calls[0].Args)) {
		t.Errorf("got %+v", got)
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	_, url := start(t, "- fault: {hang: true}")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(strings.Replace(ask, `"STREAM"`, "", 1)))
	if _, err := http.DefaultClient.Do(req); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
