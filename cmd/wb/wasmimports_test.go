package main

import (
	"slices"
	"testing"
)

// strange is a module that imports a function that no host of ours has.
const strange = "\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x02\x0c\x01\x03env\x04evil\x00\x00"

func TestWasmImports(t *testing.T) {
	all := "\x00asm\x01\x00\x00\x00" + "\x02\x24\x05" + "\x01a\x01f\x00\x00" + "\x01a\x01t\x01\x70\x01\x01\x02" + "\x01a\x01m\x02\x00\x01" + "\x01a\x01g\x03\x7f\x01" + "\x01a\x01f\x00\x01"
	for _, c := range []struct {
		name, bin string
		want      []string
		bad       bool
	}{
		{"strange", strange, []string{"env.evil"}, false},
		{"every kind", all, []string{"a.f", "a.g", "a.m", "a.t"}, false},
		{"none", strange[:14], nil, false},
		{"cut", strange[:20], nil, true},
		{"text", "hello", nil, true},
		{"long length", "\x00asm\x01\x00\x00\x00\x02\xff\xff\xff\xff\x0f", nil, true},
	} {
		got, err := wasmImports([]byte(c.bin))
		if !slices.Equal(got, c.want) || (err != nil) != c.bad {
			t.Errorf("%s: %v %v", c.name, got, err)
		}
	}
}

func FuzzWasmImports(f *testing.F) {
	f.Add([]byte(strange))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = wasmImports(b) })
}
