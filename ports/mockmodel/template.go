package mockmodel

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	template = regexp.MustCompile(`\{\{\s*([a-z]+)((?:\s+(?:[a-z]+=)?(?:"(?:[^"\\]|\\.)*"|[0-9]+))*)\s*\}\}`)
	argument = regexp.MustCompile(`(?:([a-z]+)=)?("(?:[^"\\]|\\.)*"|[0-9]+)`)
)

// Render fills in the templates of a text:
//
//	{{ref role="button" name="Save" nth=2 after="Orders"}}  a ref from the last snapshot that has it
//	{{match "total: ([0-9.]+)"}}  the group, or the whole match, in the last results
//	{{user "https://\\S+"}}       the same in what the user wrote
//
// Anything else in braces, such as {{secret:NAME}}, stays. In an expression \\ stands for one backslash.
func (c *Conversation) Render(s string) (string, error) {
	var first error
	out := template.ReplaceAllStringFunc(s, func(m string) string {
		g := template.FindStringSubmatch(m)
		v, err := c.fill(g[1], g[2])
		if err != nil && first == nil {
			first = fmt.Errorf("%s: %w", m, err)
		}
		return v
	})
	return out, first
}

func (c *Conversation) fill(name, rest string) (string, error) {
	named, plain := map[string]string{}, []string{}
	for _, g := range argument.FindAllStringSubmatch(rest, -1) {
		v := g[2]
		if v[0] == '"' {
			v = unescape(v[1 : len(v)-1])
		}
		if g[1] == "" {
			plain = append(plain, v)
		} else {
			named[g[1]] = v
		}
	}
	switch name {
	case "ref":
		if len(plain) > 0 {
			return "", fmt.Errorf("it takes role=, name=, after= and nth=")
		}
		nth, _ := strconv.Atoi(named["nth"]) // digits by the grammar; none is 0
		return c.ref(want{Role: named["role"], Name: named["name"], After: named["after"], Nth: nth})
	case "match":
		text, _ := c.results()
		return group(plain, text)
	case "user":
		return group(plain, c.user())
	}
	return "", fmt.Errorf("there is no template %s; there are ref, match and user", name)
}

// unescape takes \" and \\ for what they stand for and leaves other backslashes to the expression.
func unescape(s string) string { return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(s) }

func group(args []string, text string) (string, error) {
	if len(args) != 1 {
		return "", fmt.Errorf("it takes one expression in quotes")
	}
	re, err := regexp.Compile(args[0])
	if err != nil {
		return "", err
	}
	m := re.FindStringSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("not found in %s", cut(text, 300))
	}
	return m[min(1, len(m)-1)], nil
}

// renderArgs fills in every string of a call's arguments.
func (c *Conversation) renderArgs(v any) (any, error) {
	switch v := v.(type) {
	case string:
		return c.Render(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			item, err := c.renderArgs(v[i])
			if err != nil {
				return nil, err
			}
			out[i] = item
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			item, err := c.renderArgs(v[k])
			if err != nil {
				return nil, err
			}
			out[k] = item
		}
		return out, nil
	}
	return v, nil
}

// cut shortens a text for a message.
func cut(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "…"
	}
	return strconv.Quote(s)
}
