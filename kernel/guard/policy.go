package guard

import (
	"slices"
	"strings"
)

// Policy is what a person allowed for one run. It is data: Decide reads it, nothing changes it.
type Policy struct {
	// Origins may be written to: those of --url, of the task's text, of --allow-origin and of the policy
	// file. Reading needs no entry.
	Origins []string `json:"origins,omitempty"`
	// Allow lifts single refusals.
	Allow []Rule `json:"allow,omitempty"`
	// Reach are the origins that each plugin's http.fetch may talk to, beside those its grants name: the
	// base_url of the providers that it serves.
	Reach map[string][]string `json:"-"`
	// Grants is what each plugin was granted.
	Grants map[string][]GrantedFetch `json:"-"`
}

// Rule allows kinds of consequences on one origin; "*" stands for every origin of Policy.Origins.
type Rule struct {
	Origin string   `json:"origin"`
	Do     []string `json:"do"` // pay, delete, send, publish, account, permission, eval, close_tab
}

// GrantedFetch is an http.fetch grant.
type GrantedFetch struct {
	Origins []string
	Methods []string
}

// writes reports whether an origin is in the write set.
func (p Policy) writes(origin string) bool {
	return origin != "" && slices.ContainsFunc(p.Origins, func(o string) bool { return matches(o, origin) })
}

// lifts reports whether a rule allows a consequence on an origin.
func (p Policy) lifts(origin, consequence string) bool {
	return slices.ContainsFunc(p.Allow, func(r Rule) bool {
		at := matches(r.Origin, origin) || r.Origin == "*" && p.writes(origin)
		return at && slices.Contains(r.Do, consequence)
	})
}

// matches compares an origin with a pattern: exact, or https://*.host for the hosts below one.
func matches(pattern, origin string) bool {
	scheme, host, ok := strings.Cut(pattern, "://")
	if !ok {
		return false
	}
	if rest, wild := strings.CutPrefix(host, "*."); wild {
		oScheme, oHost, _ := strings.Cut(origin, "://")
		return oScheme == scheme && strings.HasSuffix(oHost, "."+rest)
	}
	return OriginOf(pattern) == origin
}
