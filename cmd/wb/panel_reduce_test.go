package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write what the golden files of this package should hold")

// newReducer bundles reduce.ts alone and puts it into an empty page.
func newReducer(t *testing.T) *panelBench {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./extension/build", "extension/src/panel/reduce.ts")
	cmd.Dir = filepath.Join("..", "..")
	code, err := cmd.Output()
	if err != nil {
		t.Fatalf("bundle reduce.ts: %v", err)
	}
	p := newPanel(t)
	p.open("panel.html")
	p.eval(string(code)+"; globalThis.reducer = bundle; 0", nil)
	p.eval(`(globalThis.empty = {seq: 0, turns: [], queue: [], warnings: [], busy: false}, 0)`, nil)
	return p
}

// Events become the same picture in whatever pieces and however often they come. testdata/panel/reduce holds
// events, one a line, beside what is shown of them; -update writes the latter.
func TestPanelReduce(t *testing.T) {
	p := newReducer(t)
	files, err := filepath.Glob(filepath.Join(panelFake, "reduce", "*.events.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".events.jsonl")
		t.Run(filepath.Base(name), func(t *testing.T) {
			p := &panelBench{T: t, b: p.b, url: p.url, tab: p.tab}
			lines, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p.eval("(globalThis.events = ["+strings.Join(strings.Split(strings.TrimSpace(string(lines)), "\n"), ",")+"].map((e, n) => ({seq: n + 1, at: 1000 * (n + 1), ...e})), 0)", nil)
			var whole, single, twice string
			p.eval(`JSON.stringify(reducer.reduce(empty, events), null, 1)`, &whole)
			p.eval(`JSON.stringify(events.reduce((v, e) => reducer.reduce(v, [e]), empty), null, 1)`, &single)
			p.eval(`JSON.stringify(events.reduce((v, e, n) => reducer.reduce(v, events.slice(0, n + 1)), empty), null, 1)`, &twice)
			if diff := cmp.Diff(whole, single); diff != "" {
				t.Errorf("one by one (-at once +so):\n%s", diff)
			}
			if diff := cmp.Diff(whole, twice); diff != "" {
				t.Errorf("each one many times (-once +so):\n%s", diff)
			}
			golden(t, name+".view.json", whole+"\n")
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", filepath.Base(file), diff)
	}
}

// What did not change keeps its identity, and what was given is left as it was.
func TestPanelReduceIsPure(t *testing.T) {
	p := newReducer(t)
	var got map[string]bool
	p.eval(`(() => {
		const freeze = (o) => { Object.values(o).forEach((v) => v && typeof v === 'object' && freeze(v)); return Object.freeze(o); };
		const e = (seq, kind, rest) => ({seq, at: seq, kind, run: 'r1', ...rest});
		const a = freeze(reducer.reduce(empty, [e(1, 'user', {text: 'a'}), e(2, 'run_end', {data: {}}), e(3, 'user', {text: 'b'}), e(4, 'delta', {data: {text: 'x'}}), e(5, 'tool_start', {tool: 't'})]));
		const b = freeze(reducer.reduce(a, [e(6, 'tool_end', {tool: 't', text: 'r'}), e(7, 'delta', {data: {text: 'y'}})]));
		return {turn: a.turns[0] === b.turns[0], text: a.turns[1].items[0] === b.turns[1].items[0], changed: a.turns[1] !== b.turns[1], tool: a.turns[1].items[1] !== b.turns[1].items[1], before: a.turns[1].items[1].verdict === 'running', after: b.turns[1].items[1].verdict === 'ok'};
	})()`, &got)
	if diff := cmp.Diff(map[string]bool{"turn": true, "text": true, "changed": true, "tool": true, "before": true, "after": true}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whatever a daemon sends, a picture comes of it: every kind of event with every odd value in every place.
func TestPanelReduceAnything(t *testing.T) {
	p := newReducer(t)
	var n int
	p.eval(`(() => {
		const kinds = ['user', 'run_start', 'step', 'delta', 'tool_start', 'tool_end', 'note', 'progress', 'run_end', 'ask', 'answered', 'queued', 'unqueued', 'warning', 'log', '', 'constructor', '__proto__', null, 7, {}];
		const odd = [undefined, null, 0, -1, NaN, 1e999, '', 'text', true, [], [null], [[]], {}, {id: {}}, {text: 7, reasoning: []}, {receipt: 7}, {receipt: {verdict: 'done', trail: [null, {effects: 7}], expected: [7]}}, {usage: 'x', evidence: {}}, {options: 7, details: null, kind: {}}, {answer: []}, {answer: {choice: 7}}, {attachments: [null, 7, {name: []}]}, {__proto__: null, step: '1', of: {}}, {error: true, receipt: []}, {progress: 'x', total: 0}];
		let view = empty, seed = 1, seq = 0;
		const pick = (a) => a[(seed = seed * 48271 % 2147483647) % a.length];
		for (let n = 0; n < 20000; n++) {
			view = reducer.reduce(view, [{seq: ++seq, at: pick(odd), kind: pick(kinds), run: pick(['r1', 'r2', {}]), call: pick(odd), tool: pick(['a', 'b', []]), text: pick(['', 'words', 7]), data: pick(odd)}]);
			if (view.turns.length > 50) view = {...view, turns: view.turns.slice(40)};
		}
		return view.seq;
	})()`, &n)
	if n != 20000 {
		t.Errorf("the picture stands at event %d", n)
	}
}
