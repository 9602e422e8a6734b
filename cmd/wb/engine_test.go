package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/testdata/practice"
)

// engineBench is wb in this process beside the practice site.
type engineBench struct {
	*app
	t    *testing.T
	site *practice.Site
	url  string
	run  string
}

// newEngine starts wb with a browser on a page of a new practice site; book is the model's.
func newEngine(t *testing.T, page, book string) *engineBench {
	t.Helper()
	b := &engineBench{t: t, site: practice.New(), run: newID()}
	srv := httptest.NewServer(b.site)
	t.Cleanup(srv.Close)
	cfg := testConfig(t)
	if book != "" {
		rules, err := mockmodel.Parse([]byte(book))
		if err != nil {
			t.Fatal(err)
		}
		model := httptest.NewServer(mockmodel.New(rules))
		t.Cleanup(model.Close)
		cfg.Provider, cfg.Providers = "mock", map[string]ModelEntry{"mock": {Family: "openai", BaseURL: model.URL + "/v1", Model: "m"}}
	}
	b.begin(cfg, srv.URL+page)
	return b
}

func (b *engineBench) call(tool string, args any) ports.Result {
	b.t.Helper()
	res, err := b.kernel.Call(b.t.Context(), ports.Call{Run: b.run, From: ports.FromUser, Mode: ports.ModeAct, Tool: tool, Args: ports.JSON(args)})
	if err != nil {
		b.t.Fatalf("%s: %v", tool, err)
	}
	return res
}

// did is the structured result of page_replay and page_act, as far as tests look at it.
type did struct {
	Verdict  ports.Verdict
	Reason   string
	Answer   string
	Expected []ports.Expected
	Steps    []struct {
		Tool     string
		Target   json.RawMessage
		Args     json.RawMessage
		Verdict  ports.Verdict
		Attempts int
		Reason   string
		Healing  []string
	}
}

func (b *engineBench) do(tool string, args any) (d did) {
	b.t.Helper()
	res := b.call(tool, args)
	if err := json.Unmarshal(res.Data, &d); err != nil {
		b.t.Fatal(err)
	}
	b.t.Log(res.Text())
	return d
}

type obj = map[string]any

func on(role, name string) obj { return obj{"role": role, "name": name} }

func set(name, text string) obj {
	return obj{"tool": "set_field", "target": on("textbox", name), "args": obj{"text": text}}
}

func press(role, name string, expect ...obj) obj {
	return obj{"tool": "click_ax", "target": on(role, name), "expect": append([]obj{}, expect...)}
}

var oneMore = obj{"kind": "list_count_delta", "role": "list", "name": "All customers", "delta": 1}

// customer are the steps that add one.
func customer(name, phone, region string) []obj {
	return []obj{set("Name", name), set("Phone", phone), press("combobox", "Region", obj{"kind": "element_exists", "role": "listbox", "name": "Region"}),
		press("option", region), {"tool": "set_field", "target": on("combobox", "Level"), "args": obj{"text": "Gold"}}, press("button", "Save customer", oneMore)}
}

// A replay believes what the page and the server show: it waits for what comes late, sends again only what
// was refused, and takes neither a message nor a prediction for a success.
func TestReplay(t *testing.T) {
	tests := map[string]struct {
		why      string
		page     string
		steps    []obj
		expect   []obj
		verdict  ports.Verdict
		says     string // in the reason or in a step's healing
		form     string
		saved    int
		requests int
	}{
		"plain": {"every step verified", "/customer.html", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictDone, "", "customer", 3, 1},
		"slow":  {"an answer that takes its time", "/customer.html?inject=slow", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictDone, "", "customer", 3, 1},
		"flaky": {"what the server refused is sent again", "/customer.html?inject=flaky", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictDone, "no_success_signal -> retry_after_refusal", "customer", 3, 2},
		"late": {"an effect after 9 s is waited for, never caused twice", "/customer.html?inject=late", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictDone,
			"no_success_signal -> wait_for_the_outcome", "customer", 3, 1},
		"fake":        {"a message is no customer", "/customer.html?inject=fake", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictUnknown, "expected delta 1 (from 2), but it is delta 0", "customer", 2, 0},
		"double":      {"two customers are not one", "/customer.html?inject=double", customer("Ada Lovelace", "555-1", "South"), []obj{oneMore}, ports.VerdictUnknown, "but it is delta 2", "customer", 4, 2},
		"invalid":     {"the page's own refusal", "/customer.html", append([]obj{set("Name", "Ada")}, press("button", "Save customer", oneMore)), nil, ports.VerdictUnknown, "delta 0", "customer", 2, 0},
		"other name":  {"what is pressed is called exactly so", "/customer.html", []obj{press("button", "Save supplier")}, nil, ports.VerdictNotDone, `button "Save supplier" is not on the page`, "customer", 2, 0},
		"grown label": {"a field's label may have grown", "/longform.html", []obj{{"tool": "set_field", "target": on("textbox", "Invoice"), "args": obj{"text": "INV-1"}}}, nil, ports.VerdictDone, "element_not_found -> relax_grounding", "supplier", 0, 0},
		"far down":    {"a list that loads as it is scrolled", "/list.html", []obj{press("button", "Pick Item C5", obj{"kind": "text_present", "text": "Picked Item C5"})}, nil, ports.VerdictDone, "element_not_found -> probe_scroll", "picked", 1, 1},
		"wizard": {"each step draws the next", "/wizard.html", []obj{set("Guest", "Ada"), press("button", "Next", obj{"kind": "text_present", "text": "Step 2 of 3"}),
			{"tool": "set_field", "target": on("spinbutton", "Nights"), "args": obj{"text": "3"}}, press("button", "Next", obj{"kind": "text_present", "text": "Ada, 3 nights"}),
			press("button", "Book", obj{"kind": "text_present", "text": "Booked for Ada"})}, nil, ports.VerdictDone, "", "booking", 1, 1},
		"in a frame": {"the frame's own button, not its namesake outside", "/frame.html", []obj{
			{"tool": "set_field", "target": obj{"ref": "f1e1", "role": "textbox", "name": "Invoice title"}, "args": obj{"text": "INV-7"}},
			{"tool": "set_field", "target": obj{"ref": "f1e2", "role": "textbox", "name": "Tax number"}, "args": obj{"text": "12345"}},
			{"tool": "click_ax", "target": obj{"ref": "f1e3", "role": "button", "name": "Save"}, "expect": []obj{{"kind": "text_present", "text": "Invoice saved"}}}}, nil, ports.VerdictDone, "", "invoice", 1, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newEngine(t, tt.page, "")
			d := b.do("page_replay", obj{"steps": tt.steps, "expect": tt.expect})
			if d.Verdict != tt.verdict {
				t.Errorf("%s: %s (%s), want %s", tt.why, d.Verdict, d.Reason, tt.verdict)
			}
			healing := ""
			for _, s := range d.Steps {
				healing += strings.Join(s.Healing, "; ")
			}
			if !strings.Contains(d.Reason+healing, tt.says) {
				t.Errorf("%s: said %q and healed by %q, want %q", tt.why, d.Reason, healing, tt.says)
			}
			if n, r := len(b.site.Saved(tt.form)), b.site.Requests(tt.form); n != tt.saved || r != tt.requests {
				t.Errorf("%s: %d saved with %d requests, want %d with %d", tt.why, n, r, tt.saved, tt.requests)
			}
		})
	}
}

// Rows of a batch are replays: a bad row fails alone, and what was fixed can be done again.
func TestReplayBatch(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/customer.html", "")
	row := func(name, phone string) ports.Verdict {
		steps := customer(name, phone, "North")
		if phone == "" {
			steps = append(steps[:1], steps[2:]...)
		}
		return b.do("page_replay", obj{"start_url": b.url, "steps": steps, "expect": []obj{oneMore}}).Verdict
	}
	phones, done := []string{"1", "", "3", "4", "", "6"}, 0
	for i, phone := range phones {
		v := row("Row "+string(rune('A'+i)), phone)
		if (v == ports.VerdictDone) != (phone != "") {
			t.Errorf("row %d with phone %q: %s", i, phone, v)
		}
		if v == ports.VerdictDone {
			done++
		}
	}
	if n := len(b.site.Saved("customer")); n != 2+done || done != 4 {
		t.Errorf("%d of 6 rows done, %d customers saved, want 4 and 6", done, n)
	}
	for _, i := range []int{1, 4} {
		if v := row("Row "+string(rune('A'+i)), "9"); v != ports.VerdictDone {
			t.Errorf("the mended row %d: %s", i, v)
		}
	}
	if n := len(b.site.Saved("customer")); n != 8 {
		t.Errorf("%d customers, want 8", n)
	}
}

// The custom controls are worked as a person works them, and the page's own state says what was chosen.
func TestReplayControls(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/controls.html", "")
	d := b.do("page_replay", obj{"steps": []obj{
		press("combobox", "Department", obj{"kind": "element_exists", "role": "listbox", "name": "Department"}), press("option", "Sales"),
		{"tool": "set_field", "target": on("date", "Start date"), "args": obj{"text": "2026-07-01"}},
		press("combobox", "Place"), press("menuitem", "Guangdong", obj{"kind": "element_exists", "role": "menuitem", "name": "Shenzhen"}), press("menuitem", "Shenzhen"),
		press("combobox", "Tags"), press("option", "promo"), press("option", "new"), press("combobox", "Tags"),
		{"tool": "upload_file", "target": obj{"role": "button", "name": "Contract"}, "args": obj{"name": "contract.pdf", "text": "%PDF-1.4"}}}})
	if d.Verdict != ports.VerdictDone {
		t.Errorf("%s: %s", d.Verdict, d.Reason)
	}
	text := b.call("read_page", obj{}).Text()
	if want := `{"department":"Sales","start":"2026-07-01","place":"Guangdong/Shenzhen","tags":["promo","new"],"file":"contract.pdf"}`; !strings.Contains(text, want) {
		t.Errorf("the page holds %s, want %s", text, want)
	}
}

// What lies below the fold is in the outline, and said to be out of view; a frame's fields are there too.
func TestPracticePerception(t *testing.T) {
	t.Parallel()
	b := newEngine(t, "/longform.html", "")
	outline := b.call("get_accessibility_tree", obj{}).Text()
	if n := strings.Count(outline, "textbox "); n < 16 || !strings.Contains(outline, `textbox "Invoice title" [e`) {
		t.Errorf("%d text fields, want 16 or more, Invoice title among them:\n%s", n, outline)
	}
	var found struct {
		Candidates []struct {
			Ref, Name string
			InView    bool
		}
	}
	res := b.call("browser.read", obj{"op": "find", "args": obj{"role": "textbox", "text": "Remarks"}})
	if err := json.Unmarshal(res.Data, &found); err != nil {
		t.Fatal(err)
	}
	if len(found.Candidates) != 1 || found.Candidates[0].InView {
		t.Errorf("found %+v, want one, out of view", found.Candidates)
	}
	b.call("browser.nav", obj{"url": strings.Replace(b.url, "longform", "frame", 1)})
	if o := b.call("get_accessibility_tree", obj{}).Text(); !strings.Contains(o, `textbox "Invoice title" [f1e`) {
		t.Errorf("the frame's field is not there:\n%s", o)
	}
}
