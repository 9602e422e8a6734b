package main

import (
	"reflect"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// Plugins and the kernel may not import each other's types, so what crosses between them is written down
// twice. This holds the two to the same JSON.
func TestWireParity(t *testing.T) {
	pairs := map[string][2]reflect.Type{
		"chat request": {reflect.TypeFor[ports.ChatRequest](), reflect.TypeFor[abi.ChatRequest]()},
		"chat reply":   {reflect.TypeFor[ports.ChatReply](), reflect.TypeFor[abi.ChatReply]()},
		"delta":        {reflect.TypeFor[ports.Delta](), reflect.TypeFor[abi.Delta]()},
		"endpoint":     {reflect.TypeFor[ports.Endpoint](), reflect.TypeFor[abi.Endpoint]()},
		"receipt":      {reflect.TypeFor[ports.Receipt](), reflect.TypeFor[abi.Receipt]()},
		"question":     {reflect.TypeFor[ports.Question](), reflect.TypeFor[abi.Question]()},
		"answer":       {reflect.TypeFor[ports.Answer](), reflect.TypeFor[abi.Answer]()},
		"request":      {reflect.TypeFor[ports.FetchRequest](), reflect.TypeFor[abi.FetchRequest]()},
	}
	for name, p := range pairs {
		want, got := fieldsOf(p[0], "", 0), fieldsOf(p[1], "", 0)
		for f := range want {
			if !got[f] {
				t.Errorf("%s: ports has %s, abi has not", name, f)
			}
		}
		for f := range got {
			if !want[f] {
				t.Errorf("%s: abi has %s, ports has not", name, f)
			}
		}
	}
}

// fieldsOf are the JSON names of a type and of what is in it.
func fieldsOf(typ reflect.Type, prefix string, depth int) map[string]bool {
	out := map[string]bool{}
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || depth > 5 {
		return out
	}
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "" {
			continue
		}
		out[prefix+name] = true
		for k := range fieldsOf(f.Type, prefix+name+".", depth+1) {
			out[k] = true
		}
	}
	return out
}
