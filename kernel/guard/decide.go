package guard

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Verdict is the guard's answer. Ask is a question for a person; a run that nobody attends turns it into
// a refusal with the same fix.
type Verdict string

// The verdicts.
const (
	Allowed Verdict = "allow"
	Ask     Verdict = "ask"
	Denied  Verdict = "deny"
)

// Decision is a verdict with its reason, and what would have allowed the call.
type Decision struct {
	Verdict Verdict
	Rule    string // short name of the rule that decided
	Reason  string
	Fix     string
}

// Decide is pure: the same policy, facts and call give the same decision, and nothing is looked up.
func Decide(p Policy, f Facts, c ports.Call) Decision {
	switch f.Kind {
	case KindLook:
		return allow("look")
	case KindWrite:
		return decideWrite(p, f)
	case KindNav:
		return decideNav(p, f)
	case KindTab:
		return decideTab(p, f)
	case KindEval:
		return decideEval(p, f)
	case KindFetch:
		return decideFetch(p, f, c)
	}
	return deny("unjudged", fmt.Sprintf("%s has no rule", c.Tool), "")
}

// decideWrite holds a gesture to the write set: the document it acts in, the page around that document,
// and where a form would go. Then it looks at the consequence.
func decideWrite(p Policy, f Facts) Decision {
	for _, origin := range append([]string{f.Frame, f.Top}, f.Around...) {
		if !p.writes(origin) {
			return outside(origin)
		}
	}
	if f.Submits {
		if to := OriginOf(f.Action); !p.writes(to) {
			d := outside(to)
			d.Reason = fmt.Sprintf("the form %q would be sent to %s, which this run may only read", f.Name, shown(to, f.Action))
			return d
		}
	}
	if scheme, _, _ := strings.Cut(f.Link, ":"); strings.EqualFold(scheme, "javascript") {
		return allow("write-set") // runs in the document, which is in the write set
	}
	if what := consequence(f); what != "" && !p.lifts(f.Frame, what) {
		return Decision{Verdict: Ask, Rule: "consequence:" + what,
			Reason: fmt.Sprintf("%s %q on %s would %s, and nobody is here to confirm it", f.Role, f.Name, f.Frame, inWords[what]),
			Fix:    fmt.Sprintf("to allow it, put under allow: in the policy file:  - {origin: %q, do: [%s]}", f.Frame, what)}
	}
	return allow("write-set")
}

// decideNav lets a run read anywhere on the web, but not open files, browser pages or the local network.
func decideNav(p Policy, f Facts) Decision {
	if f.URL == "" || f.URL == "about:blank" {
		return allow("history")
	}
	origin := OriginOf(f.URL)
	if origin == "" {
		return deny("scheme", fmt.Sprintf("%q is not a web address without credentials", f.URL), "use an http or https URL")
	}
	if Private(f.URL) && !p.writes(origin) {
		return deny("private-address", origin+" is on this machine or its network", "name it:  --allow-origin "+origin)
	}
	return allow("read-anywhere")
}

func decideTab(p Policy, f Facts) Decision {
	if f.Verb == "close" && !f.Own && !p.lifts(f.Top, "close_tab") {
		return deny("close-tab", "the tab was not opened by this run",
			fmt.Sprintf("to allow it, put under allow: in the policy file:  - {origin: %q, do: [close_tab]}", f.Top))
	}
	if f.Verb == "open" {
		return decideNav(p, f)
	}
	if f.Verb == "dialog" && !p.writes(f.Top) { // "OK" is an answer to the page
		return outside(f.Top)
	}
	return allow("tab")
}

func decideEval(p Policy, f Facts) Decision {
	for _, origin := range f.Around {
		if !p.writes(origin) {
			return outside(origin)
		}
	}
	if p.writes(f.Frame) && p.lifts(f.Frame, "eval") {
		return allow("policy")
	}
	return deny("dangerous", "running code in a page is not allowed",
		fmt.Sprintf("to allow it, put under allow: in the policy file:  - {origin: %q, do: [eval]}", f.Frame))
}

// decideFetch holds a plugin to the origins and methods of its grants; ports/fetch holds each redirect hop.
func decideFetch(p Policy, f Facts, c ports.Call) Decision {
	origin, verb := OriginOf(f.URL), strings.ToUpper(orElse(f.Verb, "GET"))
	if origin == "" {
		return deny("scheme", fmt.Sprintf("%q is not a web address without credentials", f.URL), "use an http or https URL")
	}
	if c.From == ports.FromUser || c.From == ports.FromKernel {
		return allow("own")
	}
	for _, g := range p.Grants[c.From] {
		reaches := slices.ContainsFunc(g.Origins, func(o string) bool {
			return matches(o, origin) || o == "config" && slices.Contains(p.Reach[c.From], origin)
		})
		if reaches && (verb == "GET" || verb == "HEAD" || slices.Contains(g.Methods, verb)) {
			return allow("grant")
		}
	}
	return deny("grant", fmt.Sprintf("plugin %s may not %s %s", c.From, verb, origin),
		"its http.fetch grant must name that origin and method (for a provider: base_url in the config)")
}

// Navigation judges a document request that a page makes on its own; it is the fence's rule.
func Navigation(p Policy, n ports.Navigation) error {
	origin := OriginOf(n.URL)
	if origin == "" {
		if u, err := url.Parse(n.URL); err == nil && slices.Contains([]string{"about", "data", "blob"}, u.Scheme) {
			return nil
		}
		return ports.NewError(ports.CodeBlocked, fmt.Sprintf("the page tried to open %q", n.URL), "")
	}
	if Private(n.URL) && !p.writes(origin) && OriginOf(n.From) != origin {
		return ports.NewError(ports.CodeBlocked, origin+" is on this machine or its network, and the run did not name it", "name it:  --allow-origin "+origin)
	}
	if m := strings.ToUpper(n.Method); m != "" && m != "GET" && m != "HEAD" && !p.writes(origin) {
		return ports.NewError(ports.CodeBlocked, fmt.Sprintf("the page tried to send a form to %s, which this run may only read", origin),
			"to allow it:  --allow-origin "+origin)
	}
	return nil
}

func allow(rule string) Decision { return Decision{Verdict: Allowed, Rule: rule} }

func deny(rule, reason, fix string) Decision {
	return Decision{Verdict: Denied, Rule: rule, Reason: reason, Fix: fix}
}

func outside(origin string) Decision {
	return deny("write-set", shown(origin, "this document")+" may only be read by this run",
		fmt.Sprintf("to allow it:  --allow-origin %s  or under origins: in the policy file:  - %s", shown(origin, "ORIGIN"), shown(origin, "ORIGIN")))
}

func shown(origin, otherwise string) string {
	if origin == "" {
		return otherwise
	}
	return origin
}
