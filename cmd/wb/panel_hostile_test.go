package main

import (
	"fmt"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// What a model says may come from a page: nothing in it runs, loads, or leads elsewhere than it says.
func TestPanelHostileMarkdown(t *testing.T) {
	cases := map[string]struct {
		text string
		want string // JavaScript over m, the message's Markdown element
	}{
		"script":             {`<script>hacked()</script>`, `m.innerText.trim() === '<script>hacked()</script>'`},
		"img onerror":        {`<img src=x onerror=hacked()>`, `!m.querySelector('img') && m.innerText.includes('<img')`},
		"markdown picture":   {`![tracker](https://evil.example/p.gif)`, `!m.querySelector('img') && m.innerText.includes('tracker')`},
		"picture with quote": {`![a" onerror="hacked()](x)`, `!m.querySelector('[onerror]')`},
		"javascript link":    {`[press me](javascript:hacked())`, `!m.querySelector('a') && m.innerText.trim() === 'press me'`},
		"javascript in caps": {`[press me](JaVaScRiPt:hacked())`, `!m.querySelector('a')`},
		"javascript split":   {"[press me](java\tscript:hacked())", `!m.querySelector('a')`},
		"javascript entity":  {`[press me](&#106;avascript:hacked())`, `!m.querySelector('a')`},
		"data link":          {`[press me](data:text/html,<script>hacked()</script>)`, `!m.querySelector('a')`},
		"blob, file, chrome": {`[a](blob:x) [b](file:///etc/passwd) [c](chrome://settings) [d](chrome-extension://x/panel.html) [e](panel.html)`, `!m.querySelector('a')`},
		"html link":          {`<a href="https://evil.example" onclick="hacked()">bank</a>`, `!m.querySelector('a, [onclick]')`},
		"lying link":         {`[https://bank.example](https://evil.example/x)`, `m.querySelector('a').rel.includes('noreferrer') && m.querySelector('a').target === '_blank' && m.querySelector('.host').innerText === 'evil.example'`},
		"name and password":  {`[go](https://bank.example@evil.example/)`, `m.querySelector('.host').innerText === 'evil.example'`},
		"look-alike letters": {`[go](https://b` + "\u0430" + `nk.example/)`, `m.querySelector('.host').innerText.startsWith('xn--')`},
		"turned direction":   {"[go](https://evil.example) \u202egro.knab", `m.querySelector('.host').innerText === 'evil.example'`},
		"svg and math":       {`<svg onload=hacked()><math><mtext><img src=x onerror=hacked()>`, `!m.querySelector('svg, math, img')`},
		"style and class":    {`<style>*{display:none}</style><p class="card" style="position:fixed">x</p>`, `!m.querySelector('style, [style], .card')`},
		"form":               {`<form action=https://evil.example><input name=password></form>`, `!m.querySelector('form, input')`},
		"iframe":             {`<iframe src=javascript:hacked()></iframe><object data=x></object><base href=//evil.example>`, `!m.querySelector('iframe, object, base')`},
		"formula command":    {`$\href{javascript:hacked()}{x}$ $\htmlData{a=b}{y}$`, `!m.querySelector('a[href^="javascript"], [data-a]')`},
		"endless formula":    {`$\def\a{\a\a}\a$ and after`, `m.innerText.includes('and after')`},
		"fence language":     {"```\"onclick=hacked()\nx\n```", `!m.querySelector('[onclick]')`},
		"deep lists":         {"$DEEP", `m.innerText.length > 100`},
		"one huge word":      {"$HUGE", `m.innerText.length >= 200000`},
		"zeroes":             {"a\x00b", `m.innerText.trim().length >= 2`},
	}
	p := newPanel(t)
	p.paired()
	p.eval(`(window.hacked = () => { window.wasHacked = true; }, 0)`, nil)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := &panelBench{T: t, b: p.b, url: p.url, tab: p.tab}
			text := string(ports.JSON(c.text))
			switch c.text {
			case "$DEEP":
				text = `Array.from({length: 400}, (_, n) => '  '.repeat(n) + '> - deep').join('\n')`
			case "$HUGE":
				text = `'x'.repeat(200000)`
			}
			id := fmt.Sprintf("%q", "END "+name)
			p.emit(`{kind: 'user', text: 'Go'}, {kind: 'run_start', run: 'r1'}, {kind: 'delta', run: 'r1', data: {text: ` + text + `}}, {kind: 'run_end', run: 'r1', text: ` + id + `, data: {status: 'success'}}`)
			p.until(`document.querySelector('.turn.last .end')?.innerText.includes(` + id + `)`)
			p.until(`((m) => ` + c.want + `)(document.querySelector('.turn.last .message .markdown'))`)
			var bad bool
			p.eval(`Boolean(window.wasHacked) || document.querySelectorAll('#app script, #app img, #app iframe').length > 0`, &bad)
			if bad {
				t.Error("something ran or would load")
			}
		})
	}
}

// Words of tools, questions and titles are never markup.
func TestPanelHostileEvents(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.emit(`{kind: 'user', text: '<img src=x onerror=hacked()>'}, {kind: 'run_start', run: 'r1', data: 7},
		{kind: 'tool_start', run: 'r1', tool: '<b>t</b>', data: {goal: '<i>goal</i>'}}, {kind: 'tool_end', run: 'r1', tool: '<b>t</b>', text: '<script>1</script>', data: {verdict: 'done', trail: [null, 7, {tool: {}, verdict: 'brilliant', target: 'x', effects: 'no list'}], expected: {no: 'list'}}},
		{kind: 'ask', run: 'r1', data: {id: 'a1', kind: 'no such', text: '<b>?</b>', options: [1, null, '<u>o</u>'], details: 'x'}}, {kind: 'ask', run: 'r1', data: {id: 'a2', kind: 'plan', details: {steps: [7, {}, '<b>s</b>']}}}, {kind: 'ask', run: 'r1', data: {id: 'a3', kind: 'confirm', details: {fields: [null, {name: {}, value: {a: 1}}]}}},
		{kind: 'no such kind', data: []}, {kind: 'delta', run: 'r1', data: 'text'}, {kind: 'answered', data: {id: 'none'}}, {kind: 'note', run: 'r1'}, {kind: 'warning'}, {kind: 'unqueued'}, {kind: 'progress', run: 'r1', data: {total: -1}}`)
	p.until(`document.querySelectorAll('.card').length === 3`)
	p.eval(`document.querySelectorAll('details').forEach((d) => { d.open = true; }), 0`, nil)
	p.emit(`{kind: 'delta', run: 'r1', data: {text: 'still here'}}`)
	p.until(`document.querySelector('.turn').innerText.includes('still here')`)
	p.until(`document.querySelector('.inside')?.innerText.includes('<script>1</script>')`)
	var n int
	p.eval(`document.querySelectorAll('#app b, #app i, #app u, #app img, #app script').length`, &n)
	if n != 0 {
		t.Errorf("%d elements came out of plain text", n)
	}
}

// A session of ten thousand events opens and is worked with: old turns and steps are folded away.
func TestPanelManyEvents(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`(fake.emit(...Array.from({length: 10000}, (_, n) => {
		const turn = Math.floor(n / 200), k = n % 200, run = 'r' + turn;
		if (k === 0) return {kind: 'user', text: 'Question ' + turn};
		if (k === 1) return {kind: 'run_start', run};
		if (k === 199) return {kind: 'run_end', run, text: 'Answer ' + turn, data: {status: 'success'}};
		if (k % 4 === 2) return {kind: 'tool_start', run, tool: 'read_page', data: {query: 'q' + k}};
		if (k % 4 === 3) return {kind: 'tool_end', run, tool: 'read_page', text: 'r' + k};
		return {kind: 'delta', run, data: {text: 'word ' + k + ' '}};
	})), 0)`, nil)
	p.until(`document.querySelector('.turn.last .question p').innerText === 'Question 49' && document.querySelector('.turn.last .end')`)
	p.until(`document.querySelectorAll('.turn').length === 30 && document.querySelectorAll('.turn.last .tool').length < 90`)
	p.eval(`document.querySelector('.turn.last .fold').click(), document.querySelector('.content > .fold').click(), 0`, nil)
	p.until(`document.querySelectorAll('.turn').length === 50 && document.querySelector('.turn .question p').textContent === 'Question 0'`)
	p.emit(`{kind: 'user', text: 'And now?'}`)
	p.until(`document.querySelector('.turn.last .question p').innerText === 'And now?'`)
}
