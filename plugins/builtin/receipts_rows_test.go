package main

import "strings"

var clickRows = []row{
	{name: "button", page: "button.html", tool: "click_ax", on: "#b", want: "done", says: "Saved 1", is: "state.n===1"},
	{name: "dead button", page: "dead.html", tool: "click_ax", on: "#b", want: "unknown", says: "nothing was seen to change"},
	{name: "transparent overlay", page: "overlay.html", tool: "click_ax", on: "#b", want: "not_done", says: "covered", is: "state.n===0"},
	{name: "disabled", page: "disabled.html", tool: "click_ax", on: "#b", want: "not_done", says: "disabled", is: "state.n===0"},
	{name: "aria-disabled", page: "disabled.html", tool: "click_ax", on: "#a", want: "not_done", says: "disabled", is: "state.n===0"},
	{name: "disabled fieldset", page: "disabled.html", tool: "click_ax", on: "#f", want: "not_done", says: "disabled", is: "state.n===0"},
	{name: "field in a disabled fieldset", page: "disabled.html", tool: "set_field", on: "#i", args: `{"text":"x"}`, want: "not_done", says: "disabled", is: "state.n===0&&$('i').value===''"},
	{name: "inert", page: "disabled.html", tool: "click_ax", on: "#n", want: "not_done", is: "state.n===0"},
	{name: "pointer-events none", page: "disabled.html", tool: "click_ax", on: "#p", want: "not_done", says: "covered", is: "state.n===0"},
	{name: "opacity 0", page: "disabled.html", tool: "click_ax", on: "#t", want: "not_done", says: "not visible", is: "state.n===0"},
	{name: "visibility hidden", page: "disabled.html", tool: "click_ax", on: "#v", want: "not_done", says: "not visible", is: "state.n===0"},
	{name: "removed on mousedown", page: "mousedown.html", tool: "click_ax", on: "#b", want: "unknown", says: "before the click", is: "state.n===0"},
	{name: "moved by an animation", page: "moving.html", tool: "click_ax", on: "#b", want: "done", is: "state.n===1&&state.log[0]==='hit'"},
	{name: "re-rendered", page: "rerender.html", prep: "render()", tool: "click_ax", on: "#b", want: "done", is: "state.n===1&&state.log[0]==='hit'"},
	{name: "list re-ordered", page: "reorder.html", prep: "render(['Carol','Alice','Bob'])", tool: "click_ax", on: "li:nth-child(1) button", want: "done", is: "state.n===1&&state.log[0]==='delete Alice'"},
	{name: "only Bob is left", page: "reorder.html", prep: "render(['Bob'])", tool: "click_ax", on: "li:nth-child(1) button", want: "not_done", says: "Alice; gone", is: "state.n===0"},
	{name: "only Bob is left, by text", page: "reorder.html", prep: "render(['Bob'])", tool: "click", args: `{"text":"Delete Alice"}`, want: "not_done", is: "state.n===0"},
	{name: "ref after navigation", page: "again.html", prep: "new Promise(r=>{location.href='button.html';setTimeout(r,5000)}).catch(()=>0),1", tool: "click_ax", on: "#b", want: "not_done", says: "earlier document"},
	{name: "opens a tab", page: "newtab.html", tool: "click_ax", on: "#b", want: "done", says: "new tab opened", is: "state.n===1", only: "trusted"},
	{name: "opens a dialog", page: "dialogs.html", tool: "click_ax", on: "#b", want: "done", says: "Edit person; new on the page:; dialog", is: "state.n===1"},
	{name: "opens a menu", page: "shown.html", tool: "click_ax", on: "#b", want: "done", says: `new on the page:; button "Rename" [e; link "Copy" [e`, not: "Load rows", is: "state.n===1"},
	{name: "loads rows", page: "shown.html", tool: "click_ax", on: "#rows", want: "done", says: `button "Row 0" [e; (more: look at the page)`, not: "Row 59", is: "state.n===1"},
	{name: "shows a form", page: "shown.html", tool: "click_ax", on: "#login", want: "done", says: `textbox "Password" [e; value=•••; button "Enter" [e`, not: "Trap", is: "state.n===1"},
	{name: "opens a confirm", page: "dialogs.html", tool: "click_ax", on: "#c", want: "done", says: "Sure?", only: "trusted"},
	{name: "starts a download", page: "download.html", tool: "click_ax", on: "#b", want: "done", says: "report.bin", is: "state.n===1"},
	{name: "opens a print window", page: "print.html", tool: "click_ax", on: "#b", want: "done", says: "print", is: "state.n===1"},
	{name: "open shadow root", page: "shadow.html", tool: "click_ax", on: "#open", want: "done", is: "state.n===1&&state.log[0]==='open'"},
	{name: "closed shadow root", page: "shadow.html", tool: "click_ax", on: "closed-box", want: "done", is: "state.n===1&&state.log[0]==='closed'", only: "trusted"},
}

var fieldRows = []row{
	{name: "field", page: "fields.html", tool: "set_field", on: "#plain", args: `{"text":"Ada"}`, want: "done", is: "$('plain').value==='Ada'"},
	{name: "read-only", page: "fields.html", tool: "set_field", on: "#ro", args: `{"text":"x"}`, want: "not_done", says: "read-only", is: "$('ro').value==='fixed'"},
	{name: "reverted at once", page: "fields.html", tool: "set_field", on: "#now", args: `{"text":"x"}`, want: "not_done", says: `the page holds ""`},
	{name: "reverted after 30 ms", page: "fields.html", tool: "set_field", on: "#soon", args: `{"text":"x"}`, want: "not_done", says: `the page holds ""`},
	{name: "reverted after 800 ms", page: "fields.html", tool: "set_field", on: "#late", args: `{"text":"x"}`, want: "done", late: "$('late').value===''", then: `was reverted to ""`},
	{name: "cut by maxlength", page: "fields.html", tool: "set_field", on: "#max", args: `{"text":"abcdefgh"}`, want: "not_done", says: `cut`, is: "$('max').value.length<=5"},
	{name: "reformatted by a mask", page: "fields.html", tool: "set_field", on: "#mask", args: `{"text":"5551234"}`, want: "done", says: "(555) 1234; reformatted", is: "$('mask').value==='(555) 1234'"},
	{name: "mask that drops", page: "fields.html", tool: "set_field", on: "#mask", args: `{"text":"55a"}`, want: "not_done", says: `"55"`},
	{name: "letters into a number", page: "fields.html", tool: "set_field", on: "#num", args: `{"text":"abc"}`, want: "not_done", is: "$('num').value===''"},
	{name: "editor", page: "fields.html", tool: "set_field", on: "#ce", args: `{"text":"Hello"}`, want: "done", is: "$('ce').textContent==='Hello'"},
	{name: "editor that rejects", page: "fields.html", tool: "set_field", on: "#rej", args: `{"text":"Hello"}`, want: "not_done", is: "$('rej').textContent===''"},
	{name: "lines", page: "fields.html", tool: "set_field", on: "#ta", args: `{"text":"a\nb"}`, want: "done", is: "$('ta').value==='a\\nb'"},
	{name: "date", page: "fields.html", tool: "set_field", on: "#date", args: `{"text":"2026-05-01"}`, want: "done", is: "$('date').value==='2026-05-01'"},
	{name: "date that is none", page: "fields.html", tool: "set_field", on: "#date", args: `{"text":"tomorrow"}`, want: "not_done", says: "YYYY-MM-DD"},
	{name: "range", page: "fields.html", tool: "set_field", on: "#range", args: `{"text":"7"}`, want: "done", is: "$('range').value==='7'"},
	{name: "range out of range", page: "fields.html", tool: "set_field", on: "#range", args: `{"text":"70"}`, want: "not_done", is: "Number($('range').value)<=10"},
	{name: "file input", page: "fields.html", tool: "click_ax", on: "#file", want: "not_done", says: "file"},
	{name: "check box", page: "checks.html", tool: "set_checked", on: "#ok", args: `{"checked":true}`, want: "done", is: "$('ok').checked&&state.n===1"},
	{name: "check box that is unchecked", page: "checks.html", tool: "set_checked", on: "#undo", args: `{"checked":true}`, want: "not_done", says: "unchecked", is: "!$('undo').checked"},
	{name: "check box that is prevented", page: "checks.html", tool: "set_checked", on: "#prevent", args: `{"checked":true}`, want: "not_done", is: "!$('prevent').checked"},
	{name: "switch", page: "checks.html", tool: "set_checked", on: "#sw", args: `{"checked":true}`, want: "done", is: "state.n===1"},
	{name: "select", page: "selects.html", tool: "set_field", on: "#s", args: `{"text":"Large"}`, want: "done", is: "$('s').value==='Large'&&state.n===1"},
	{name: "select that reverts", page: "selects.html", tool: "set_field", on: "#r", args: `{"text":"Beta"}`, want: "not_done", says: `"Alpha"`},
	{name: "disabled option", page: "selects.html", tool: "set_field", on: "#s", args: `{"text":"Huge"}`, want: "not_done", says: "disabled", is: "$('s').value==='Small'&&state.n===0"},
	{name: "missing option", page: "selects.html", tool: "set_field", on: "#s", args: `{"text":"Tiny"}`, want: "not_done", says: "no option", is: "$('s').value==='Small'&&state.n===0"},
	{name: "Enter submits once", page: "enter.html", tool: "set_field", on: "#q", args: `{"text":"x","submit":true}`, want: "done", says: "Saved 1", is: "state.n===1&&state.log[0]==='submit'"},
	{name: "Enter with a handler of its own", page: "enter.html", tool: "set_field", on: "#own", args: `{"text":"x","submit":true}`, want: "done", is: "state.n===1&&state.log[0]==='own'"},
}

var widgetRows = []row{
	{name: "custom select", page: "custom.html", tool: "set_field", on: "#c", args: `{"text":"Green"}`, want: "done", is: "state.c==='Green'&&state.n===1"},
	{name: "custom select, missing", page: "custom.html", tool: "set_field", on: "#c", args: `{"text":"Pink"}`, want: "not_done", says: "Pink", is: "state.n===0"},
	{name: "custom select, disabled option", page: "custom.html", tool: "set_field", on: "#c", args: `{"text":"Blue"}`, want: "not_done", says: "disabled", is: "state.n===0"},
	{name: "custom select that keeps nothing", page: "custom.html", tool: "set_field", on: "#stub", args: `{"text":"Green"}`, want: "not_done", is: "!state.stub"},
	{name: "combobox with a portal list", page: "combobox.html", tool: "set_field", on: "#c", args: `{"text":"Rome"}`, want: "done", is: "state.city==='Rome'"},
	{name: "combobox, missing", page: "combobox.html", tool: "set_field", on: "#c", args: `{"text":"Madrid"}`, want: "not_done", is: "!state.city"},
	{name: "virtualised list", page: "virtual.html", tool: "set_field", on: "#c", args: `{"text":"Row 57"}`, want: "done", is: "state.row==='Row 57'"},
	{name: "date picker opens", page: "datepicker.html", tool: "click_ax", on: "#d", want: "done", says: `dialog "Calendar" opened`},
	{name: "date picker, a day", page: "datepicker.html", prep: "$('d').click()", tool: "click_ax", on: "#day4", want: "done", says: "May 2026 4", is: "state.date==='May 2026 4'"},
	{name: "date picker, typed into", page: "datepicker.html", tool: "set_field", on: "#d", args: `{"text":"2026-05-04"}`, want: "not_done", says: "picker", is: "!state.date"},
	{name: "cascader, first", page: "cascader.html", prep: "$('c').click()", tool: "click_ax", on: "#it", want: "done", says: "Rome"},
	{name: "cascader, last", page: "cascader.html", prep: "$('c').click();$('it').click()", tool: "click_ax", on: "#rm", want: "done", is: "state.place==='Italy / Rome'"},
	{name: "multiselect", page: "multi.html", tool: "click_ax", on: "#y", want: "done", says: "selected", is: "state.picked.join()==='Egg'"},
	{name: "slider by keys", page: "slider.html", prep: "$('s').focus()", tool: "press_keys", args: `{"key":"ArrowRight"}`, want: "done", says: `"5" -> "6"`, is: "state.n===6"},
}

var effectRows = []row{
	{name: "after 9 s with a request", page: "slow.html", tool: "click_ax", on: "#req", want: "done", says: "Saved 1", is: "state.n===1"},
	{name: "after 9 s without", page: "slow.html", tool: "click_ax", on: "#tim", want: "unknown", is: "state.n===0", late: "state.n===1", then: "Saved 1"},
	{name: "after 0.9 s without", page: "slow.html", tool: "click_ax", on: "#mid", want: "unknown", is: "state.n===0", late: "state.n===1", then: "Saved 1"},
	{name: "after a request", page: "slow.html", tool: "click_ax", on: "#net", want: "done", says: "Saved 1", is: "state.n===1"},
	{name: "a request and nothing else", page: "slow.html", tool: "click_ax", on: "#mute", want: "unknown", says: "POST", is: "state.n===1"},
	{name: "for ever, dead", page: "forever.html", tool: "click_ax", on: "#dead", want: "unknown"},
	{name: "for ever", page: "forever.html", tool: "click_ax", on: "#b", want: "done", says: "Saved 1", is: "state.n===1"},
	{name: "carousel and clock", page: "carousel.html", tool: "click_ax", on: "#dead", want: "unknown"},
	{name: "toast of the page's own", page: "own.html#toast", tool: "click_ax", on: "#dead", want: "unknown", is: "state.n===1"},
	{name: "dialog of the page's own", page: "own.html#dialog", tool: "click_ax", on: "#dead", want: "unknown", is: "state.n===1"},
}

var expectRows = []row{
	{name: "toast with nothing saved", page: "fake.html", tool: "click_ax", on: "#toast", args: `{"expect":[{"kind":"list_count_delta","ref":"#l","delta":1}]}`, want: "unknown", says: "delta 0", is: "$('l').children.length===2"},
	{name: "banner instead of a row", page: "fake.html", tool: "click_ax", on: "#banner", args: `{"expect":[{"kind":"list_count_delta","ref":"#l","delta":1}]}`, want: "unknown", says: "delta 0"},
	{name: "a row", page: "fake.html", tool: "click_ax", on: "#real", args: `{"expect":[{"kind":"list_count_delta","ref":"#l","delta":1}]}`, want: "done", says: "delta 1"},
	{name: "two rows instead of one", page: "fake.html", tool: "click_ax", on: "#double", args: `{"expect":[{"kind":"list_count_delta","ref":"#l","delta":1}]}`, want: "unknown", says: "delta 2"},
	{name: "text that was there before", page: "fake.html", tool: "click_ax", on: "#banner", args: `{"expect":[{"kind":"text_present","text":"Saved earlier"}]}`, want: "unknown", says: "already"},
	{name: "value_equals", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"value_equals","ref":"#v","expected":"Ada"}]}`, want: "done"},
	{name: "value_equals, other case", page: "expect.html", tool: "click_ax", on: "#case", args: `{"expect":[{"kind":"value_equals","ref":"#v","expected":"Ada"}]}`, want: "unknown", says: `ada`},
	{name: "attribute_equals", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"attribute_equals","ref":"#a","attribute":"data-x","expected":"1"}]}`, want: "done"},
	{name: "element_state", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"element_state","ref":"#c","state":"checked"}]}`, want: "done"},
	{name: "element_exists", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"element_exists","selector":"#out"}]}`, want: "done"},
	{name: "element_exists before", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"element_exists","selector":"#a"}]}`, want: "unknown", says: "already"},
	{name: "element_gone", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"element_gone","role":"button","name":"Old"}]}`, want: "done"},
	{name: "url_matches", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"url_matches","pattern":"done=1"}]}`, want: "done"},
	{name: "url_matches before, dead", page: "expect.html", tool: "click_ax", on: "#dead", args: `{"expect":[{"kind":"url_matches","pattern":"expect"}]}`, want: "unknown", says: "already"},
	{name: "text_present", page: "expect.html", tool: "click_ax", on: "#b", args: `{"expect":[{"kind":"text_present","text":"Order 7 placed"}]}`, want: "done"},
	{name: "text_absent waits", page: "expect.html", tool: "click_ax", on: "#slowgone", args: `{"expect":[{"kind":"text_absent","text":"Order list"}]}`, want: "done"},
}

// frameRows click in frames of the same and of another site, each scrolled, zoomed and transformed.
func frameRows() (rows []row) {
	for _, host := range []string{"", "b.test"} {
		for _, look := range []struct{ name, query string }{
			{"plain", ""}, {"zoom", "css=zoom:1.5"}, {"zoomed page", "root=zoom:1.25"}, {"rotated", "css=transform:rotate(8deg)scale(0.8)"}, {"scaled page", "root=transform:scale(0.9)"},
		} {
			name := "frame of the same site, "
			if host != "" {
				name = "frame of another site, "
			}
			rows = append(rows, row{name: name + look.name, page: strings.TrimSuffix("frames.html?host="+host+"&"+look.query, "&"), tool: "click_ax", on: "frame #b", want: "done", is: "state.n===1"})
		}
	}
	return rows
}
