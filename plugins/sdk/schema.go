package sdk

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// schemas derive a JSON Schema from a type. json tags name fields; omitempty, omitzero or a pointer
// makes one optional, and a pointer may be null. Further tags: doc describes it, enum:"a,b" lists its
// values, min and max bound a number, or the length of a string or a list.
type schemas struct{ strict bool } // refuse unknown fields

func inputSchema(t reflect.Type) map[string]any {
	s := schemas{strict: true}.of(t)
	if s["type"] != "object" {
		return map[string]any{"type": "object"}
	}
	return s
}

func outputSchema(t reflect.Type) map[string]any { return schemas{}.of(t) }

func (s schemas) of(t reflect.Type) map[string]any {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return map[string]any{}
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string", "contentEncoding": "base64"}
		}
		return map[string]any{"type": s.orNull("array", t), "items": s.of(t.Elem())}
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Map:
		return map[string]any{"type": s.orNull("object", t), "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		return s.object(t)
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

// orNull is for results: a nil slice or map is encoded as null.
func (s schemas) orNull(typ string, t reflect.Type) any {
	if s.strict || t.Kind() == reflect.Array {
		return typ
	}
	return []string{typ, "null"}
}

func (s schemas) object(t reflect.Type) map[string]any {
	props, required := map[string]any{}, []string{}
	s.fields(t, props, &required)
	out := map[string]any{"type": "object", "properties": props}
	if len(required) > 0 {
		out["required"] = required
	}
	if s.strict {
		out["additionalProperties"] = false
	}
	return out
}

func (s schemas) fields(t reflect.Type, props map[string]any, required *[]string) {
	for f := range t.Fields() {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			s.fields(f.Type, props, required)
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		p := s.of(f.Type)
		annotate(p, f)
		props[name] = p
		if f.Type.Kind() != reflect.Pointer && !strings.Contains(opts, "omit") {
			*required = append(*required, name)
		}
	}
}

// annotate adds what the tags of a field say.
func annotate(p map[string]any, f reflect.StructField) {
	if d := f.Tag.Get("doc"); d != "" {
		p["description"] = d
	}
	if e := f.Tag.Get("enum"); e != "" {
		values := []any{}
		for v := range strings.SplitSeq(e, ",") {
			values = append(values, number(v, p["type"]))
		}
		p["enum"] = values
	}
	low, high := "minimum", "maximum"
	switch p["type"] {
	case "string":
		low, high = "minLength", "maxLength"
	case "array":
		low, high = "minItems", "maxItems"
	}
	for tag, word := range map[string]string{"min": low, "max": high} {
		if v := f.Tag.Get(tag); v != "" {
			p[word] = number(v, "number")
		}
	}
	if typ, ok := p["type"].(string); ok && f.Type.Kind() == reflect.Pointer {
		p["type"] = []string{typ, "null"}
		if e, ok := p["enum"].([]any); ok {
			p["enum"] = append(e, nil)
		}
	}
}

// number reads a tag's value as a number where the type wants one.
func number(v string, typ any) any {
	if typ == "number" || typ == "integer" {
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return n
		}
	}
	return v
}
