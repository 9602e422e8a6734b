package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

// grantWords says what each primitive lets a plugin do.
func grantWords(tool string) string {
	switch tool {
	case "browser.*":
		return "do anything in the browser: read, click, type, open addresses, run code in pages"
	case "browser.read":
		return "read pages in the browser"
	case "browser.capture":
		return "take pictures of pages"
	case "browser.act":
		return "fill in and press controls in pages"
	case "browser.input":
		return "click and type in pages"
	case "browser.nav":
		return "open addresses in the browser"
	case "browser.tabs":
		return "list, open, switch and close tabs"
	case "browser.eval":
		return "run code of its own in pages"
	case "clock.now":
		return "know the time"
	case "ui.ask":
		return "ask you questions"
	case "model.chat":
		return "send text to your models, which may cost money"
	case "model.list":
		return "list your models"
	case "model.*":
		return "list your models and send text to them, which may cost money"
	case "agent.run":
		return "start runs of its own"
	case "kv.get", "kv.keys":
		return "read the notes that it keeps"
	case "kv.put", "kv.delete":
		return "change the notes that it keeps"
	case "kv.*":
		return "keep notes of its own"
	}
	return "call " + clean(tool, 80)
}

// inWords says what grants allow, a line each.
func inWords(grants []ports.Grant) []string {
	var out []string
	for _, g := range grants {
		line := grantWords(g.Tool)
		if g.Covers("http.fetch") {
			line = fetchWords(g)
		} else if len(g.Origins) > 0 {
			line += ", only on " + origins(g.Origins)
		}
		if !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

func fetchWords(g ports.Grant) string {
	methods := g.Methods
	if len(methods) == 0 {
		methods = []string{"GET"}
	}
	where := "any address"
	if len(g.Origins) > 0 {
		where = origins(g.Origins)
	}
	return "send HTTP requests to " + where + " (" + clean(strings.Join(methods, ", "), 100) + ")"
}

func origins(list []string) string {
	var out []string
	for _, o := range list {
		switch {
		case o == "config":
			o = "the base_url of the providers in your config that name it"
		case guard.Private(o):
			o += ", on this machine or its network, where --allow-origin names it too"
		}
		out = append(out, clean(o, 200))
	}
	return strings.Join(out, " and ")
}

// none is what a plugin without grants is said to do.
const noGrants = "nothing outside of its sandbox"

func joinWords(grants []ports.Grant) string {
	if len(grants) == 0 {
		return noGrants
	}
	return strings.Join(inWords(grants), "; ")
}

// wider returns what of now was not granted before, a grant for each tool, origin and method.
func wider(before, now []ports.Grant) []ports.Grant {
	var out []ports.Grant
	for _, a := range atoms(now) {
		if !slices.ContainsFunc(before, func(g ports.Grant) bool { return holds(g, a) }) {
			out = append(out, a)
		}
	}
	return out
}

// holds reports whether g alone allows all of a.
func holds(g, a ports.Grant) bool {
	both := host.Both([]ports.Grant{a}, []ports.Grant{g})
	return len(both) == 1 && both[0].Tool == a.Tool && slices.Equal(both[0].Origins, a.Origins) && slices.Equal(both[0].Methods, a.Methods)
}

// atoms splits grants into ones of at most one origin and one method.
func atoms(grants []ports.Grant) []ports.Grant {
	var out []ports.Grant
	for _, g := range grants {
		methods := g.Methods
		if g.Tool == "http.fetch" && len(methods) == 0 {
			methods = []string{"GET"}
		}
		for _, o := range oneByOne(g.Origins) {
			for _, m := range oneByOne(methods) {
				out = append(out, ports.Grant{Tool: g.Tool, Origins: o, Methods: m})
			}
		}
	}
	return out
}

// oneByOne makes a list of one of each; an empty list, which bounds nothing, stays whole.
func oneByOne(list []string) [][]string {
	if len(list) == 0 {
		return [][]string{nil}
	}
	out := make([][]string, len(list))
	for i := range list {
		out[i] = list[i : i+1]
	}
	return out
}

// pick is what of the asked grants fits the person's patterns, TOOL or TOOL@ORIGIN. No pattern picks all,
// "none" nothing.
func pick(asked []ports.Grant, patterns []string) ([]ports.Grant, error) {
	if len(patterns) == 0 {
		return asked, nil
	}
	if slices.Equal(patterns, []string{"none"}) {
		return nil, nil
	}
	var out []ports.Grant
	for _, p := range patterns {
		tool, origin, at := strings.Cut(p, "@")
		n := len(out)
		for _, a := range asked {
			g := ports.Grant{Tool: tool, Methods: a.Methods}
			if at {
				g.Origins = []string{origin}
			}
			out = append(out, host.Both([]ports.Grant{a}, []ports.Grant{g})...)
		}
		if len(out) == n {
			return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("--grant %s: the plugin does not ask for that", clean(p, 100)),
				"it asks for: "+strings.Join(patternsOf(asked), ", "))
		}
	}
	return out, nil
}

// patternsOf are the --grant arguments that pick grants.
func patternsOf(grants []ports.Grant) []string {
	out := []string{}
	for _, g := range grants {
		if len(g.Origins) == 0 {
			out = append(out, clean(g.Tool, 80))
		}
		for _, o := range g.Origins {
			out = append(out, clean(g.Tool+"@"+o, 200))
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) == 0 {
		return []string{"none"}
	}
	return out
}
