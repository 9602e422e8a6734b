package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type actIn struct {
	Goal     string `json:"goal" min:"4" max:"20000" doc:"what is to be true in the end, with all values that are to be entered"`
	StartURL string `json:"start_url,omitempty" doc:"opened first; default: the page that is open"`
	MaxTurns int    `json:"max_turns,omitempty" min:"1" max:"16" doc:"default 16"`
}

// maxTurns bounds a sub-run; more than that is another goal.
const maxTurns = 16

// pageTools are what the sub-run's model may use: this page, and no other tab.
var pageTools = []string{"get_accessibility_tree", "read_page", "find_text", "extract_data", "click_ax", "click", "set_field", "set_checked", "type_ax", "upload_file",
	"press_keys", "hover", "drag_drop", "scroll", "wait_for_element", "wait_for_stable", "verify_form", "navigate", "go_back", "handle_dialog"}

// outcome is what agent.run answers.
type outcome struct {
	Run      string         `json:"run"`
	Status   string         `json:"status"`
	Summary  string         `json:"summary"`
	Reason   string         `json:"reason"`
	URL      string         `json:"url"`
	Steps    int            `json:"steps"`
	Trail    []recorded     `json:"trail"`
	Evidence []sdk.Expected `json:"evidence"`
}

// recorded is one action of a careful run: a step that can be replayed.
type recorded struct {
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Target  *target         `json:"target,omitempty"`
	Verdict string          `json:"verdict,omitempty"`
	Effects []string        `json:"effects,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

// acted is page_act's structured result: a receipt of the whole, with its steps.
type acted struct {
	sdk.Receipt
	Run    string     `json:"run"`
	Answer string     `json:"answer"`
	Turns  int        `json:"turns"`
	Steps  []recorded `json:"steps"`
}

// pageAct runs the goal as a sub-run with a fresh context. What it answers is what the parent hears of it.
func pageAct(h *sdk.Host, in actIn) (sdk.Result, error) {
	task := map[string]any{"goal": in.Goal, "tools": pageTools, "careful": true, "max_turns": maxTurns}
	if in.MaxTurns > 0 {
		task["max_turns"] = min(in.MaxTurns, maxTurns)
	}
	if in.StartURL != "" {
		task["url"] = in.StartURL
	}
	if t := h.Tier(); t != "" {
		task["tier"] = t
	}
	res, err := h.CallResult("agent.run", task)
	if err != nil {
		return sdk.Result{}, err
	}
	var out outcome
	if err := res.Decode(&out); err != nil {
		return sdk.Result{}, err
	}
	a := acted{Run: out.Run, Answer: out.Summary, Turns: out.Steps, Steps: out.Trail}
	a.Receipt = sdk.Receipt{Action: "page_act", Verdict: verdict(out), URL: out.URL, Expected: out.Evidence}
	if a.Verdict != sdk.Done {
		a.Reason = strings.TrimSpace(out.Status + ": " + out.Reason)
	}
	for _, s := range out.Trail {
		a.Effects = append(a.Effects, s.Effects...)
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(a.text())}, Data: encoded(a), IsError: a.Verdict == sdk.NotDone}, nil
}

// verdict of a sub-run: done with evidence; not done if nothing can have happened; unknown otherwise.
func verdict(o outcome) string {
	if o.Status == "success" {
		return sdk.Done
	}
	for _, s := range o.Trail {
		if s.Verdict != sdk.NotDone {
			return sdk.Unknown
		}
	}
	if o.Status == "failed" || o.Status == "refused" {
		return sdk.NotDone
	}
	return sdk.Unknown
}

// text is the result as the parent's model reads it.
func (a acted) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: page_act, %d turns\n%s", a.Verdict, a.Turns, a.Answer)
	if a.Reason != "" {
		fmt.Fprintf(&b, "\nwhy: %s", a.Reason)
	}
	for _, e := range a.Expected {
		fmt.Fprintf(&b, "\nevidence %s: %s, actual %s", passed(e.Passed), e.Expected, e.Actual)
	}
	for i, s := range a.Steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, s.line())
	}
	if a.URL != "" {
		fmt.Fprintf(&b, "\nnow at %s", a.URL)
	}
	return b.String()
}

func (s recorded) line() string {
	line := s.Tool
	if s.Target != nil {
		line += " " + s.Target.String()
	}
	if s.Verdict != "" {
		line += ": " + s.Verdict
	}
	if len(s.Effects) > 0 {
		line += " (" + s.Effects[0] + ")"
	}
	return line
}

func passed(ok bool) string {
	if ok {
		return "passed"
	}
	return "failed"
}
