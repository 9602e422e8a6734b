package engine

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type replayIn struct {
	StartURL string            `json:"start_url,omitempty" doc:"opened first; default: the page that is open"`
	Steps    []step            `json:"steps" doc:"actions, as page_act returns them"`
	Expect   []json.RawMessage `json:"expect,omitempty" doc:"what must be true in the end, compared with the page before the first step"`
}

// step is one action to repeat.
type step struct {
	Tool   string            `json:"tool" enum:"click_ax,set_field,set_checked,type_ax,upload_file,press_keys,hover,navigate,scroll,wait_for_element,handle_dialog"`
	Args   map[string]any    `json:"args,omitempty" doc:"of the tool, without ref_id and expect"`
	Target *target           `json:"target,omitempty"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"what must be true after it"`
}

// stepResult is what became of a step.
type stepResult struct {
	Tool     string   `json:"tool"`
	Target   *target  `json:"target,omitempty"`
	Verdict  string   `json:"verdict"`
	Attempts int      `json:"attempts"`
	Healing  []string `json:"healing,omitempty"` // diagnosis -> cure
	Reason   string   `json:"reason,omitempty"`
	Effects  []string `json:"effects,omitempty"`
}

// replayed is page_replay's structured result.
type replayed struct {
	sdk.Receipt
	Steps []stepResult `json:"steps"`
}

// replay is one replay under way.
type replay struct {
	h       *sdk.Host
	healing int // cures used
}

// try is a step that is being tried.
type try struct {
	step    step
	tool    string
	ref     string
	relaxed bool
	receipt *sdk.Receipt
	before  measures
	out     stepResult
}

// measures is how conditions stood before; it outlives the document.
type measures json.RawMessage

func pageReplay(h *sdk.Host, in replayIn) (sdk.Result, error) {
	if len(in.Steps) == 0 || len(in.Steps) > 100 {
		return sdk.Result{}, &sdk.Error{Code: "invalid_args", Msg: fmt.Sprintf("%d steps", len(in.Steps)), Fix: "give 1 to 100"}
	}
	r := &replay{h: h}
	if in.StartURL != "" {
		res, err := h.CallResult("navigate", map[string]any{"url": in.StartURL})
		if err != nil || res.IsError {
			return res, err
		}
	}
	before, err := r.measure(in.Expect)
	if err != nil {
		return sdk.Result{}, err
	}
	out := replayed{Receipt: sdk.Receipt{Action: "page_replay", Verdict: sdk.Done}}
	for _, s := range in.Steps {
		res, err := r.run(s)
		if err != nil {
			return sdk.Result{}, err
		}
		out.Steps = append(out.Steps, res)
		if res.Verdict != sdk.Done {
			out.Verdict, out.Reason = res.Verdict, fmt.Sprintf("step %d, %s: %s", len(out.Steps), res.Tool, res.Reason)
			break
		}
	}
	if out.Verdict == sdk.Done && len(in.Expect) > 0 {
		if err := r.conclude(&out, in.Expect, before); err != nil {
			return sdk.Result{}, err
		}
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(out.text())}, Data: encoded(out), IsError: out.Verdict == sdk.NotDone}, nil
}

// run tries a step until it is done, or until nothing is left that may be tried.
func (r *replay) run(s step) (stepResult, error) {
	t := &try{step: s, tool: s.Tool, out: stepResult{Tool: s.Tool, Target: s.Target}}
	var err error
	if t.before, err = r.measure(s.Expect); err != nil {
		return t.out, err
	}
	for used := map[diagnosis]int{}; ; {
		d, err := r.attempt(t)
		if err != nil {
			return t.out, err
		}
		if t.out.Verdict == sdk.Done {
			return t.out, nil
		}
		again := false
		for !again && used[d] < len(chains[d]) && len(t.out.Healing) < maxRetries && r.healing < maxHealing {
			c := chains[d][used[d]]
			used[d]++
			ok, err := r.heal(c, t)
			if err != nil {
				return t.out, err
			}
			if !ok {
				continue
			}
			r.healing++
			t.out.Healing = append(t.out.Healing, string(d)+" -> "+string(c))
			done, err := r.landed(t)
			if err != nil || done {
				return t.out, err
			}
			again = d != noSignal || c == fireAgain
		}
		if !again {
			return t.out, nil
		}
	}
}

// landed looks whether the attempt before has had its effect after all: then nothing is done again.
func (r *replay) landed(t *try) (bool, error) {
	if t.receipt == nil || t.receipt.Verdict == sdk.NotDone || len(t.step.Expect) == 0 {
		return false, nil
	}
	checked, ok, err := r.check(t.step.Expect, t.before)
	if err != nil || !ok {
		return false, err
	}
	t.out.Verdict, t.out.Reason = sdk.Done, ""
	t.receipt.Expected = checked
	return true, nil
}

// attempt grounds the target and acts once.
func (r *replay) attempt(t *try) (diagnosis, error) {
	args := map[string]any{}
	for k, v := range t.step.Args {
		if k != "ref_id" {
			args[k] = v
		}
	}
	if t.tool != t.step.Tool { // typed instead of set
		args["clear"] = args["clear"] != false
		delete(args, "submit")
	}
	if t.step.Target != nil {
		ref, near, err := ground(r.h, *t.step.Target, t.relaxed)
		if err != nil {
			return "", err
		}
		if t.ref = ref; ref == "" {
			t.fail(sdk.NotDone, missing(*t.step.Target, near))
			return notFound, nil
		}
		args["ref_id"] = ref
	}
	if len(t.step.Expect) > 0 {
		args["expect"] = t.step.Expect
	}
	t.out.Attempts++
	res, err := r.h.CallResult(t.tool, args)
	if err != nil {
		return t.erred(err)
	}
	t.receipt = &sdk.Receipt{}
	if res.Decode(t.receipt) != nil || t.receipt.Verdict == "" {
		t.receipt = nil
		if res.IsError {
			t.fail(sdk.NotDone, res.Text())
			return otherwise, nil
		}
		t.out.Verdict = sdk.Done // a tool without a receipt only looks
		return "", nil
	}
	t.out.Verdict, t.out.Reason, t.out.Effects = t.receipt.Verdict, t.receipt.Reason, t.receipt.Effects
	return t.diagnose(), nil
}

func (t *try) diagnose() diagnosis {
	r := t.receipt
	switch {
	case r.Verdict == sdk.Done:
		return ""
	case r.Verdict == sdk.Unknown:
		return noSignal
	case r.Hit != nil && r.Hit.Covered:
		return occluded
	case manners[t.step.Tool]:
		return notApplied
	}
	return otherwise
}

// erred turns a tool's error into a diagnosis, or passes on what no step can mend.
func (t *try) erred(err error) (diagnosis, error) {
	t.receipt = nil
	switch sdk.CodeOf(err) {
	case "stale_ref", "ambiguous":
		t.fail(sdk.NotDone, err.Error())
		return notFound, nil
	case "not_actionable":
		t.fail(sdk.NotDone, err.Error())
		return otherwise, nil
	case "refused", "blocked":
		t.fail(sdk.NotDone, err.Error())
		return blocked, nil
	case "timeout", "unknown":
		t.fail(sdk.Unknown, err.Error())
		return blocked, nil // delivered or not, nobody knows: nothing is tried again
	}
	return "", err
}

func (t *try) fail(verdict, reason string) { t.out.Verdict, t.out.Reason = verdict, reason }

// conclude checks what must be true in the end, twice: a second effect of an action may be on its way.
func (r *replay) conclude(out *replayed, expect []json.RawMessage, before measures) error {
	for range 2 {
		checked, ok, err := r.check(expect, before)
		if err != nil {
			return err
		}
		if out.Expected = checked; !ok {
			out.Verdict, out.Reason = sdk.Unknown, "the steps were done, but not everything is as expected"
			for _, e := range checked {
				if !e.Passed {
					out.Reason += fmt.Sprintf("; expected %s, actual %s", e.Expected, e.Actual)
				}
			}
			return nil
		}
		if err := r.quiet(1000, 6000); err != nil {
			return err
		}
	}
	return nil
}

// measure looks how conditions stand now.
func (r *replay) measure(conditions []json.RawMessage) (measures, error) {
	if len(conditions) == 0 {
		return nil, nil
	}
	var b struct {
		Measures json.RawMessage `json:"measures"`
	}
	err := r.h.Call("browser.read", map[string]any{"op": "baseline", "args": map[string]any{"conditions": conditions}}, &b)
	return measures(b.Measures), err
}

// check compares conditions with how they stood.
func (r *replay) check(conditions []json.RawMessage, before measures) (checked []sdk.Expected, ok bool, err error) {
	args := map[string]any{"conditions": conditions}
	if len(before) > 0 {
		args["measures"] = json.RawMessage(before)
	}
	var c struct {
		Checked []sdk.Expected `json:"checked"`
		Passed  bool           `json:"passed"`
	}
	err = r.h.Call("browser.read", map[string]any{"op": "check", "args": args}, &c)
	return c.Checked, c.Passed, err
}

func (o replayed) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: page_replay", o.Verdict)
	if o.Reason != "" {
		fmt.Fprintf(&b, "\nwhy: %s", o.Reason)
	}
	for i, s := range o.Steps {
		fmt.Fprintf(&b, "\n%d. %s", i+1, s.Tool)
		if s.Target != nil {
			fmt.Fprintf(&b, " %s", s.Target)
		}
		fmt.Fprintf(&b, ": %s", s.Verdict)
		if len(s.Healing) > 0 {
			fmt.Fprintf(&b, " after %s", strings.Join(s.Healing, ", "))
		}
	}
	for _, e := range o.Expected {
		fmt.Fprintf(&b, "\nexpect %s: %s, actual %s", passed(e.Passed), e.Expected, e.Actual)
	}
	return b.String()
}
