package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/wb-agent/wb/ports"
)

// maxArgs bounds arguments, in bytes. Uploads and pictures travel as handles, so nothing honest is larger.
const maxArgs = 8 << 20

// check validates arguments against the tool's schema and returns them as the tool will see them. For a
// model-facing tool the slips that models make are mended first: null for "absent", and values or the
// whole object encoded twice. The error names every offending value.
func (t *tool) check(args json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(args)) == 0 || bytes.Equal(bytes.TrimSpace(args), []byte("null")) {
		args = json.RawMessage("{}")
	}
	if len(args) > maxArgs {
		return nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%s: arguments of %d bytes", t.spec.Name, len(args)),
			"send less; files and pictures go by reference")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%s: arguments are not JSON: %v", t.spec.Name, err),
			"send one JSON object")
	}
	if err := t.schema.Validate(v); err == nil {
		return args, nil
	} else if t.spec.Primitive() {
		return nil, t.invalid(err)
	}
	v = mend(t.root, v)
	if err := t.schema.Validate(v); err != nil {
		return nil, t.invalid(err)
	}
	return json.Marshal(v)
}

// invalid says what is wrong, one line a value.
func (t *tool) invalid(err error) error {
	var lines []string
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) {
		p := message.NewPrinter(language.English)
		var walk func(e *jsonschema.ValidationError)
		walk = func(e *jsonschema.ValidationError) {
			if len(e.Causes) == 0 && len(lines) < 10 {
				lines = append(lines, fmt.Sprintf("/%s: %s", strings.Join(e.InstanceLocation, "/"), e.ErrorKind.LocalizedString(p)))
			}
			for _, c := range e.Causes {
				walk(c)
			}
		}
		walk(ve)
	} else {
		lines = []string{err.Error()}
	}
	return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("%s: %s", t.spec.Name, strings.Join(lines, "; ")),
		"send arguments that match the tool's schema")
}

// mend returns v with nulls dropped where the schema has no use for them, and strings decoded where the
// schema wants something else. It never invents a value.
func mend(schema map[string]any, v any) any {
	if s, ok := v.(string); ok && !admits(schema, "string") {
		if inner, err := jsonschema.UnmarshalJSON(strings.NewReader(s)); err == nil {
			v = inner
		}
	}
	switch x := v.(type) {
	case map[string]any:
		props, _ := schema["properties"].(map[string]any)
		for k, item := range x {
			sub, known := props[k].(map[string]any)
			if item == nil && (!known || !admits(sub, "null")) {
				delete(x, k)
			} else if known {
				x[k] = mend(sub, item)
			}
		}
	case []any:
		if sub, ok := schema["items"].(map[string]any); ok {
			for i := range x {
				x[i] = mend(sub, x[i])
			}
		}
	}
	return v
}

// admits reports whether a schema's type allows a JSON type; a schema without one allows all.
func admits(schema map[string]any, typ string) bool {
	switch t := schema["type"].(type) {
	case string:
		return t == typ
	case []any:
		return slices.Contains(t, any(typ))
	}
	if enum, ok := schema["enum"].([]any); ok && typ == "null" {
		return slices.Contains(enum, nil)
	}
	return true
}

// nearest returns the known name closest to what was asked, or "" if none is close.
func nearest(name string, known []string) string {
	best, bestD := "", max(2, len(name)/3)+1
	slices.Sort(known)
	for _, k := range known {
		if d := levenshtein.ComputeDistance(name, k); d < bestD {
			best, bestD = k, d
		}
	}
	return best
}
