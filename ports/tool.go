package ports

import (
	"encoding/json"
	"strings"
)

// Tool is a Caller that says what it is. Call receives calls of this tool only, with arguments that
// passed Spec().Input.
type Tool interface {
	Caller
	Spec() Spec
}

// Spec describes a tool to models, people and the guard. It does not change while the tool is registered.
type Spec struct {
	Name        string          `json:"name"` // dotted: host primitive; with underscores: model-facing
	Description string          `json:"description,omitempty"`
	Input       json.RawMessage `json:"input"`             // JSON Schema (2020-12) of Args, an object
	Output      json.RawMessage `json:"output,omitempty"`  // JSON Schema of Result.Data, if promised
	Risk        Risk            `json:"risk"`              // "" reads as dangerous
	Modes       []Mode          `json:"modes,omitempty"`   // where a model may call it; empty: not model-facing
	Tiers       []Tier          `json:"tiers,omitempty"`   // which models see it; empty: all
	Trusted     bool            `json:"trusted,omitempty"` // result is wb's own words, not page or network text
	Budget      int             `json:"budget,omitempty"`  // characters of a result that a model sees; 0: 8,000
	Owner       string          `json:"owner,omitempty"`   // plugin id, "host" or "kernel"; set at registration
}

// Primitive reports whether the tool is a host primitive, which only plugins and the kernel call.
func (s Spec) Primitive() bool { return strings.Contains(s.Name, ".") }

// Mutates reports whether a call may change something outside of wb. An unknown risk counts as yes.
func (s Spec) Mutates() bool { return s.Risk != RiskRead && s.Risk != RiskControl }

// Risk says what a tool can do at worst.
type Risk string

const (
	RiskRead      Risk = "read"      // looks only
	RiskControl   Risk = "control"   // changes wb's own state only (scratchpad, done, clarify)
	RiskAct       Risk = "act"       // changes a page or a server as a person would
	RiskDangerous Risk = "dangerous" // hard to undo, or beyond a page: close a tab, evaluate code
)

// Rank orders risks from harmless to dangerous; an unknown one is dangerous.
func (r Risk) Rank() int {
	switch r {
	case RiskRead:
		return 0
	case RiskControl:
		return 1
	case RiskAct:
		return 2
	}
	return 3
}

// Mode is what a run may do.
type Mode string

const (
	ModeAsk Mode = "ask" // read-only
	ModeAct Mode = "act"
	ModeDev Mode = "dev" // act, and the page's insides
)

// Tier is how many tools a model is shown.
type Tier string

const (
	TierCompact Tier = "compact"
	TierMid     Tier = "mid"
	TierFull    Tier = "full"
)

// Grant lets a plugin call the primitives that match Tool, within limits. Effective grants are asked
// (plugin.json) AND granted (the person's lock file, or the repository's own for built-ins).
type Grant struct {
	Tool    string   `json:"tool"`              // exact ("http.fetch") or a family ("browser.*")
	Origins []string `json:"origins,omitempty"` // scheme://host[:port], "https://*.host"; for http.fetch required, "config" means the configured base_url of a provider
	Methods []string `json:"methods,omitempty"` // of http.fetch; empty: GET
}

// Covers reports whether the grant names the tool; origins and methods are judged by the guard.
func (g Grant) Covers(tool string) bool {
	family, any := strings.CutSuffix(g.Tool, ".*")
	return g.Tool == tool || any && strings.HasPrefix(tool, family+".")
}
