package ports

import "encoding/json"

// Verdict is what is known about an action. There is no fourth one, and no "dispatched".
type Verdict string

const (
	// VerdictDone: delivered to the grounded element and every expectation passed, or, without any, an
	// effect attributable to it was seen.
	VerdictDone Verdict = "done"
	// VerdictNotDone: refused by a precondition, not delivered, or the value read back differs.
	VerdictNotDone Verdict = "not_done"
	// VerdictUnknown: delivered, but nothing seen in the window, or contact was lost before the outcome.
	VerdictUnknown Verdict = "unknown"
)

// Receipt is what every acting tool returns as structured content: what happened, as far as anybody saw.
// It is never a model's opinion.
type Receipt struct {
	Verdict  Verdict    `json:"verdict"`
	Action   string     `json:"action"`            // click, fill, check, keys, hover, drag, navigate …
	Channel  string     `json:"channel,omitempty"` // trusted or script
	Target   *Target    `json:"target,omitempty"`  // what was grounded
	Hit      *Hit       `json:"hit,omitempty"`     // what lay under the pointer
	Reason   string     `json:"reason,omitempty"`  // why not done or unknown, with what to do
	Before   string     `json:"before,omitempty"`  // value or state, cut at 60 characters; never of a secret field
	After    string     `json:"after,omitempty"`
	Effects  []string   `json:"effects,omitempty"`  // what was seen to change, in words, most telling first
	URL      string     `json:"url,omitempty"`      // where the tab is now, if it moved
	Dialog   string     `json:"dialog,omitempty"`   // a JavaScript dialog that opened
	Expected []Expected `json:"expected,omitempty"` // outcome of each expectation
	Requests []Request  `json:"requests,omitempty"` // that it caused, as far as a driver sees them
	Millis   int        `json:"ms,omitempty"`       // from dispatch to verdict
	Since    []string   `json:"since,omitempty"`    // what came late: changes after the receipt before, seen first now
	Aside    []string   `json:"aside,omitempty"`    // changes that the page made by itself meanwhile
	Shown    []string   `json:"shown,omitempty"`    // outline lines of targets that were not there before
}

// Request is one request that a page sent after an action began.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`              // cut at 200 characters, without its query's values
	Status int    `json:"status,omitempty"` // 0 while there is no answer
	Failed string `json:"failed,omitempty"` // why there will be none
}

// Target names a grounded element.
type Target struct {
	Ref  string `json:"ref"`
	Role string `json:"role,omitempty"`
	Name string `json:"name,omitempty"`
	In   string `json:"in,omitempty"` // containing dialog or form
	// Fingerprint is equal while the element is the same control, also in another run of the same page.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Expected is one checked expectation.
type Expected struct {
	Condition json.RawMessage `json:"condition"`
	Passed    bool            `json:"passed"`
	Expected  string          `json:"expected"`
	Actual    string          `json:"actual"`
	Evidence  string          `json:"evidence,omitempty"`
}

// ReceiptOf reads a receipt from a result's structured content; false if there is none.
func ReceiptOf(r Result) (Receipt, bool) {
	var rc Receipt
	if len(r.Data) == 0 || json.Unmarshal(r.Data, &rc) != nil || rc.Verdict == "" {
		return Receipt{}, false
	}
	return rc, true
}
