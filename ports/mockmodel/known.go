package mockmodel

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// known reports a key that the type at into does not have, with its line and the nearest key.
func known(n *yaml.Node, into any) error { return knownIn(n, reflect.TypeOf(into).Elem(), 0) }

func knownIn(n *yaml.Node, t reflect.Type, depth int) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if depth > 20 {
		return fmt.Errorf("line %d: nested too deep", n.Line)
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d: write it out; aliases are not read", n.Line)
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if err := knownIn(item, t.Elem(), depth+1); err != nil {
				return err
			}
		}
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		return knownFields(n, t, depth)
	}
	return nil
}

func knownFields(n *yaml.Node, t reflect.Type, depth int) error {
	fields := map[string]reflect.Type{}
	var keys []string
	for i := range t.NumField() {
		if key := t.Field(i).Tag.Get("yaml"); key != "" {
			fields[key] = t.Field(i).Type
			keys = append(keys, key)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i].Value
		ft, ok := fields[key]
		if !ok {
			return fmt.Errorf("line %d: unknown key %q, the nearest is %q", n.Content[i].Line, key, nearest(key, keys))
		}
		if err := knownIn(n.Content[i+1], ft, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func nearest(key string, keys []string) string {
	if len(key) > 64 {
		key = key[:64]
	}
	return slices.MinFunc(keys, func(a, b string) int {
		return levenshtein.ComputeDistance(key, a) - levenshtein.ComputeDistance(key, b)
	})
}
