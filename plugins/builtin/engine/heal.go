package engine

import (
	"github.com/wb-agent/wb/plugins/sdk"
)

// diagnosis is why a step did not succeed.
type diagnosis string

const (
	notFound   diagnosis = "element_not_found"
	occluded   diagnosis = "occluded"
	notApplied diagnosis = "value_not_applied"
	noSignal   diagnosis = "no_success_signal"
	slow       diagnosis = "timeout"
	blocked    diagnosis = "policy_blocked"
	otherwise  diagnosis = "unknown"
)

// cure is what is done before a step is looked at again.
type cure string

const (
	smartWait  cure = "smart_wait"           // let the page come to rest
	probe      cure = "probe_scroll"         // a long list may load what is looked for
	relax      cure = "relax_grounding"      // a field's label may have grown; never for what is pressed
	intoView   cure = "scroll_into_view"     //
	dismiss    cure = "dismiss_overlay"      // Escape, where an overlay is open
	byKeys     cure = "switch_adapter"       // type instead of set
	longWait   cure = "wait_for_the_outcome" // the effect may be on its way
	fireAgain  cure = "retry_after_refusal"  // only when the server has said that it did nothing
	maxRetries      = 3
	maxHealing      = 12
)

// chains are what is tried, in order. None of them fires a step again that was delivered and whose outcome
// is open: for that, only fireAgain exists, and it asks for proof.
var chains = map[diagnosis][]cure{
	notFound:   {smartWait, probe, relax},
	occluded:   {intoView, dismiss, smartWait},
	notApplied: {byKeys, smartWait, byKeys},
	noSignal:   {longWait, fireAgain},
	slow:       {smartWait, longWait},
	otherwise:  {smartWait},
}

// heal does what a cure says; false if it cannot.
func (r *replay) heal(c cure, s *try) (bool, error) {
	switch c {
	case smartWait:
		return true, r.quiet(300, 6000)
	case longWait:
		return true, r.quiet(1000, 12000)
	case probe:
		return true, r.search(s)
	case relax:
		if !manners[s.step.Tool] {
			return false, nil
		}
		s.relaxed = true
		return true, nil
	case intoView:
		return true, r.scroll(map[string]any{"direction": "into_view", "ref_id": s.ref})
	case dismiss:
		var st struct {
			Dialogs []string `json:"dialogs"`
		}
		if err := r.h.Call("browser.read", map[string]any{"op": "state"}, &st); err != nil || len(st.Dialogs) == 0 {
			return false, err
		}
		_, err := r.h.CallResult("press_keys", map[string]any{"key": "Escape"})
		return true, err
	case byKeys:
		if s.step.Tool != "set_field" || s.step.Args["submit"] == true {
			return false, nil
		}
		s.tool = "type_ax"
		return true, nil
	case fireAgain:
		return refused(s.receipt), nil
	}
	return false, nil
}

// refused reports whether the requests of an action prove that it did nothing: there was one that writes,
// and each of those was answered with a refusal. A server error in general proves nothing.
func refused(r *sdk.Receipt) bool {
	if r == nil {
		return false
	}
	writes := false
	for _, q := range r.Requests {
		if q.Method == "GET" || q.Method == "HEAD" || q.Method == "OPTIONS" {
			continue
		}
		writes = true
		no := q.Status >= 400 && q.Status < 500 && q.Status != 408 || q.Status == 503
		if !no {
			return false
		}
	}
	return writes
}

// quiet waits for the page to come to rest; a page that never does is none of its business.
func (r *replay) quiet(quietMS, capMS int) error {
	_, err := r.h.CallResult("wait_for_stable", map[string]any{"quietMs": quietMS, "timeout": capMS})
	return err
}

func (r *replay) scroll(args map[string]any) error {
	_, err := r.h.CallResult("scroll", args)
	return err
}

// search scrolls on, at most six views, until the target is there.
func (r *replay) search(t *try) error {
	for range 6 {
		if err := r.scroll(map[string]any{"direction": "down", "amount": 1.0}); err != nil {
			return err
		}
		if err := r.quiet(400, 4000); err != nil {
			return err
		}
		if ref, _, err := ground(r.h, *t.step.Target, t.relaxed); err != nil || ref != "" {
			return err
		}
	}
	return nil
}
