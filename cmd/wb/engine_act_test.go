package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// turn is one rule of a playbook: what the model answers at its n-th turn.
func turn(n int, calls ...string) string {
	return fmt.Sprintf("  - when: {turn: %d}\n    reply: {calls: [%s]}\n", n, strings.Join(calls, ", "))
}

func book(turns ...[]string) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i, t := range turns {
		b.WriteString(turn(i+1, t...))
	}
	b.WriteString("  - reply: {calls: [{tool: done, args: {summary: I give up, outcome: failed}}]}\n")
	return b.String()
}

func ask(calls ...string) []string { return calls }

const (
	fillName   = `{tool: set_field, args: {ref_id: '{{ref role="textbox" name="Name"}}', text: Ada}}`
	fillPhone  = `{tool: set_field, args: {ref_id: '{{ref role="textbox" name="Phone"}}', text: '555-7'}}`
	openRegion = `{tool: click_ax, args: {ref_id: '{{ref role="combobox" name="Region"}}', expect: [{kind: element_exists, role: listbox, name: Region}]}}`
	pickSouth  = `{tool: click_ax, args: {ref_id: '{{ref role="option" name="South"}}', expect: [{kind: element_gone, role: listbox, name: Region}]}}`
	saveIt     = `{tool: click_ax, args: {ref_id: '{{ref role="button" name="Save customer"}}', expect: [{kind: list_count_delta, role: list, name: All customers, delta: 1}]}}`
	saveBlind  = `{tool: click_ax, args: {ref_id: '{{ref role="button" name="Save customer"}}'}}`
	saveWrong  = `{tool: click_ax, args: {ref_id: '{{ref role="button" name="Save customer"}}', expect: [{kind: text_present, text: Thank you}]}}`
	proof      = `{tool: done, args: {summary: Ada is saved, evidence: [{kind: text_present, text: 'Ada (555-7), South'}]}}`
	boast      = `{tool: done, args: {summary: Ada is saved}}`
	oldProof   = `{tool: done, args: {summary: Ada is saved, evidence: [{kind: text_present, text: Grace Hopper}]}}`
)

// A sub-run is a closed loop: the page is seen anew each turn, one action is done, and success is what the
// page shows. The model is a playbook at the wire; the server says what was saved.
func TestPageAct(t *testing.T) {
	tests := map[string]struct {
		why      string
		inject   string
		turns    [][]string
		verdict  ports.Verdict
		says     string // in the reason, the answer or the steps
		saved    int
		requests int
		steps    int // actions done
	}{
		"plain":        {"six actions and the proof", "", [][]string{ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveIt), ask(proof)}, ports.VerdictDone, "Ada is saved", 3, 1, 5},
		"slow":         {"the receipt waits for the request", "slow", [][]string{ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveIt), ask(proof)}, ports.VerdictDone, "", 3, 1, 5},
		"fake":         {"a message with nothing behind it", "fake", [][]string{ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveIt), ask(proof), ask(proof), ask(proof)}, ports.VerdictUnknown, "evidence fails", 2, 0, 5},
		"boast":        {"a claim is no evidence", "", [][]string{ask(fillName), ask(boast), ask(boast), ask(boast)}, ports.VerdictUnknown, "success needs evidence", 2, 0, 1},
		"old evidence": {"what was there before proves nothing", "", [][]string{ask(fillName), ask(oldProof), ask(oldProof), ask(oldProof)}, ports.VerdictUnknown, "before the first action", 2, 0, 1},
		"two at once":  {"the second action waits for a look", "", [][]string{ask(fillName, fillPhone), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveIt), ask(proof)}, ports.VerdictDone, "", 3, 1, 5},
		"blind click":  {"no expectation, no action", "", [][]string{ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveBlind), ask(saveIt), ask(proof)}, ports.VerdictDone, "", 3, 1, 5},
		"misjudged": {"what was seen outweighs what was expected", "", [][]string{ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveWrong), ask(saveWrong), ask(proof)},
			ports.VerdictDone, "", 3, 1, 5},
		"gives up at once": {"nothing done is not done", "", [][]string{}, ports.VerdictNotDone, "failed", 2, 0, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newEngine(t, "/customer.html?inject="+tt.inject, book(tt.turns...))
			d := b.do("page_act", obj{"goal": "Add the customer Ada with phone 555-7 in the region South"})
			if d.Verdict != tt.verdict {
				t.Errorf("%s: %s (%s), want %s", tt.why, d.Verdict, d.Reason, tt.verdict)
			}
			if all := d.Reason + d.Answer; !strings.Contains(all, tt.says) {
				t.Errorf("%s: said %q, want %q", tt.why, all, tt.says)
			}
			if n, r := len(b.site.Saved("customer")), b.site.Requests("customer"); n != tt.saved || r != tt.requests {
				t.Errorf("%s: %d saved with %d requests, want %d with %d", tt.why, n, r, tt.saved, tt.requests)
			}
			if len(d.Steps) != tt.steps {
				t.Errorf("%s: %d actions, want %d: %+v", tt.why, len(d.Steps), tt.steps, d.Steps)
			}
		})
	}
}

// What a sub-run did can be replayed without a model, on a page loaded anew.
func TestPageActIsReplayed(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/customer.html", book(ask(fillName), ask(fillPhone), ask(openRegion), ask(pickSouth), ask(saveIt), ask(proof)))
	d := b.do("page_act", obj{"goal": "Add the customer Ada with phone 555-7 in the region South"})
	var steps []obj
	for _, s := range d.Steps {
		var args map[string]any
		if err := json.Unmarshal(s.Args, &args); err != nil {
			t.Fatal(err)
		}
		if _, ok := args["text"]; ok && string(s.Target) == "" {
			t.Errorf("the step %s %s has no target", s.Tool, s.Args)
		}
		steps = append(steps, obj{"tool": s.Tool, "target": s.Target, "args": args})
	}
	again := b.do("page_replay", obj{"start_url": b.url, "steps": steps, "expect": []obj{oneMore}})
	if again.Verdict != ports.VerdictDone {
		t.Errorf("%s: %s", again.Verdict, again.Reason)
	}
	if n := len(b.site.Saved("customer")); n != 4 {
		t.Errorf("%d customers, want 4", n)
	}
}

// The journal holds the sub-run below the call that started it: what was asked, done and checked.
func TestPageActJournal(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/customer.html", book(ask(openRegion), ask(strings.Replace(pickSouth, "South", "East", 1)),
		ask(`{tool: done, args: {summary: ok, evidence: [{kind: text_present, text: East, within: '#region'}]}}`)))
	b.do("page_act", obj{"goal": "Choose the region East"})
	records, err := b.store.Since(t.Context(), "", 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	tool, parent := map[string]string{}, map[string]string{}
	for _, r := range records {
		tool[r.ID], parent[r.ID] = r.Tool, r.Parent
	}
	seen := map[string]bool{}
	for id := range tool {
		path := ""
		for at := id; at != ""; at = parent[at] {
			path = tool[at] + "/" + path
		}
		seen[path] = true
	}
	for _, want := range []string{"page_act/agent.run/model.chat/", "page_act/agent.run/click_ax/browser.input/", "page_act/agent.run/done/", "page_act/agent.run/browser.read/"} {
		if !seen[want] {
			t.Errorf("no record of %s in %v", want, seen)
		}
	}
}

// A sub-run ends after its turns, and says what is missing.
func TestPageActTurns(t *testing.T) {
	t.Parallel()
	rules := "rules:\n  - reply: {calls: [{tool: get_accessibility_tree, args: {page: 1}}, {tool: read_page}]}\n"
	b := newEngine(t, "/customer.html", rules)
	d := b.do("page_act", obj{"goal": "Look around for ever", "max_turns": 3})
	if d.Verdict == ports.VerdictDone || !strings.Contains(d.Reason, "3 turns are used up") {
		t.Errorf("%s: %s", d.Verdict, d.Reason)
	}
}

// Ten sub-runs at once neither wait for each other's instances nor mix their pages up.
func TestPageActTenAtOnce(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/customer.html", book(ask(openRegion), ask(strings.Replace(pickSouth, "South", "East", 1)),
		ask(`{tool: done, args: {summary: ok, evidence: [{kind: text_present, text: East, within: '#region'}]}}`)))
	verdicts := make(chan string, 10)
	for range 10 {
		go func() {
			args := ports.JSON(obj{"goal": "Choose the region East", "start_url": b.url})
			run := newID()
			b.guard.Begin(run, b.guard.Policy(b.run))
			res, err := b.kernel.Call(t.Context(), ports.Call{Run: run, From: ports.FromUser, Mode: ports.ModeAct, Tool: "page_act", Args: args})
			r, _ := ports.ReceiptOf(res)
			verdicts <- fmt.Sprint(r.Verdict, r.Reason, err)
		}()
	}
	for range 10 {
		if v := <-verdicts; v != "done<nil>" {
			t.Error(v)
		}
	}
}
