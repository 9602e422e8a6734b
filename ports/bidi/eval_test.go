package bidi

import (
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestEval(t *testing.T) {
	b := launch(t)
	tab, err := b.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ code, want string }{
		{"1+1 // two", "2"},
		{"({a:[1,null,'é']})", `{"a":[1,null,"é"]}`},
		{"await new Promise(r=>setTimeout(()=>r('late'),20))", `"late"`},
		{"Promise.resolve(4)", "4"},
		{"var x=5; x+1", "6"},
		{"x=7; await null; globalThis.y=x", "null"},
		{"y", "7"},
		{"var z='😀\a'; z.length", "3"},
		{"undefined", "null"},
		{`"\x07"`, `"\u0007"`},
	} {
		got, err := tab.(ports.Evaluator).Eval(t.Context(), "f0", c.code)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s %v, want %s", c.code, got, err, c.want)
		}
	}
	for _, code := range []string{"throw 1", "nosuch", "Promise.reject(new SyntaxError('no'))", "(", "await (", "await Promise.reject()", "window"} {
		if _, err := tab.(ports.Evaluator).Eval(t.Context(), "f0", code); ports.CodeOf(err) != ports.CodeInvalidArgs {
			t.Errorf("%s: %v", code, err)
		}
	}
}
