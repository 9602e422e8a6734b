package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mockmodel"
)

// frameworks is where make frameworks puts the bundled apps.
var frameworks = filepath.Join("..", "..", "testdata", "frameworks", "dist")

// newApp starts wb on one of the bundled apps, with a model that plays book.
func newApp(t *testing.T, app, book string) *engineBench {
	t.Helper()
	if _, err := os.Stat(filepath.Join(frameworks, app+".html")); err != nil {
		t.Fatalf("%v: run make frameworks first", err)
	}
	b := &engineBench{t: t, run: newID()}
	srv := httptest.NewServer(http.FileServer(http.Dir(frameworks)))
	t.Cleanup(srv.Close)
	rules, err := mockmodel.Parse([]byte(book))
	if err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(mockmodel.New(rules))
	t.Cleanup(model.Close)
	cfg := testConfig(t)
	cfg.Provider, cfg.Providers = "mock", map[string]ModelEntry{"mock": {Family: "openai", BaseURL: model.URL + "/v1", Model: "m"}}
	b.begin(cfg, srv.URL+"/"+app+".html")
	return b
}

// begin builds wb and opens the page.
func (b *engineBench) begin(cfg *Config, url string) {
	b.t.Helper()
	needBrowser(b.t)
	a, err := build(b.t.Context(), cfg, parts{})
	if err != nil {
		b.t.Fatal(err)
	}
	b.app, b.url = a, url
	b.t.Cleanup(a.close)
	if err := a.beginRun(b.t.Context(), b.run, ports.Call{}, agent.Task{Goal: "practise", URL: url}); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { a.endRun(b.run) })
	b.call("browser.nav", map[string]any{"url": url})
}

// state is what the app itself holds.
func (b *engineBench) state() (s map[string]any) {
	b.t.Helper()
	tab, _, err := b.browser.Page(b.t.Context(), b.run, "")
	if err != nil {
		b.t.Fatal(err)
	}
	raw, err := tab.(ports.Evaluator).Eval(b.t.Context(), "f0", "window.appState")
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

const (
	tasks = `{kind: list_count_delta, role: list, name: Tasks, delta: `
)

func press1(ref, expect string) []string {
	return ask(`{tool: click_ax, args: {ref_id: '{{ref ` + ref + `}}', expect: [` + expect + `]}}`)
}

func fill1(ref, text string) []string {
	return ask(`{tool: set_field, args: {ref_id: '{{ref ` + ref + `}}', text: '` + text + `'}}`)
}

func exists(role, name string) string {
	return `{kind: element_exists, role: ` + role + `, name: '` + name + `'}`
}

// A list of tasks in six frameworks, worked by the same playbook: add two, edit one, complete the other, show
// what is left. The app's own state says what became of it.
func TestFrameworks(t *testing.T) {
	playbook := book(
		fill1(`role="textbox" name="New task"`, "Milk"), press1(`role="button" name="Add"`, tasks+`1}`),
		ask(`{tool: set_field, args: {ref_id: '{{ref role="textbox" name="New task"}}', text: Bread, submit: true, expect: [`+tasks+`1}]}}`),
		press1(`role="clickable" name="Edit Milk"`, exists("textbox", "Edit task")),
		fill1(`role="textbox" name="Edit task"`, "Oat milk"), press1(`role="button" name="Save"`, exists("checkbox", "Complete Oat milk")),
		ask(`{tool: set_checked, args: {ref_id: '{{ref role="checkbox" name="Complete Bread"}}', checked: true}}`),
		press1(`role="button" name="Active"`, `{kind: element_gone, role: checkbox, name: Complete Bread}`),
		ask(`{tool: done, args: {summary: Oat milk is left, evidence: [`+exists("checkbox", "Complete Oat milk")+`, {kind: element_gone, role: checkbox, name: Complete Bread}]}}`))
	want := map[string]any{"filter": "Active", "items": []any{map[string]any{"text": "Oat milk", "done": false}, map[string]any{"text": "Bread", "done": true}}}
	for _, app := range []string{"react", "vue", "svelte", "preact", "lit", "jquery"} {
		t.Run(app, func(t *testing.T) {
			t.Parallel()
			b := newApp(t, app, playbook)
			d := b.do("page_act", obj{"goal": "Add Milk and Bread, make Milk Oat milk, complete Bread and show what is active"})
			if d.Verdict != ports.VerdictDone {
				t.Errorf("%s: %s", d.Verdict, d.Reason)
			}
			if diff := cmp.Diff(want, b.state()); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

// Widgets of component libraries, worked as a person works them: open, choose, type ahead, pick several,
// cascade, pick a date. The app's own state says what was chosen.
func TestWidgets(t *testing.T) {
	open := func(role, name, then string) []string { return press1(`role="`+role+`" name="`+name+`"`, then) }
	option := func(name string) string { return exists("option", name) }
	tests := map[string]struct {
		turns [][]string
		want  map[string]any
	}{
		"antd": {[][]string{
			fill1(`role="combobox" name="Town"`, "Prague"),
			fill1(`role="combobox" name="Tags"`, "red"), fill1(`role="combobox" name="Tags"`, "blue"),
			fill1(`role="combobox" name="Place"`, "Guangdong / Shenzhen"),
			fill1(`role="textbox" name="Date"`, "2026-11-17"),
			ask(`{tool: press_keys, args: {key: Tab, expect: [{kind: element_state, selector: '#date', state: focused, value: false}]}}`),
		}, map[string]any{"town": "Prague", "tags": []any{"red", "blue"}, "place": []any{"guangdong", "shenzhen"}, "date": "2026-11-17"}},
		"mui": {[][]string{
			fill1(`role="textbox" name="Name"`, "Ada"), fill1(`role="combobox" name="Size"`, "Medium"), fill1(`role="combobox" name="Town"`, "Bergen"),
			fill1(`role="combobox" name="Tags"`, "red"), fill1(`role="combobox" name="Tags"`, "blue"), fill1(`role="slider" name="Volume"`, "55"),
			ask(`{tool: set_checked, args: {ref_id: '{{ref role="checkbox" name="Newsletter"}}', checked: true}}`),
			ask(`{tool: set_checked, args: {ref_id: '{{ref role="switch" name="Dark"}}', checked: true}}`),
		}, map[string]any{"name": "Ada", "size": "Medium", "town": "Bergen", "tags": []any{"red", "blue"}, "volume": 55.0, "news": true, "dark": true}},
		"reactselect": {[][]string{
			fill1(`role="combobox" name="Town"`, "Bergen"), fill1(`role="combobox" name="Tags"`, "red"), fill1(`role="combobox" name="Tags"`, "blue"),
			open("combobox", "Brand", option("Acme")), open("option", "Acme", `{kind: element_gone, role: option, name: Acme}`),
		}, map[string]any{"town": "Bergen", "tags": []any{"red", "blue"}, "made": "Acme"}},
		"flatpickr": {[][]string{
			open("textbox", "Date", `{kind: element_state, selector: '.flatpickr-calendar.open', state: visible}`),
			ask(`{tool: click, args: {selector: '.flatpickr-calendar.open .flatpickr-day[aria-label="November 17, 2026"]', expect: [{kind: value_equals, role: textbox, name: Date, expected: '2026-11-17'}]}}`),
		}, map[string]any{"date": "2026-11-17", "range": ""}},
		"elementplus": {[][]string{
			ask(`{tool: click, args: {selector: '.el-select', index: 0, expect: [{kind: text_present, text: Medium}]}}`), ask(`{tool: click, args: {text: Medium, expect: [{kind: text_present, text: Medium, newly: false}]}}`),
			ask(`{tool: set_checked, args: {ref_id: '{{ref role="switch" name="Notify"}}', checked: true}}`),
			ask(`{tool: set_field, args: {ref_id: '{{ref role="combobox" name="Date"}}', text: '2026-11-17', submit: true}}`),
		}, map[string]any{"size": "Medium", "tags": []any{}, "place": []any{}, "date": "2026-11-17", "on": true}},
	}
	for app, tt := range tests {
		t.Run(app, func(t *testing.T) {
			t.Parallel()
			turns := append(tt.turns, ask(`{tool: done, args: {summary: chosen, evidence: [{kind: element_exists, role: heading}]}}`))
			b := newApp(t, app, book(turns...))
			d := b.do("page_act", obj{"goal": "Choose in every field"})
			for i, s := range d.Steps {
				if s.Verdict != ports.VerdictDone {
					t.Errorf("step %d, %s %s: %s (%s)", i+1, s.Tool, s.Args, s.Verdict, s.Reason)
				}
			}
			if diff := cmp.Diff(tt.want, b.state()); diff != "" {
				t.Errorf("%s: state (-want +got):\n%s", d.Reason, diff)
			}
		})
	}
}
