package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// carefulKernel has a page with a list that grows with every press.
func carefulKernel(t *testing.T, rows *int, turns ...[]string) (*scriptedKernel, *[]ports.ChatRequest) {
	var seen []ports.ChatRequest
	k := newKernel(t, func(n int, req ports.ChatRequest) (ports.ChatReply, error) {
		seen = append(seen, req)
		if n >= len(turns) {
			return calls(`done {"summary":"gave up","outcome":"failed"}`)
		}
		return calls(turns[n]...)
	})
	k.tools["press"] = func(context.Context, ports.Call) (ports.Result, error) {
		*rows++
		return ports.DataResult(ports.Receipt{Verdict: ports.VerdictDone, Action: "press", Target: &ports.Target{Ref: "e1", Role: "button", Name: "Add", Fingerprint: "f00d"},
			Effects: []string{"list: one more"}}), nil
	}
	k.tools["browser.read"] = func(_ context.Context, c ports.Call) (ports.Result, error) {
		var a struct {
			Op   string
			Args struct {
				Conditions []struct{ Kind, Text string }
			}
		}
		if err := json.Unmarshal(c.Args, &a); err != nil {
			return ports.Result{}, err
		}
		page := "button \"Add\" [e1]\nlistitem: old row" + strings.Repeat("\nlistitem: new row", *rows)
		switch a.Op {
		case "snapshot":
			return ports.TextResult(page), nil
		case "check":
			var out []ports.Expected
			for _, c := range a.Args.Conditions {
				out = append(out, ports.Expected{Expected: c.Text, Actual: "page", Passed: strings.Contains(page, c.Text)})
			}
			return ports.Result{Data: ports.JSON(map[string]any{"checked": out})}, nil
		}
		return ports.Result{Data: json.RawMessage(`{"url":"http://shop.test/"}`)}, nil
	}
	return k, &seen
}

const (
	add     = `press {"ref_id":"e1","text":"x","expect":[{"kind":"text_present","text":"new row"}]}`
	proven  = `done {"summary":"added","evidence":[{"kind":"text_present","text":"new row"}]}`
	waiting = `look`
)

func TestCarefulRun(t *testing.T) {
	tests := map[string]struct {
		why    string
		turns  [][]string
		status string
		rows   int
		said   string // in a later request
	}{
		"proven":          {"evidence that holds ends the run", [][]string{{add}, {proven}}, StatusSuccess, 1, "listitem: new row"},
		"no evidence":     {"a claim alone never is success", [][]string{{add}, {`done {"summary":"added"}`}}, StatusFailed, 1, "success needs evidence"},
		"false evidence":  {"what is not on the page proves nothing", [][]string{{add}, {`done {"summary":"x","evidence":[{"kind":"text_present","text":"Saved"}]}`}}, StatusFailed, 1, "evidence fails"},
		"stale evidence":  {"what was there before proves nothing", [][]string{{add}, {`done {"summary":"x","evidence":[{"kind":"text_present","text":"old row"}]}`}}, StatusFailed, 1, "before the first action"},
		"reading":         {"a run that only looked may name what was there", [][]string{{waiting}, {`done {"summary":"x","evidence":[{"kind":"text_present","text":"old row"}]}`}}, StatusSuccess, 0, "a page"},
		"two at once":     {"the second action of a turn waits for a look at the first", [][]string{{add, `press {"ref_id":"e2","text":"y"}`}, {proven}}, StatusSuccess, 1, "one action a turn"},
		"held back":       {"an action that had its effect is not repeated by habit", [][]string{{add}, {add}, {proven}}, StatusSuccess, 1, "has just had its effect"},
		"meant twice":     {"asked for once more, it is", [][]string{{add}, {add}, {add}, {proven}}, StatusSuccess, 2, "has just had its effect"},
		"delta at an end": {"a difference needs a before", [][]string{{add}, {`done {"summary":"x","evidence":[{"kind":"list_count_delta","delta":1}]}`}}, StatusFailed, 1, "belongs to the expect"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rows := 0
			k, seen := carefulKernel(t, &rows, tt.turns...)
			out, err := k.run(t.Context(), Task{Goal: "add a row", Careful: true})
			if err != nil {
				t.Fatal(err)
			}
			if out.Status != tt.status || rows != tt.rows {
				t.Errorf("%s: %s, %d rows (%s); want %s, %d", tt.why, out.Status, rows, out.Reason, tt.status, tt.rows)
			}
			if !strings.Contains(string(ports.JSON(*seen)), tt.said) {
				t.Errorf("%s: nothing said %q", tt.why, tt.said)
			}
		})
	}
}

func TestCarefulRunExpects(t *testing.T) {
	rows := 0
	k, seen := carefulKernel(t, &rows, []string{`press {"ref_id":"e1"}`}, []string{add}, []string{proven})
	specs := k.specs
	k.agent.o.Specs = func() []ports.Spec {
		out := specs()
		out[1].Input = json.RawMessage(`{"type":"object","properties":{"ref_id":{},"expect":{}},"required":["ref_id"]}`)
		return out
	}
	out, err := k.run(t.Context(), Task{Goal: "add a row", Careful: true})
	if err != nil {
		t.Fatal(err)
	}
	if rows != 1 || !strings.Contains(string(ports.JSON(*seen)), "say first what must be true") {
		t.Errorf("%d rows, want 1, and the action without an expectation held back", rows)
	}
	want := []Step{{Tool: "press", Args: json.RawMessage(`{"ref_id":"e1","text":"x"}`), Verdict: ports.VerdictDone,
		Target: &ports.Target{Ref: "e1", Role: "button", Name: "Add", Fingerprint: "f00d"}, Effects: []string{"list: one more"}}}
	if diff := cmp.Diff(want, out.Trail); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
	last := (*seen)[len(*seen)-1]
	if n := strings.Count(string(ports.JSON(last.Messages)), "The page now"); n != 1 {
		t.Errorf("%d outlines in the last request, want the newest alone", n)
	}
}
