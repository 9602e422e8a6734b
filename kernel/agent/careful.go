package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Step is one action of a careful run, with enough of its target to find it again without a model.
type Step struct {
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Target  *ports.Target   `json:"target,omitempty"`
	Verdict ports.Verdict   `json:"verdict,omitempty"` // "" of an action that failed before it had a receipt
	Effects []string        `json:"effects,omitempty"`
	Reason  string          `json:"reason,omitempty"`
}

// conduct is what a careful run remembers of its own actions; it survives the process with the state.
type conduct struct {
	Trail   []Step `json:"trail,omitempty"`
	First   string `json:"first,omitempty"`   // the page before the first action
	Had     string `json:"had,omitempty"`     // the last action that had an effect
	Blocked bool   `json:"blocked,omitempty"` // its repetition was held back once already
}

// pageBudget is the tokens of the outline that a careful run sees each turn.
const pageBudget = 2000

// pageNow is the page as it is, read anew for each turn and never kept in the transcript.
func (s *session) pageNow(ctx context.Context) (ports.Message, error) {
	res, err := s.call(ctx, ports.FromKernel, "browser.read", ports.JSON(map[string]any{"op": "snapshot", "args": map[string]int{"budget": pageBudget}}))
	switch ports.CodeOf(err) {
	case ports.CodeBrowserGone, ports.CodeNoBrowser, ports.CodeStorage:
		return ports.Message{}, err
	}
	if err != nil {
		return userText("[wb] The page cannot be read now: " + s.shownError(err)), nil
	}
	text := res.Text()
	s.noteRefs(text)
	s.Unverified = "" // this is the look at what was done
	if len(s.Trail) == 0 {
		s.First = text
	}
	return userText("[wb] The page now:\n" + s.fence(text)), nil
}

// hold says why an action is not run yet, "" if it is: one a turn, expectations first, and no blind repetition.
func (s *session) hold(spec ports.Spec, args json.RawMessage) string {
	if !s.task.Careful || !spec.Mutates() || spec.Risk == ports.RiskControl {
		return ""
	}
	key := spec.Name + " " + string(withoutExpect(args))
	switch {
	case s.acted:
		return "not run: one action a turn; look at what the first one did, then go on"
	case lacksExpect(spec, args):
		return `not run: say first what must be true afterwards, in "expect": ` +
			`for example {"kind":"list_count_delta","ref":"e5","delta":1}, {"kind":"element_exists","role":"dialog","name":"Edit"} or {"kind":"url_matches","pattern":"/done"}`
	case key == s.Had && !s.Blocked:
		s.Blocked = true
		return "not run: the same action has just had its effect (" + strings.Join(s.Trail[len(s.Trail)-1].Effects, "; ") + "). Go on from there; repeat it only if the task wants it twice"
	}
	s.acted = true
	return ""
}

// learn keeps an action and what was observed of it, and returns what the model should make of that:
// an observation outweighs a prediction.
func (s *session) learn(spec ports.Spec, args json.RawMessage, r *ports.Receipt) string {
	if !s.task.Careful || !spec.Mutates() || spec.Risk == ports.RiskControl {
		return ""
	}
	step := Step{Tool: spec.Name, Args: withoutExpect(args)}
	if r == nil {
		s.Trail = append(s.Trail, step)
		return ""
	}
	step.Target, step.Verdict, step.Effects, step.Reason = r.Target, r.Verdict, r.Effects, r.Reason
	s.Trail = append(s.Trail, step)
	if r.Verdict == ports.VerdictNotDone || len(r.Effects) == 0 && r.URL == "" {
		return ""
	}
	s.Had, s.Blocked = spec.Name+" "+string(step.Args), false
	if r.Verdict == ports.VerdictUnknown && slices.ContainsFunc(r.Expected, func(e ports.Expected) bool { return !e.Passed }) {
		return "\n\n[wb] Something happened, though not what was expected. Believe what was seen, and do not do it again before the page shows that it is needed."
	}
	return ""
}

// prove checks the evidence for a success on the page as it is, and says what is wrong with it.
func (s *session) prove(ctx context.Context, evidence []json.RawMessage) (checked []ports.Expected, lacks []string) {
	if len(evidence) == 0 {
		return nil, []string{"success needs evidence: name in done what is to be seen on the page now"}
	}
	acted := slices.ContainsFunc(s.Trail, func(st Step) bool { return st.Verdict == ports.VerdictDone || st.Verdict == ports.VerdictUnknown })
	fresh := !acted
	for _, e := range evidence {
		c, err := s.check(ctx, e)
		if err != nil {
			lacks = append(lacks, "the evidence cannot be checked: "+err.Error()+fixIn(err))
			continue
		}
		checked = append(checked, c)
		if !c.Passed {
			lacks = append(lacks, fmt.Sprintf("evidence fails: expected %s, actual %s", oneLine(c.Expected, 200), oneLine(c.Actual, 200)))
		}
		fresh = fresh || !s.stood(e)
	}
	if len(lacks) == 0 && !fresh {
		lacks = append(lacks, "all of the evidence was on the page before the first action: name something that the task has changed")
	}
	return checked, lacks
}

// check looks at one condition in the frame that its ref belongs to.
func (s *session) check(ctx context.Context, condition json.RawMessage) (ports.Expected, error) {
	var c struct{ Kind, Ref string }
	if err := json.Unmarshal(condition, &c); err != nil {
		return ports.Expected{}, ports.NewError(ports.CodeInvalidArgs, "a condition is an object", `such as {"kind":"text_present","text":"Saved"}`)
	}
	if c.Kind == "list_count_delta" {
		return ports.Expected{}, ports.NewError(ports.CodeInvalidArgs, "list_count_delta belongs to the expect of an action", "as evidence name the new row")
	}
	res, err := s.call(ctx, ports.FromKernel, "browser.read", ports.JSON(map[string]any{"op": "check", "frame": ports.FrameOf(c.Ref),
		"args": map[string]any{"conditions": []json.RawMessage{condition}}}))
	if err != nil {
		return ports.Expected{}, err
	}
	var out struct{ Checked []ports.Expected }
	if err := json.Unmarshal(res.Data, &out); err != nil || len(out.Checked) != 1 {
		return ports.Expected{}, ports.NewError(ports.CodeFault, "the page script did not check the condition", "")
	}
	return out.Checked[0], nil
}

// stood reports whether a piece of evidence was true already when the run first looked, as far as the
// outline of then can tell.
func (s *session) stood(condition json.RawMessage) bool {
	var c struct{ Kind, Text, Role, Name string }
	if json.Unmarshal(condition, &c) != nil {
		return false
	}
	first := strings.ToLower(s.First)
	switch c.Kind {
	case "text_present":
		return strings.Contains(first, strings.ToLower(strings.TrimSpace(c.Text)))
	case "element_exists":
		return c.Name != "" && strings.Contains(first, strings.ToLower(fmt.Sprintf("%s %q", c.Role, c.Name)))
	}
	return false
}

// lacksExpect reports whether a tool takes expectations, got none, and does not read a value back by itself.
func lacksExpect(spec ports.Spec, args json.RawMessage) bool {
	var schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	var a struct{ Expect []json.RawMessage }
	if json.Unmarshal(spec.Input, &schema) != nil || json.Unmarshal(args, &a) != nil {
		return false // the kernel says what is wrong with them
	}
	_, takes := schema.Properties["expect"]
	reads := slices.Contains(schema.Required, "text") || slices.Contains(schema.Required, "checked")
	return takes && !reads && len(a.Expect) == 0
}

// withoutExpect is what an action does, without what is expected of it; keys in order.
func withoutExpect(args json.RawMessage) json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(args, &m) != nil {
		return args
	}
	delete(m, "expect")
	return ports.JSON(m)
}
