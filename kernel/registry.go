package kernel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wb-agent/wb/ports"
)

// Registry is the live table of tools. The zero value is ready; it is safe for concurrent use.
type Registry struct {
	mu    sync.RWMutex
	tools map[string]*tool
}

// tool is a registered tool with its schema compiled once.
type tool struct {
	spec   ports.Spec
	run    ports.Caller
	schema *jsonschema.Schema
	root   map[string]any // the decoded schema, for repairing arguments
}

// Add registers a tool for an owner ("host", "kernel" or a plugin's id). A name that another owner has
// taken, a name that is not one, and a schema that does not compile are errors; a tool of the same owner
// is replaced.
func (r *Registry) Add(owner string, t ports.Tool) error {
	s := t.Spec()
	s.Owner = owner
	if err := checkName(s, owner); err != nil {
		return err
	}
	if len(s.Input) == 0 {
		s.Input = json.RawMessage(`{"type":"object"}`)
	}
	compiled, root, err := compile(s.Name, s.Input)
	if err != nil {
		return fmt.Errorf("tool %s: %w", s.Name, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.tools[s.Name]; old != nil && old.spec.Owner != owner {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("tool %s: %s offers it already", s.Name, old.spec.Owner),
			"remove one of the two plugins")
	}
	if r.tools == nil {
		r.tools = map[string]*tool{}
	}
	r.tools[s.Name] = &tool{spec: s, run: t, schema: compiled, root: root}
	return nil
}

// checkName keeps the two vocabularies apart: only the host and the kernel may offer dotted names.
func checkName(s ports.Spec, owner string) error {
	bad := s.Name == "" || len(s.Name) > 64 || strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") != ""
	if bad {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %q is not a tool name", owner, s.Name),
			"use 1 to 64 letters, digits, _ and -")
	}
	if s.Primitive() && owner != ownerHost && owner != ownerKernel {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s: %s: dotted names belong to the host", owner, s.Name),
			"use underscores")
	}
	return nil
}

const (
	ownerHost   = "host"
	ownerKernel = "kernel"
)

// Drop removes all tools of an owner.
func (r *Registry) Drop(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, t := range r.tools {
		if t.spec.Owner == owner {
			delete(r.tools, name)
		}
	}
}

// Specs lists what is registered, by name.
func (r *Registry) Specs() []ports.Spec {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]ports.Spec, 0, len(r.tools))
	for _, t := range r.tools {
		out = append(out, t.spec)
	}
	slices.SortFunc(out, func(a, b ports.Spec) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Spec returns one tool's description.
func (r *Registry) Spec(name string) (ports.Spec, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t := r.tools[name]
	if t == nil {
		return ports.Spec{}, false
	}
	return t.spec, true
}

// Mutates reports whether a call of the named tool may change the world; an unknown one runs nothing.
func (r *Registry) Mutates(name string) bool {
	s, ok := r.Spec(name)
	return ok && s.Mutates()
}

func (r *Registry) find(name string) (*tool, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if t := r.tools[name]; t != nil {
		return t, nil
	}
	names := make([]string, 0, len(r.tools))
	for n := range r.tools {
		names = append(names, n)
	}
	fix := "`wb tools` lists what there is"
	if near := nearest(name, names); near != "" {
		fix = "did you mean " + near + "?"
	}
	return nil, ports.NewError(ports.CodeUnknownTool, fmt.Sprintf("no tool %q", name), fix)
}

// compile turns a JSON Schema into a validator. Remote references are not loaded.
func compile(name string, schema json.RawMessage) (*jsonschema.Schema, map[string]any, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("schema: not an object")
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	where := "tool:///" + name
	if err := c.AddResource(where, doc); err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile(where)
	if err != nil {
		return nil, nil, fmt.Errorf("schema: %w", err)
	}
	return s, root, nil
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) { return nil, fmt.Errorf("%s is not loaded", url) }

// Validator compiles a schema and returns what checks a JSON value against it.
func Validator(schema json.RawMessage) (func(value json.RawMessage) error, error) {
	s, _, err := compile("value", schema)
	if err != nil {
		return nil, err
	}
	return func(value json.RawMessage) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
		if err != nil {
			return err
		}
		return s.Validate(v)
	}, nil
}

// Func makes a tool of a spec and a function.
func Func(s ports.Spec, f func(ctx context.Context, c ports.Call) (ports.Result, error)) ports.Tool {
	return funcTool{s, f}
}

type funcTool struct {
	spec ports.Spec
	ports.CallFunc
}

func (t funcTool) Spec() ports.Spec { return t.spec }
