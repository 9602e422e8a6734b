package cdp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

const rows = `<ul>%s</ul>`

// page opens a document in a fresh tab and returns a way to ask it.
func page0(t *testing.T, b *Browser, html string) (ports.Tab, func(op, args string) map[string]any) {
	t.Helper()
	tb, err := b.Open(t.Context(), "about:blank")
	if err != nil {
		t.Fatal(err)
	}
	run(t, tb, "document.body.innerHTML = "+quoteJS(html))
	return tb, func(op, args string) map[string]any {
		t.Helper()
		raw, err := tb.Read(t.Context(), "f0", op, json.RawMessage(args))
		if err != nil {
			t.Fatalf("%s %s: %v", op, args, err)
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
}

func quoteJS(s string) string { b, _ := json.Marshal(s); return string(b) }

func run(t *testing.T, tb ports.Tab, code string) {
	t.Helper()
	if _, err := tb.(ports.Evaluator).Eval(t.Context(), "f0", code); err != nil {
		t.Fatal(err)
	}
}

func firstRef(m map[string]any) string {
	list, _ := m["candidates"].([]any)
	if len(list) == 0 {
		return ""
	}
	return list[0].(map[string]any)["ref"].(string)
}

// TestRefsOfRemadeElements lets a framework make its nodes anew.
func TestRefsOfRemadeElements(t *testing.T) {
	b := launch(t)
	tb, ask := page0(t, b, `<div id=r><button>Save</button><button aria-label="Delete Alice">x</button></div>`)
	save, alice := firstRef(ask("find", `{"text":"Save"}`)), firstRef(ask("find", `{"text":"Delete Alice"}`))
	run(t, tb, `r.innerHTML = '<p>new</p><button>Save</button><button aria-label="Delete Bob">x</button>'`)
	if f := ask("element", fmt.Sprintf(`{"ref":%q}`, save)); f["name"] != "Save" {
		t.Errorf("the remade element was not found: %v", f)
	}
	_, err := tb.Read(t.Context(), "f0", "element", json.RawMessage(fmt.Sprintf(`{"ref":%q}`, alice)))
	if ports.CodeOf(err) != ports.CodeStaleRef || !strings.Contains(ports.FixOf(err), "Delete Bob") {
		t.Errorf("Bob stands for Alice: %v (%s)", err, ports.FixOf(err))
	}
	run(t, tb, `r.innerHTML = '<button>Save</button><i></i><button>Save</button>'`)
	_, err = tb.Read(t.Context(), "f0", "element", json.RawMessage(fmt.Sprintf(`{"ref":%q}`, save)))
	if ports.CodeOf(err) != ports.CodeStaleRef {
		t.Errorf("one of two was chosen: %v", err)
	}
}

// TestHostileFacts asks for the facts of a form that shadows its own properties.
func TestHostileFacts(t *testing.T) {
	b := launch(t)
	tb, ask := page0(t, b, `<form action="https://evil.test/take" method=post><input name=action value="https://good.test"><input name=method value=get><input name=elements><input name=target><button>Send</button></form>`)
	f := ask("element", fmt.Sprintf(`{"ref":%q}`, firstRef(ask("find", `{"text":"Send"}`))))
	form, _ := f["form"].(map[string]any)
	if form["action"] != "https://evil.test/take" || form["method"] != "post" || f["submits"] != true {
		t.Errorf("facts %v", f)
	}
	run(t, tb, `void Object.defineProperty(globalThis, '__wb', {value: {call: () => '{"ok":"LIE"}'}})`)
	if m := ask("state", `{}`); m["readyState"] == nil {
		t.Errorf("the page answered for the script: %v", m)
	}
}

// TestSecretsStayInThePage looks for a password in everything that can be asked.
func TestSecretsStayInThePage(t *testing.T) {
	b := launch(t)
	tb, ask := page0(t, b, `<form><label>Password <input id=p type=password value="hunter2hunter2"></label><input id=o autocomplete=one-time-code value="918273">
<label>Number <input value="4111 1111 1111 1111"></label><label>Security code <input value="771"></label><label>Telephone <input value="4111 1111 1111 1112"></label>
<div>`+strings.Repeat(`<span><input maxlength=1 inputmode=numeric value=7></span>`, 6)+`</div><button>Code <input autocomplete=cc-csc value=773></button></form>`)
	run(t, tb, `p.type = 'text'`) // as a "show password" button does, after a look
	run(t, tb, `p.type = 'password'`)
	ask("snapshot", `{}`)
	run(t, tb, `p.type = 'text'`)
	ref := firstRef(ask("selector", `{"css":"#p"}`))
	token := ask("baseline", `{}`)["token"]
	if _, err := tb.Act(t.Context(), "f0", "fill", json.RawMessage(fmt.Sprintf(`{"ref":%q,"text":"hunter3hunter3"}`, ref))); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"snapshot", `{"include_hidden":true}`}, {"text", `{}`}, {"state", `{}`}, {"element", fmt.Sprintf(`{"ref":%q}`, ref)}, {"selector", `{"css":"input"}`}, {"focus", `{}`}, {"find", `{}`}, {"extract", `{"type":"links"}`},
		{"settle", fmt.Sprintf(`{"since":%q}`, token)}, {"check", fmt.Sprintf(`{"conditions":[{"kind":"value_equals","ref":%q,"expected":"hunter3hunter3"},{"kind":"attribute_equals","ref":%q,"attribute":"value","expected":"x"}]}`, ref, ref)},
	} {
		raw, err := tb.Read(t.Context(), "f0", c[0], json.RawMessage(c[1]))
		if err != nil {
			t.Fatal(c[0], err)
		}
		said := strings.ReplaceAll(string(raw), `"expected":"hunter3hunter3"`, "") // the caller's own words
		if c[0] == "snapshot" && !strings.Contains(said, "4111 1111 1111 1112") {
			t.Error("a telephone number is hidden")
		}
		if regexp.MustCompile(`hunter|918273|4111 1111 1111 1111|771|773|"7"|7 7`).MatchString(said) {
			t.Errorf("%s gives a secret away: %s", c[0], raw)
		}
	}
}

// TestCoveredFrame lays a sheet of the page over a frame of another document.
func TestCoveredFrame(t *testing.T) {
	b := launch(t)
	tb, ask := page0(t, b, `<iframe id=f title=Inner style="width:300px;height:200px" srcdoc="<button onclick='this.textContent=&quot;done&quot;'>Go</button>"></iframe><div id=sheet aria-label="Sheet" role=button style="position:fixed;inset:0;background:#eee8"></div>`)
	_ = ask("snapshot", `{}`)
	var ref string
	for ref == "" {
		frames, err := tb.Frames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) < 2 {
			continue
		}
		raw, err := tb.Read(t.Context(), frames[1].ID, "selector", json.RawMessage(`{"css":"button"}`))
		if err != nil {
			t.Fatal(err)
		}
		var m map[string]any
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		ref = firstRef(m)
	}
	r, err := tb.Input(t.Context(), ports.Input{Kind: "click", Ref: ref})
	if ports.CodeOf(err) != ports.CodeNotActionable || !r.Hit.Covered || r.Hit.Name != "Sheet" {
		t.Errorf("covered: %+v %v", r, err)
	}
	run(t, tb, `sheet.remove()`)
	if r, err = tb.Input(t.Context(), ports.Input{Kind: "click", Ref: ref}); err != nil || r.Hit.Name != "Go" {
		t.Errorf("free: %+v %v", r, err)
	}
}

// TestRowsCost prints what a look at 5,000 elements costs; it judges the size of the answer only.
func TestRowsCost(t *testing.T) {
	b := launch(t)
	var items strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&items, `<li><span>Row %d</span> <a href="/r/%d">Open</a> <button>Delete</button> <input value="v%d"></li>`, i, i, i)
	}
	_, ask := page0(t, b, fmt.Sprintf(rows, items.String()))
	for _, args := range []string{`{}`, `{"filter":"interactive"}`, `{"filter":"visible"}`} {
		m := ask("snapshot", args)
		if m["partial"] != nil && m["partial"] != "time cap of 1500 ms: the page was not examined to its end" {
			t.Errorf("%s: %v", args, m["partial"])
		}
		lines, _ := m["lines"].([]any)
		t.Logf("%s: %d lines, %v examined", args, len(lines), m["examined"])
	}
}

func BenchmarkSnapshot5000(b *testing.B) {
	br, err := Launch(b.Context(), Options{})
	if err != nil {
		b.Skip(err)
	}
	defer br.Close()
	tb, err := br.Open(b.Context(), "about:blank")
	if err != nil {
		b.Fatal(err)
	}
	code := "document.body.innerHTML = Array.from({length: 1000}, (_, i) => `<li><span>Row ${i}</span> <a href=\"/r\">Open</a> <button>Delete</button> <input value=v></li>`).join('')"
	if _, err := tb.(ports.Evaluator).Eval(b.Context(), "f0", code); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := tb.Read(b.Context(), "f0", "snapshot", nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLaunchToSnapshot(b *testing.B) {
	for b.Loop() {
		br, err := Launch(b.Context(), Options{})
		if err != nil {
			b.Skip(err)
		}
		tb, err := br.Open(b.Context(), "data:text/html,<button>x</button>")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := tb.Read(b.Context(), "f0", "snapshot", nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		br.Close()
		b.StartTimer()
	}
}
