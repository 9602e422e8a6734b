package journal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
)

func TestReplay(t *testing.T) {
	f := newFixture(nil)
	begin := func(id, parent, tool string) *journal.Record {
		_, rec, err := f.j.Begin(t.Context(), ports.Call{ID: id, Parent: parent, Tool: tool, Run: "r"})
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	finish := func(r *journal.Record, err error) {
		_, _ = r.End(nil, ports.Result{}, err) // the journal passes the call's own error on
	}
	one := begin("1", "", "click")
	finish(begin("1.1", "1", "read"), nil)
	finish(begin("1.2", "1", "act"), ports.NewError(ports.CodeUnknown, "contact lost", ""))
	finish(one, nil)
	begin("2", "elsewhere", "click")
	begin("2.1", "2", "read")
	for i := range 1100 { // more than a page
		finish(begin(fmt.Sprint("x", i), "2", "read"), nil)
	}
	roots, err := journal.Replay(t.Context(), f, "r")
	if err != nil || len(roots) != 2 || len(roots[0].Children) != 2 || len(roots[1].Children) != 1101 {
		t.Fatalf("got %d roots, %v", len(roots), err)
	}
	for _, tt := range []struct {
		n        *journal.Node
		finished bool
		next     journal.Next
	}{
		{roots[0], true, journal.NextReuse}, {roots[0].Children[0], true, journal.NextReuse}, {roots[0].Children[1], true, journal.NextAsk},
		{roots[1], false, journal.NextAsk}, {roots[1].Children[0], false, journal.NextRedo},
	} {
		if tt.n.Finished() != tt.finished || tt.n.Next() != tt.next {
			t.Errorf("%s: finished %v, next %s", tt.n.ID, tt.n.Finished(), tt.n.Next())
		}
	}
	var open []string
	for _, n := range journal.Unfinished(roots) {
		open = append(open, n.ID)
	}
	if got := strings.Join(open, " "); got != "2 2.1" {
		t.Errorf("unfinished: %s", got)
	}
}

func TestResultOf(t *testing.T) {
	f := newFixture(nil)
	want := ports.Result{
		Content: []ports.Content{{Type: "text", Text: strings.Repeat("long ", 10_000)}, {Type: "image", MIME: "image/png", Data: []byte{1, 2, 3}}},
		Data:    json.RawMessage(`{"n":1}`), IsError: true,
	}
	args := json.RawMessage(`{"text":"` + strings.Repeat("a", 40_000) + `"}`)
	_, rec, err := f.j.Begin(t.Context(), ports.Call{Tool: "read", Run: "r", Args: args})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rec.End(nil, want, nil); err != nil {
		t.Fatal(err)
	}
	stored := f.last(t)
	if stored.ResultBlob == "" || stored.ArgsBlob == "" {
		t.Errorf("large values lie in the row: %+v", stored.ResultBlob)
	}
	got, err := journal.ResultOf(t.Context(), f, stored)
	if err != nil || len(got.Content) != 2 || got.Content[0].Text != want.Content[0].Text ||
		!bytes.Equal(got.Content[1].Data, []byte{1, 2, 3}) || string(got.Data) != `{"n":1}` || !got.IsError {
		t.Errorf("got %v", err)
	}
	if back, err := journal.ArgsOf(t.Context(), f, stored); err != nil || !bytes.Equal(back, args) {
		t.Errorf("args: %d bytes, %v", len(back), err)
	}
	if res, err := journal.ResultOf(t.Context(), f, ports.Record{}); err != nil || len(res.Content) != 0 {
		t.Errorf("an unfinished call: %+v, %v", res, err)
	}
}

func TestHugeResultIsCut(t *testing.T) {
	f := newFixture(nil)
	huge := strings.Repeat("page text ", 10<<20) // 100 MB
	_, rec, err := f.j.Begin(t.Context(), ports.Call{Tool: "read", Run: "r", Args: json.RawMessage(`"` + huge[:5<<20] + `"`)})
	if err != nil {
		t.Fatal(err)
	}
	res, err := rec.End(nil, ports.Result{
		Content: []ports.Content{{Type: "text", Text: huge}, {Type: "resource", Data: make([]byte, 17<<20)}},
		Data:    json.RawMessage(`"` + huge[:5<<20] + `"`),
	}, nil)
	if err != nil || len(res.Content[0].Text) != len(huge) {
		t.Fatalf("the caller gets all of it: %d bytes, %v", len(res.Content[0].Text), err)
	}
	stored := f.last(t)
	got, err := journal.ResultOf(t.Context(), f, stored)
	if err != nil || len(got.Content[0].Text) > 300<<10 || !strings.HasSuffix(got.Content[0].Text, "[104857600 bytes in all, the rest is not kept]") ||
		got.Content[1].Data != nil || !strings.Contains(string(got.Data), `"bytes":5242882`) || !strings.Contains(string(stored.Args), "not_kept") {
		t.Errorf("kept %d bytes, data %s, args %s, %v", len(got.Content[0].Text), got.Data, stored.Args, err)
	}
}
