package sse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func all(t testing.TB, r io.Reader) (out []string, err error) {
	t.Helper()
	for events := NewReader(r); ; {
		e, err := events.Next()
		if err != nil {
			return out, err
		}
		s := fmt.Sprintf("%s|%s|%s", e.Type, e.ID, e.Data)
		if e.Cut {
			s += "|cut"
		}
		out = append(out, s)
	}
}

func TestEvents(t *testing.T) {
	cases := map[string]struct {
		in   string
		want []string
	}{
		"plain":         {"data: a\n\ndata: b\n\n", []string{"||a", "||b"}},
		"crlf":          {"data: a\r\n\r\ndata: b\r\n\r\n", []string{"||a", "||b"}},
		"cr":            {"data: a\r\rdata: b\r\r", []string{"||a", "||b"}},
		"mixed_ends":    {"data: a\r\n\ndata: b\r\r\ndata: c\n\r", []string{"||a", "||b", "||c"}},
		"multi_line":    {"data: a\ndata:\ndata:  b\n\n", []string{"||a\n\n b"}},
		"comments":      {": ping\n\n:\ndata: a\n: x\n\n", []string{"||a"}},
		"type_and_id":   {"event: e\nid: 7\ndata: a\n\ndata: b\n\n", []string{"e|7|a", "|7|b"}},
		"no_data":       {"event: e\n\ndata: a\n\n", []string{"||a"}},
		"empty_data":    {"data\n\ndata:\n\n", []string{"||", "||"}},
		"unknown_field": {"retry: 5\nfoo: bar\ndata: a\n\n", []string{"||a"}},
		"mark":          {"\ufeffdata: a\n\n", []string{"||a"}},
		"utf8":          {"data: žluťoučký 🐎\n\n", []string{"||žluťoučký 🐎"}},
		"not_utf8":      {"data: a\xffb\n\n", []string{"||a\ufffdb"}},
		"no_newline":    {"data: a\n\ndata: [DONE]", []string{"||a", "||[DONE]|cut"}},
		"no_empty_line": {"data: a\n", []string{"||a|cut"}},
		"colon_in_data": {"data:a: b\n\n", []string{"||a: b"}},
		"empty":         {"", nil},
		"only_newlines": {"\n\r\n\r", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"whole":  strings.NewReader(c.in),
				"bytes":  iotest.OneByteReader(strings.NewReader(c.in)),
				"dataer": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := all(t, r)
				if err != io.EOF || strings.Join(got, "\n") != strings.Join(c.want, "\n") {
					t.Errorf("%s: %q %v, want %q", how, got, err, c.want)
				}
			}
		})
	}
}

func TestCutByAnError(t *testing.T) {
	gone := errors.New("gone")
	got, err := all(t, io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(gone)))
	if !errors.Is(err, gone) || len(got) != 1 {
		t.Fatal(got, err)
	}
}

func TestTooLong(t *testing.T) {
	for name, in := range map[string]string{
		"line":  "data: " + strings.Repeat("x", MaxEvent+100_000),
		"event": strings.Repeat("data: "+strings.Repeat("x", 1<<20)+"\n", 9),
	} {
		if _, err := all(t, strings.NewReader(in)); err != ErrTooLong {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// An event is there as soon as its empty line is, also when that ends with a CR.
func TestDoesNotWaitForMore(t *testing.T) {
	pr, pw := io.Pipe()
	defer pw.Close()
	go io.WriteString(pw, "data: a\r\r")
	if e, err := NewReader(pr).Next(); err != nil || e.Data != "a" {
		t.Fatal(e, err)
	}
}

// However a stream is cut into pieces, the events are the same.
func FuzzPieces(f *testing.F) {
	f.Add("data: a\r\n\r\n: c\ndata: b\ndata: c\n\nevent: x\rdata\r\r")
	f.Add("\ufeffid: 1\ndata: ž\n\ndata: cut")
	f.Fuzz(func(t *testing.T, in string) {
		a, errA := all(t, strings.NewReader(in))
		b, errB := all(t, iotest.OneByteReader(strings.NewReader(in)))
		if errA != errB || strings.Join(a, "\x00") != strings.Join(b, "\x00") {
			t.Fatalf("%q %v\n%q %v", a, errA, b, errB)
		}
	})
}
