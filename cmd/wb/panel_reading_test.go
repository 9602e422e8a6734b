package main

import (
	"os"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// A question that was sent goes to the top and stays there while its answer grows below; only Follow, or going
// to the end, makes the view move by itself.
func TestPanelReadingFirst(t *testing.T) {
	p := newPanel(t, "--window-size=400,700")
	p.paired()
	p.load("shop")
	p.eval(`document.querySelector('.composer textarea').focus(), 0`, nil)
	p.typed("And a milk jug?")
	p.keys("Enter")
	const (
		lines = `Array.from({length: 80}, (_, n) => 'Line ' + n).join('\n\n')`
		box   = `document.querySelector('.conversation')`
		top   = `Math.abs(document.querySelector('.turn.last').getBoundingClientRect().top - ` + box + `.getBoundingClientRect().top) < 2`
		end   = box + `.scrollHeight - ` + box + `.scrollTop - ` + box + `.clientHeight < 30`
		names = `[...document.querySelectorAll('.moves button')].map((b) => b.innerText.trim()).join()`
	)
	p.until(`document.querySelector('.turn.last .question p').innerText === 'And a milk jug?' && ` + top)
	p.until(names + ` === ''`)
	p.eval(`await fake.stream(`+lines+`, 2000), 0`, nil)
	p.until(`document.querySelector('.turn.last').innerText.includes('Line 79') && ` + top + ` && ` + names + ` === 'Follow'`)

	press := func(name string) {
		t.Helper()
		p.eval(`[...document.querySelectorAll('.moves button')].find((b) => b.innerText.trim() === '`+name+`').focus(), 0`, nil)
		p.keys("Enter")
	}
	press("Follow")
	p.until(end + ` && ` + names + ` === 'Back to question'`)
	p.eval(`await fake.stream('\n\n' + `+lines+`, 2000), 0`, nil)
	p.until(`document.querySelector('.turn.last').innerText.match(/Line 79/g).length === 2 && ` + end)

	// The reader scrolls up: the view stays, whatever comes.
	p.wheel(-900)
	p.until(names + ` === 'Back to question,Follow'`)
	var before, after float64
	p.eval(box+`.scrollTop`, &before)
	p.eval(`await fake.stream('\n\n' + `+lines+`, 2000), 0`, nil)
	p.until(`document.querySelector('.turn.last').innerText.match(/Line 79/g).length === 3`)
	if p.eval(box+`.scrollTop`, &after); before != after {
		t.Errorf("the view moved from %v to %v under a reader's eyes", before, after)
	}
	// The reader goes to the end: from there on it is followed.
	p.eval(box+`.focus(), 0`, nil)
	p.keys("End")
	p.until(end)
	p.eval(`await fake.stream('\n\n' + `+lines+`, 2000), 0`, nil)
	p.until(`document.querySelector('.turn.last').innerText.match(/Line 79/g).length === 4 && ` + end)
	press("Back to question")
	p.until(top + ` && ` + names + ` === 'Follow'`)
	p.emit(`{kind: 'run_end', run: 'r1', text: '', data: {status: 'success'}}`)
	p.until(names + ` === 'Jump to latest' && ` + top)
	press("Jump to latest")
	p.until(end)
}

func (p *panelBench) wheel(dy float64) {
	p.Helper()
	if _, err := p.tab.Input(p.Context(), ports.Input{Kind: "wheel", X: 200, Y: 300, DY: dy}); err != nil {
		p.Fatal(err)
	}
}

// Two hundred deltas a second: the text is right, and the figures are printed. PANEL_FIGURES=1 holds them to what was
// promised, on a machine that does nothing else.
func TestPanelStream(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.emit(`{kind: 'user', text: 'Tell me a long story'}, {kind: 'run_start', run: 'r1'}`)
	p.eval(`(window.longest = 0, new PerformanceObserver((l) => l.getEntries().forEach((e) => { window.longest = Math.max(window.longest, e.duration); })).observe({entryTypes: ['longtask']}), 0)`, nil)
	p.eval(`(window.work = [], window.frame = window.requestAnimationFrame, window.requestAnimationFrame = (f) => frame((x) => { const began = performance.now(); f(x); queueMicrotask(() => queueMicrotask(() => { document.body.offsetHeight; work.push(performance.now() - began); })); }), 0)`, nil)
	var n int
	p.eval(`await fake.stream(Array.from({length: 60}, (_, n) => '## Part ' + n + '\n\nSome *words* and a [link](https://example.org/' + n + ').\n\n- one\n- two\n').join('\n'), 200, 6)`, &n)
	p.until(`document.querySelectorAll('.markdown h2').length === 60 && document.querySelectorAll('.markdown li').length === 120`)
	var longest float64
	p.eval(`window.longest`, &longest)
	var median float64
	p.eval(`work.sort((a, b) => a - b)[work.length >> 1]`, &median)
	t.Logf("%d deltas at 200/s: %.1f ms of work a frame (median), longest task %.0f ms (0: none over 50)", n, median, longest)
	if os.Getenv("PANEL_FIGURES") != "" && longest > 50 {
		t.Errorf("a task of %.0f ms while streaming; promised are 50", longest)
	}
}
