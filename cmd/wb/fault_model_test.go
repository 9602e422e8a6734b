//go:build linux

package main

import (
	"strings"
	"testing"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
)

const askPage = "What is on the page?"

// TestFaultModel: whatever a model's endpoint does, the run ends, says why, and does nothing twice.
func TestFaultModel(t *testing.T) {
	look := "\n- when: {turn: 1}\n  reply: {calls: [{tool: read_page}]}\n- reply: {text: a shop}\n"
	for name, c := range map[string]struct {
		book  string
		code  int
		words []string
	}{
		"garbage for ever":         {"- fault: {garbage: true}", exitFailed, []string{"mock", "why:"}},
		"arguments never JSON":     {"- reply: {calls: [{tool: click_ax, raw: '{\"ref_id\":'}]}", exitFailed, []string{"circles"}},
		"unknown tool for ever":    {"- reply: {calls: [{tool: fly, args: {}}]}", exitFailed, []string{"circles"}},
		"empty for ever":           {"- reply: {text: ''}", exitFailed, []string{"answered nothing", "another model"}},
		"429 once":                 {"- when: {times: 1}\n  fault: {status: 429, retry_after: 1}" + look, exitOK, []string{"a shop"}},
		"429 for ever":             {"- fault: {status: 429, retry_after: 0, message: slow down}", exitFailed, []string{"slow down"}},
		"500 for ever":             {"- fault: {status: 500, message: out of order}", exitFailed, []string{"out of order"}},
		"401":                      {"- fault: {status: 401, message: bad key}", exitFailed, []string{"bad key", "check the key"}},
		"404":                      {"- fault: {status: 404, message: no such model}", exitFailed, []string{"no such model"}},
		"error in stream":          {"- when: {times: 1}\n  fault: {in_stream_error: overloaded}\n  reply: {text: x}" + look, exitOK, []string{"a shop"}},
		"error in stream for ever": {"- fault: {in_stream_error: overloaded}\n  reply: {text: x}", exitFailed, []string{"overloaded"}},
		"hangs":                    {"- fault: {hang: true}", exitPartial, []string{"time"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.book)
			e := w.run("run", askPage, "--url", w.url, "--mode", "act", "--timeout", "30s")
			e.says(t, c.code, c.words...)
			if w.shop.Posts() != 0 {
				t.Errorf("something was sent")
			}
		})
	}
}

// TestFaultCutStream cuts the answer that holds the calls, once, in the middle of it: it is asked for again,
// and none of its calls runs by half or twice.
func TestFaultCutStream(t *testing.T) {
	rules := strings.SplitAfterN(resumeBook, "\n- ", 4) // the third one sends the order
	for _, cut := range []string{"10", "400", "900", "1500", "2000"} {
		once := strings.Replace(rules[2], "{", "{times: 1, ", 1)
		once = strings.Replace(once, "\n  reply:", "\n  fault: {cut_after: "+cut+"}\n  reply:", 1)
		w := newWorld(t, rules[0]+once+strings.Join(rules[1:], ""))
		e := w.run("run", "Order a red teapot for Ada", "--url", w.url, "--max-steps", "20")
		e.says(t, exitOK, "success")
		if w.shop.Posts() != 1 || len(w.shop.Orders()) != 2 {
			t.Errorf("cut after %s: %d posts, %+v", cut, w.shop.Posts(), w.shop.Orders())
		}
	}
}

// TestFaultUnreachable: nothing listens at the model's address, or its name does not resolve.
func TestFaultUnreachable(t *testing.T) {
	w := newWorld(t, resumeBook)
	for _, base := range []string{closedPort(t) + "/v1", "http://nosuchhost.invalid/v1"} {
		w.provider(base, "")
		e := w.run("run", askPage, "--url", w.url)
		e.says(t, exitFailed, strings.TrimSuffix(base, "/v1"), "why:")
	}
}

// TestFaultNoKey: a key that nobody stored is missed before anything is started.
func TestFaultNoKey(t *testing.T) {
	w := newWorld(t, resumeBook)
	w.provider("https://api.example.test/v1", ", secret: nosuchkey")
	e := w.run("run", askPage, "--url", w.url)
	e.says(t, exitUsage, "NOSUCHKEY", "wb secret set")
	if strings.Contains(e.out, "run ") {
		t.Errorf("the run was started: %s", e.out)
	}
}

// TestFaultClarify: a question with nobody there ends with code 4, and what was asked.
func TestFaultClarify(t *testing.T) {
	w := newWorld(t, "- reply: {calls: [{tool: clarify, args: {question: 'Which teapot?'}}]}")
	e := w.run("run", "Order a teapot", "--url", w.url)
	e.says(t, exitRefused, "Which teapot?", "needs")
	p := w.start("run", "Order a teapot", "--url", w.url, "--json")
	if out, code := p.end(); code != exitRefused || out.Status != agent.StatusNeedsUser || out.Code != ports.CodeNeedsUser {
		t.Errorf("exit %d, %+v", code, out)
	}
}
