package main

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// last is what the panel asked of the daemon last by that method.
func (p *panelBench) last(method string) (m map[string]any) {
	p.Helper()
	p.until("fake.said('" + method + "').length > 0")
	p.eval("fake.said('"+method+"').at(-1)", &m)
	return m
}

// A person types, sends, watches, queues a second message, takes it back and stops: all by keyboard.
func TestPanelComposer(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`document.querySelector('.composer textarea').focus(), 0`, nil)
	p.typed("Two lines")
	p.keys("Shift+Enter")
	p.typed("of a question")
	p.keys("Enter")
	p.until(`document.querySelector('.question p').innerText === 'Two lines\nof a question'`)
	got := p.last("run.start")
	if diff := cmp.Diff(map[string]any{"session": "s1", "text": "Two lines\nof a question", "mode": "act", "provider": "local"}, got); diff != "" {
		t.Errorf("run.start (-want +got):\n%s", diff)
	}
	p.typed("Later")
	p.keys("Enter")
	p.until(`document.querySelector('.queue li span').innerText === 'Later'`)
	p.eval(`document.querySelector('.queue button').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`!document.querySelector('.queue')`)
	p.eval(`document.querySelector('.stop').focus(), 0`, nil)
	p.keys("Space")
	p.until(`document.querySelector('.end.stopped') && !document.querySelector('.stop')`)
}

// What the daemon refuses stays in the box, and why is said.
func TestPanelRefusal(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`(fake.fail['run.start'] = {message: 'no model is ready', data: {code: 'usage', fix: 'add a provider'}}, document.querySelector('.composer textarea').focus(), 0)`, nil)
	p.typed("Hello")
	p.keys("Enter")
	p.until(`document.querySelector('.complaint')?.innerText === 'no model is ready — add a provider'`)
	p.until(`document.querySelector('.composer textarea').value === 'Hello'`)
}

// Each kind of question is answered by keyboard alone, and its answer is what the daemon expects.
func TestPanelCards(t *testing.T) {
	cases := map[string]struct {
		ask  string // Question
		keys []string
		say  string
		then []string
		want map[string]any
	}{
		"clarify, an option":  {`{kind: 'clarify', text: 'Which?', options: ['One', 'Two']}`, []string{"Tab", "Tab"}, "", []string{"Enter"}, map[string]any{"choice": "Two"}},
		"clarify, own words":  {`{kind: 'clarify', text: 'Which?', options: ['One', 'Two']}`, []string{"Tab", "Tab", "Tab"}, "three", []string{"Enter"}, map[string]any{"choice": "", "text": "three"}},
		"permission, once":    {`{kind: 'permission', text: 'May I?', details: {capability: 'submit', origin: 'https://a.example'}}`, []string{"Tab"}, "", []string{"Enter"}, map[string]any{"choice": "allow", "scope": "once"}},
		"permission, session": {`{kind: 'permission', text: 'May I?'}`, []string{"Tab", "Tab"}, "", []string{"Enter"}, map[string]any{"choice": "allow", "scope": "session"}},
		"permission, always":  {`{kind: 'permission', text: 'May I?'}`, []string{"Tab", "Tab", "Tab"}, "", []string{"Space"}, map[string]any{"choice": "allow", "scope": "always"}},
		"permission, never":   {`{kind: 'permission', text: 'May I?'}`, []string{"Tab", "Tab", "Tab", "Tab", "Tab"}, "", []string{"Enter"}, map[string]any{"choice": "deny", "scope": "never"}},
		"confirm, no":         {`{kind: 'confirm', text: 'Send?', details: {fields: {Name: 'Ada'}}}`, []string{"Tab"}, "", []string{"Enter"}, map[string]any{"choice": "deny"}},
		"confirm, yes":        {`{kind: 'confirm', text: 'Send?', details: {fields: {Name: 'Ada'}}}`, []string{"Tab", "Tab"}, "", []string{"Enter"}, map[string]any{"choice": "allow"}},
		"plan, edited":        {`{kind: 'plan', text: 'So?', details: {steps: ['Open', 'Send']}}`, []string{"Tab", "End"}, " it", []string{"Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Tab", "Enter"}, map[string]any{"choice": "allow", "data": map[string]any{"steps": []any{"Open it", "Send"}}}},
		"continue":            {`{kind: 'continue', text: 'Go on?'}`, []string{"Tab", "Tab"}, "", []string{"Enter"}, map[string]any{"choice": "allow"}},
	}
	p := newPanel(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := &panelBench{T: t, b: p.b, url: p.url}
			p.paired()
			p.emit(`{kind: 'user', text: 'Go'}, {kind: 'run_start', run: 'r1'}, {kind: 'ask', run: 'r1', data: Object.assign({id: 'a1'}, ` + c.ask + `)}`)
			p.until(`document.querySelector('.card')`)
			p.eval(`document.querySelector('.conversation').focus(), 0`, nil)
			p.keys(c.keys...)
			if c.say != "" {
				p.typed(c.say)
			}
			p.keys(c.then...)
			if diff := cmp.Diff(map[string]any{"id": "a1", "answer": c.want}, p.last("ask.answer")); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			p.until(`document.querySelector('.card.closed .answered') && !document.querySelector('.card button')`)
			if err := p.tab.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A panel that is reloaded while an answer streams, and one whose line breaks, show the same text once.
func TestPanelResumes(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.emit(`{kind: 'user', text: 'Count'}, {kind: 'run_start', run: 'r1'}`)
	p.eval(`await fake.stream('one two three ', 500), 0`, nil)
	if _, err := p.tab.Nav(t.Context(), ports.Nav{Reload: true}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('.markdown').innerText.trim() === 'one two three'`)
	p.eval(`await fake.stream('four five ', 500), 0`, nil)
	p.until(`document.querySelector('.markdown').innerText.trim() === 'one two three four five'`)
	p.eval(`(fake.drop(), fake.emit({kind: 'delta', run: 'r1', data: {text: 'six '}}), 0)`, nil)
	p.until(`fake.sockets.some((s) => s.watching) && document.querySelector('.markdown').innerText.trim() === 'one two three four five six'`)
	p.eval(`await fake.stream('seven', 500), 0`, nil)
	p.emit(`{kind: 'run_end', run: 'r1', text: '', data: {status: 'success'}}`)
	p.until(`document.querySelector('.end.success') && document.querySelector('.markdown').innerText.trim() === 'one two three four five six seven'`)
	var watched []map[string]any
	p.eval(`fake.said('session.watch')`, &watched)
	if n := len(watched); n != 2 || watched[1]["since"].(float64) < 4 {
		t.Errorf("after the line broke the panel asked for everything again: %v", watched)
	}
}

// A daemon that was started anew numbers its events in its own way: the panel asks for all of them again.
func TestPanelOutlivesTheDaemon(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.emit(`{kind: 'user', text: 'Count'}, {kind: 'run_start', run: 'r1'}, {kind: 'delta', run: 'r1', data: {text: 'one '}}, {kind: 'delta', run: 'r1', data: {text: 'two'}}`)
	p.until(`document.querySelector('.markdown').innerText.trim() === 'one two'`)
	p.eval(`(fake.epoch = 'e2', fake.events = [], fake.emit({kind: 'user', text: 'Count'}, {kind: 'run_start', run: 'r1'}, {kind: 'delta', run: 'r1', data: {text: 'one two three'}}), fake.drop(), 0)`, nil)
	p.until(`document.querySelector('.markdown').innerText.trim() === 'one two three' && document.querySelectorAll('.turn').length === 1`)
}

// The panel's bundle stays small: what a person waits for when it opens.
func TestPanelSize(t *testing.T) {
	const limit = 150 << 10
	raw, err := os.ReadFile(filepath.Join(panelDist, "panel.js"))
	if err != nil {
		t.Fatalf("%v: run make panel first", err)
	}
	var n counter
	z, _ := gzip.NewWriterLevel(&n, 9)
	_, _ = z.Write(raw)
	_ = z.Close()
	t.Logf("panel.js: %d bytes, %d gzipped", len(raw), n)
	if int(n) > limit {
		t.Errorf("panel.js is %d bytes gzipped, more than %d", n, limit)
	}
	if strings.Contains(string(raw), "katex") && len(raw) > 400<<10 {
		t.Error("KaTeX is in the panel's own bundle")
	}
}

type counter int

func (c *counter) Write(b []byte) (int, error) { *c += counter(len(b)); return len(b), nil }
