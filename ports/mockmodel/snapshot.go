package mockmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// element is a line of a snapshot, such as
//
//	textbox "Email" [e12] value="a@b.c"
type element struct{ Role, Name, Ref, Line string }

var (
	refMark = regexp.MustCompile(`\[((?:f[0-9]+)?e[0-9]+)\]`)
	lead    = regexp.MustCompile(`^[\s\-*•|>+]*([A-Za-z][A-Za-z0-9_-]*)(?:\s+("(?:[^"\\]|\\.)*"))?`)
)

// parseLine reads one line; false if it names no element.
func parseLine(line string) (element, bool) {
	m := lead.FindStringSubmatchIndex(line)
	if m == nil {
		return element{}, false
	}
	e := element{Role: line[m[2]:m[3]], Line: strings.TrimSpace(line)}
	if m[4] >= 0 {
		quoted := line[m[4]:m[5]]
		if json.Unmarshal([]byte(quoted), &e.Name) != nil {
			e.Name = quoted[1 : len(quoted)-1]
		}
	}
	ref := refMark.FindStringSubmatch(line[m[1]:])
	if ref == nil {
		return element{}, false
	}
	e.Ref = ref[1]
	return e, true
}

// lines cuts a text into lines; a JSON text gives the lines of the strings in it.
func lines(text string) []string {
	trimmed := strings.TrimSpace(text)
	if len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
		var v any
		if json.Unmarshal([]byte(trimmed), &v) == nil {
			return stringsIn(v)
		}
	}
	return strings.Split(text, "\n")
}

func stringsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Split(v, "\n")
	case []any:
		var out []string
		for _, item := range v {
			out = append(out, stringsIn(item)...)
		}
		return out
	case map[string]any:
		var out []string
		for _, item := range v {
			out = append(out, stringsIn(item)...)
		}
		return out
	}
	return nil
}

// want says which element is meant. Nth counts from 1; 0 means that there is only one.
type want struct {
	Role, Name, After string
	Nth               int
}

// pick finds an element in one snapshot: names exactly, else the only one that contains the name. The
// error says what was there.
func (w want) pick(text string) (ref string, err error) {
	var exact, partly, role []element
	past := w.After == ""
	for _, line := range lines(text) {
		if !past {
			past = strings.Contains(line, w.After)
			continue
		}
		e, ok := parseLine(line)
		if !ok || w.Role != "" && e.Role != w.Role {
			continue
		}
		role = append(role, e)
		switch {
		case w.Name == "" || e.Name == w.Name:
			exact = append(exact, e)
		case strings.Contains(strings.ToLower(e.Name), strings.ToLower(w.Name)):
			partly = append(partly, e)
		}
	}
	found := exact
	if len(found) == 0 {
		found = partly
	}
	switch {
	case w.Nth > 0 && w.Nth <= len(found):
		return found[w.Nth-1].Ref, nil
	case w.Nth == 0 && len(found) == 1:
		return found[0].Ref, nil
	case len(found) > 0:
		return "", fmt.Errorf("%d elements fit %s: %s", len(found), w, list(found))
	}
	return "", &absent{w, role}
}

// absent is that a snapshot does not hold an element; an older one may.
type absent struct {
	w    want
	role []element
}

func (a *absent) Error() string {
	return fmt.Sprintf("no element fits %s; there is %s", a.w, list(a.role))
}

func (w want) String() string { return fmt.Sprintf("role=%q name=%q", w.Role, w.Name) }

func list(es []element) string {
	var out []string
	for i, e := range es {
		if i == 8 {
			return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", len(es)-i)
		}
		out = append(out, fmt.Sprintf("%s %q [%s]", e.Role, e.Name, e.Ref))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// ref finds an element in the newest text of the conversation that holds it: after an action there may
// be only a diff, and what did not change is in the snapshot before.
func (c *Conversation) ref(w want) (string, error) {
	var first error
	for i := len(c.Messages) - 1; i >= 0; i-- {
		m := c.Messages[i]
		if m.Role == "assistant" || !refMark.MatchString(m.Text) {
			continue
		}
		ref, err := w.pick(m.Text)
		if _, gone := errors.AsType[*absent](err); !gone {
			return ref, err
		}
		if first == nil {
			first = err
		}
	}
	if first == nil {
		first = fmt.Errorf("no snapshot in the conversation to find %s in", w)
	}
	return "", first
}
