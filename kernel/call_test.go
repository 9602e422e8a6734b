package kernel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// scriptedJournal remembers what it was told, and fails where a test says so.
type scriptedJournal struct {
	begun, ended []string
	beginErr     error
}

func (j *scriptedJournal) Begin(_ context.Context, c ports.Call) (ports.Call, End, error) {
	if j.beginErr != nil {
		return c, nil, j.beginErr
	}
	c.ID = fmt.Sprintf("c%d", len(j.begun)+1)
	j.begun = append(j.begun, c.Tool)
	return c, func(panicked any, res ports.Result, err error) (ports.Result, error) {
		if panicked != nil {
			err = &ports.Error{Code: ports.CodeCrashed, Msg: fmt.Sprint(panicked)}
		}
		j.ended = append(j.ended, c.Tool+":"+ports.CodeOf(err))
		return res, err
	}, nil
}

// scriptedGuard refuses the tools it names.
type scriptedGuard map[string]error

func (g scriptedGuard) Allow(_ context.Context, s ports.Spec, _ ports.Call) error { return g[s.Name] }

func TestCallRecordsWhateverHappens(t *testing.T) {
	refusal := ports.NewError(ports.CodeRefused, "no", "ask")
	tests := map[string]struct {
		tool, args string
		wantCode   string
		wantRan    bool
	}{
		"runs":         {"good", `{"n":1}`, "", true},
		"unknown tool": {"goood", `{}`, ports.CodeUnknownTool, false},
		"bad args":     {"good", `{"n":"x"}`, ports.CodeInvalidArgs, false},
		"not JSON":     {"good", `{`, ports.CodeInvalidArgs, false},
		"refused":      {"forbidden", `{}`, ports.CodeRefused, false},
		"panics":       {"bomb", `{}`, ports.CodeCrashed, true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			ran := false
			var reg Registry
			add := func(n string, f ports.CallFunc) {
				s := ports.Spec{Name: n, Risk: ports.RiskRead, Input: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
				if err := reg.Add("test", Func(s, func(ctx context.Context, c ports.Call) (ports.Result, error) { ran = true; return f(ctx, c) })); err != nil {
					t.Fatal(err)
				}
			}
			ok := func(_ context.Context, c ports.Call) (ports.Result, error) { return ports.TextResult(c.ID), nil }
			add("good", ok)
			add("forbidden", ok)
			add("bomb", func(context.Context, ports.Call) (ports.Result, error) { panic("boom") })
			j := &scriptedJournal{}
			_, err := New(j, scriptedGuard{"forbidden": refusal}, &reg).Call(t.Context(), ports.Call{Tool: tt.tool, Args: json.RawMessage(tt.args)})
			if got := ports.CodeOf(err); got != tt.wantCode {
				t.Errorf("code %q (%v), want %q", got, err, tt.wantCode)
			}
			if ran != tt.wantRan {
				t.Errorf("ran %v, want %v", ran, tt.wantRan)
			}
			if diff := cmp.Diff([]string{tt.tool + ":" + tt.wantCode}, j.ended); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothingHappensWithoutARecord(t *testing.T) {
	var reg Registry
	ran := false
	if err := reg.Add("test", Func(ports.Spec{Name: "x"}, func(context.Context, ports.Call) (ports.Result, error) {
		ran = true
		return ports.Result{}, nil
	})); err != nil {
		t.Fatal(err)
	}
	full := ports.NewError(ports.CodeStorage, "the disk is full", "make room")
	_, err := New(&scriptedJournal{beginErr: full}, scriptedGuard{}, &reg).Call(t.Context(), ports.Call{Tool: "x"})
	if !errors.Is(err, full) || ran {
		t.Fatalf("err %v, ran %v; want the storage error and no run", err, ran)
	}
}

// Models write null for "absent" and encode values twice; the schema decides what was meant.
func TestArgumentsAreMended(t *testing.T) {
	schema := `{"type":"object","required":["ref"],"additionalProperties":false,"properties":{"ref":{"type":"string"},
"n":{"type":"integer"},"on":{"type":"boolean"},"list":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"k":{"type":"string"}}},"maybe":{"type":["string","null"]}}}`
	tests := map[string]struct{ in, want, wantErr string }{
		"as it is":          {`{"ref":"e1","n":3}`, `{"ref":"e1","n":3}`, ""},
		"nulls":             {`{"ref":"e1","n":null,"on":null}`, `{"ref":"e1"}`, ""},
		"a null that means": {`{"ref":"e1","maybe":null}`, `{"ref":"e1","maybe":null}`, ""},
		"number in string":  {`{"ref":"e1","n":"3"}`, `{"n":3,"ref":"e1"}`, ""},
		"bool in string":    {`{"ref":"e1","on":"true"}`, `{"on":true,"ref":"e1"}`, ""},
		"list in string":    {`{"ref":"e1","list":"[1,2]"}`, `{"list":[1,2],"ref":"e1"}`, ""},
		"object in string":  {`{"ref":"e1","o":"{\"k\":\"v\"}"}`, `{"o":{"k":"v"},"ref":"e1"}`, ""},
		"whole in string":   {`"{\"ref\":\"e1\"}"`, `{"ref":"e1"}`, ""},
		"digits stay text":  {`{"ref":"7"}`, `{"ref":"7"}`, ""},
		"missing":           {`{"n":1}`, "", "ref"},
		"unknown":           {`{"ref":"e1","reff":"x"}`, "", "reff"},
		"two faults":        {`{"n":"x","on":"y"}`, "", "/on"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			compiled, root, err := compile("t", json.RawMessage(schema))
			if err != nil {
				t.Fatal(err)
			}
			got, err := (&tool{spec: ports.Spec{Name: "set_thing"}, schema: compiled, root: root}).check(json.RawMessage(tt.in))
			if tt.wantErr != "" {
				if ports.CodeOf(err) != ports.CodeInvalidArgs || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("got %s, %v; want an error naming %q", got, err, tt.wantErr)
				}
				return
			}
			if err != nil || string(got) != tt.want {
				t.Fatalf("got %s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func FuzzArguments(f *testing.F) {
	f.Add([]byte(`{"ref":"e1","n":"3","list":"[1]"}`))
	f.Add([]byte(`"{\"ref\":null}"`))
	compiled, root, err := compile("t", json.RawMessage(`{"type":"object","properties":{"ref":{"type":"string"},"list":{"type":"array","items":{"type":"object"}}}}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		tl := &tool{spec: ports.Spec{Name: "x"}, schema: compiled, root: root}
		out, err := tl.check(in)
		if err != nil {
			return
		}
		if again, err := tl.check(out); err != nil || string(again) != string(out) {
			t.Fatalf("checked %q to %q, and that to %q, %v", in, out, again, err)
		}
	})
}

func TestRegistryKeepsNamesApart(t *testing.T) {
	var reg Registry
	tool := func(name string) ports.Tool {
		return Func(ports.Spec{Name: name}, func(context.Context, ports.Call) (ports.Result, error) { return ports.Result{}, nil })
	}
	for _, tt := range []struct {
		owner, name string
		ok          bool
	}{
		{"host", "browser.read", true}, {"page", "click_ax", true}, {"page", "click_ax", true},
		{"evil", "click_ax", false}, {"evil", "browser.read", false}, {"evil", "browser.mine", false}, {"evil", "", false}, {"evil", "a b", false},
	} {
		if err := reg.Add(tt.owner, tool(tt.name)); (err == nil) != tt.ok {
			t.Errorf("%s adds %q: %v, want ok %v", tt.owner, tt.name, err, tt.ok)
		}
	}
	if _, err := reg.find("click_xa"); !strings.Contains(ports.FixOf(err), "click_ax") {
		t.Errorf("fix %q does not name the near tool", ports.FixOf(err))
	}
}
