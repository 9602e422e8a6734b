package engine

import (
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// found is an element that may be the recorded one.
type found struct {
	Ref  string `json:"ref"`
	Role string `json:"role"`
	Name string `json:"name"`
	In   string `json:"in"`
}

// manners are the tools that put a value into a field: a field's label may have grown a star or a hint
// since. What is pressed must be called exactly what it was called, for one word tells Alice from Bob.
var manners = map[string]bool{"set_field": true, "type_ax": true, "set_checked": true}

// ground finds the one live element that a recorded target means, "" and what stands there instead if
// there is none or more than one.
func ground(h *sdk.Host, t target, relaxed bool) (ref string, near []found, err error) {
	frames, err := framesOf(h, t.Ref)
	if err != nil {
		return "", nil, err
	}
	for _, f := range frames {
		var res struct {
			Candidates []found `json:"candidates"`
		}
		args := map[string]any{"role": t.Role, "limit": 50}
		if t.Name != "" {
			args["text"] = t.Name
		}
		if err := h.Call("browser.read", map[string]any{"op": "find", "frame": f, "args": args}, &res); err != nil {
			return "", nil, err
		}
		var fit []found
		for _, c := range res.Candidates {
			if fold(c.Name) == fold(t.Name) || relaxed && contains(c.Name, t.Name) {
				fit = append(fit, c)
			}
		}
		near = append(near, res.Candidates...)
		if one, err := t.pick(h, fit); err != nil || one != "" {
			return one, nil, err
		}
	}
	return "", near, nil
}

// pick chooses by fingerprint where several fit, then by what is around them. Two that cannot be told
// apart are none.
func (t target) pick(h *sdk.Host, fit []found) (string, error) {
	if len(fit) == 1 {
		return fit[0].Ref, nil
	}
	var same, inside []string
	for _, c := range fit {
		var f struct {
			Fingerprint string `json:"fingerprint"`
		}
		if err := h.Call("browser.read", map[string]any{"op": "element", "args": map[string]string{"ref": c.Ref}}, &f); err != nil {
			return "", err
		}
		if t.Fingerprint != "" && f.Fingerprint == t.Fingerprint {
			same = append(same, c.Ref)
		}
		if t.In != "" && c.In == t.In {
			inside = append(inside, c.Ref)
		}
	}
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(same) == 0 && len(inside) == 1:
		return inside[0], nil
	}
	return "", nil
}

// framesOf are the tab's frames, the recorded one first.
func framesOf(h *sdk.Host, ref string) ([]string, error) {
	var all []struct {
		ID string `json:"id"`
	}
	if err := h.Call("browser.read", map[string]any{"op": "frames"}, &all); err != nil {
		return nil, err
	}
	first := "f0"
	if i := strings.IndexByte(ref, 'e'); i > 0 && ref[0] == 'f' {
		first = ref[:i]
	}
	var out []string
	for _, f := range all {
		if f.ID == first {
			out = append([]string{f.ID}, out...)
		} else {
			out = append(out, f.ID)
		}
	}
	return out, nil
}

// missing says that a target was not found, and what is like it.
func missing(t target, near []found) string {
	var names []string
	for _, c := range near[:min(3, len(near))] {
		names = append(names, fmt.Sprintf("%s %q", c.Role, c.Name))
	}
	if len(names) == 0 {
		return t.String() + " is not on the page"
	}
	return t.String() + " is not on the page, or not alone; there is " + strings.Join(names, ", ")
}

// contains reports whether a name has all words of another one, in order.
func contains(name, words string) bool {
	have := strings.Fields(fold(name))
	for _, w := range strings.Fields(fold(words)) {
		i := 0
		for i < len(have) && strings.Trim(have[i], "*:().,") != strings.Trim(w, "*:().,") {
			i++
		}
		if i == len(have) {
			return false
		}
		have = have[i+1:]
	}
	return true
}

func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
