package host

import (
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// looking are the primitives that change nothing outside of wb. http.fetch is one with GET and HEAD.
var looking = []string{"browser.read", "browser.capture", "clock.now", "ui.ask", "model.chat", "kv.get", "kv.put", "kv.delete", "kv.keys", "kv.*"}

// acts reports whether a grant allows to change anything outside of wb.
func acts(g ports.Grant) bool {
	if g.Tool != "http.fetch" {
		return !slices.Contains(looking, g.Tool)
	}
	return slices.ContainsFunc(g.Methods, func(m string) bool { return m != "GET" && m != "HEAD" })
}

// Both returns what is both asked and granted.
func Both(asked, granted []ports.Grant) []ports.Grant {
	var out []ports.Grant
	for _, a := range asked {
		for _, g := range granted {
			tool, ok := narrower(a.Tool, g.Tool)
			if !ok {
				continue
			}
			origins, ok := common(a.Origins, g.Origins, matches)
			if !ok {
				continue
			}
			methods, ok := common(methodsOf(tool, a), methodsOf(tool, g), func(a, b string) bool { return a == b })
			if ok {
				out = append(out, ports.Grant{Tool: tool, Origins: origins, Methods: methods})
			}
		}
	}
	return out
}

// narrower returns the tool pattern that the other one covers.
func narrower(a, b string) (string, bool) {
	switch {
	case ports.Grant{Tool: b}.Covers(a) || a == b:
		return a, true
	case ports.Grant{Tool: a}.Covers(b):
		return b, true
	}
	return "", false
}

// methodsOf spells out the default, so that "any" and "GET" are not taken for the same.
func methodsOf(tool string, g ports.Grant) []string {
	if tool == "http.fetch" && len(g.Methods) == 0 {
		return []string{"GET"}
	}
	return g.Methods
}

// common intersects two lists, of which an empty one bounds nothing. It is false if nothing is left.
func common(a, b []string, covers func(pattern, s string) bool) ([]string, bool) {
	if len(a) == 0 {
		return b, true
	}
	if len(b) == 0 {
		return a, true
	}
	var out []string
	for _, x := range a {
		for _, y := range b {
			switch {
			case covers(y, x):
				out = append(out, x)
			case covers(x, y):
				out = append(out, y)
			}
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return out, len(out) > 0
}

// matches reports whether an origin pattern covers an origin, or a narrower pattern.
func matches(pattern, s string) bool {
	if pattern == s {
		return true
	}
	scheme, host, ok := strings.Cut(pattern, "://*.")
	other, rest, ok2 := strings.Cut(s, "://")
	return ok && ok2 && scheme == other && strings.HasSuffix(rest, "."+host)
}
