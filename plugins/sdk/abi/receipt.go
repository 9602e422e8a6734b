package abi

import (
	"encoding/json"
	"strconv"
)

// Verdicts of a Receipt.
const (
	VerdictDone    = "done"
	VerdictNotDone = "not_done"
	VerdictUnknown = "unknown"
)

// Receipt mirrors ports.Receipt: the structured result of every acting tool.
type Receipt struct {
	Verdict  string     `json:"verdict"`
	Action   string     `json:"action"`
	Channel  string     `json:"channel,omitempty"`
	Target   *Target    `json:"target,omitempty"`
	Hit      *Hit       `json:"hit,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Before   string     `json:"before,omitempty"`
	After    string     `json:"after,omitempty"`
	Effects  []string   `json:"effects,omitempty"`
	URL      string     `json:"url,omitempty"`
	Dialog   string     `json:"dialog,omitempty"`
	Expected []Expected `json:"expected,omitempty"`
	Requests []Request  `json:"requests,omitempty"`
	Millis   int        `json:"ms,omitempty"`
	Since    []string   `json:"since,omitempty"`
	Aside    []string   `json:"aside,omitempty"`
	Shown    []string   `json:"shown,omitempty"`
}

// Request mirrors ports.Request: one that an action caused.
type Request struct {
	Method string `json:"method"`
	URL    string `json:"url"`
	Status int    `json:"status,omitempty"`
	Failed string `json:"failed,omitempty"`
}

// Target mirrors ports.Target: a grounded element.
type Target struct {
	Ref  string `json:"ref"`
	Role string `json:"role,omitempty"`
	Name string `json:"name,omitempty"`
	In   string `json:"in,omitempty"`

	Fingerprint string `json:"fingerprint,omitempty"`
}

// String is the request in one line, such as POST https://shop.example/orders: 201.
func (q Request) String() string {
	s := q.Method + " " + q.URL
	switch {
	case q.Failed != "":
		return s + ": failed, " + q.Failed
	case q.Status == 0:
		return s + ": no answer yet"
	}
	return s + ": " + strconv.Itoa(q.Status)
}

// Hit mirrors ports.Hit: what lies at a point.
type Hit struct {
	Ref     string `json:"ref,omitempty"`
	Role    string `json:"role,omitempty"`
	Name    string `json:"name,omitempty"`
	Covered bool   `json:"covered,omitempty"`
}

// Expected mirrors ports.Expected: one checked expectation.
type Expected struct {
	Condition json.RawMessage `json:"condition"`
	Passed    bool            `json:"passed"`
	Expected  string          `json:"expected"`
	Actual    string          `json:"actual"`
	Evidence  string          `json:"evidence,omitempty"`
}
