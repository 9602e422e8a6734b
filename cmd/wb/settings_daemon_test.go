package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/bidi"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/relay"
)

// page opens a page of the daemon in a browser of its own, paired as this computer's.
func (r *daemonRig) page(name string) *panelBench {
	r.t.Helper()
	var c relay.Client
	r.own(&c)
	b, err := cdp.Launch(r.t.Context(), cdp.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = b.Close() })
	p := &panelBench{T: r.t, b: b, url: "http://" + r.at}
	p.open(name + "#client=" + c.ID + "&token=" + c.Token)
	return p
}

// field types into the control with a label.
func (p *panelBench) field(label, text string) {
	p.Helper()
	p.eval(`(() => { const l = [...document.querySelectorAll('form.form label')].find((l) => l.textContent === '`+label+`'); const i = document.getElementById(l.htmlFor); i.focus(); i.select(); return 0; })()`, nil)
	p.typed(text)
}

// press presses the first button with that text, as soon as it is there.
func (p *panelBench) press(text string) {
	p.Helper()
	find := `[...document.querySelectorAll('button')].find((b) => b.textContent.trim() === '` + text + `' && !b.disabled)`
	p.until(find + ` !== undefined`)
	p.eval(`(`+find+`.click(), 0)`, nil)
}

// On the page that the daemon serves a person adds a model with a key, tries it, and works with it in the panel; the
// key is in one file only, not in a page, a log or the journal.
func TestSettingsOnDaemon(t *testing.T) {
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = log
	t.Cleanup(func() { os.Stderr = stderr; _ = log.Close() })
	t.Setenv("WB_LOG", "debug")
	r, model := newSettingsRig(t, talk)
	p := r.page("settings.html")
	p.until(`document.querySelectorAll('.cards > li').length === 1`)
	p.eval(`(() => { const s = document.querySelector('main form select'); s.value = '-'; s.dispatchEvent(new Event('change', {bubbles: true})); return 0; })()`, nil)
	p.press("Set up")
	p.until(`document.querySelector('form.form') !== null`)
	p.field("Name", "mine")
	p.field("Address", "http://models.example/v1")
	p.field("Key", canary)
	p.press("Save")
	p.until(`document.querySelector('form.form .wrong')?.textContent.includes('unencrypted')`)
	p.field("Address", model)
	p.press("Save")
	p.until(`document.querySelectorAll('.cards > li').length === 1 && document.querySelector('.cards h3').textContent.startsWith('mine') && !document.querySelector('form.form')`)
	p.press("Edit")
	p.press("List models")
	p.until(`document.querySelectorAll('datalist option').length > 0 && [...document.querySelectorAll('form.form input')].some((i) => i.value === document.querySelector('datalist option').value)`)
	p.press("Save")
	p.until(`!document.querySelector('form.form')`)
	p.press("Test")
	p.until(`document.querySelector('.result.right')?.textContent.includes('I look first.')`)
	p.until(`!document.documentElement.innerHTML.includes('` + canary + `')`)
	var back string
	p.eval(`document.querySelector('.head a').href`, &back)
	if _, err := p.tab.Nav(t.Context(), ports.Nav{URL: back}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('.pick.model')?.selectedOptions[0].textContent.includes('(mine)') && !document.querySelector('.steps')`)
	p.eval(`(document.querySelector('.composer textarea').focus(), 0)`, nil)
	p.typed("What is open?")
	p.keys("Enter")
	p.until(`document.querySelector('.end.success')`)
	if diff := cmp.Diff([]string{"secrets.json"}, filesWith(t, r.cfg.DataDir, canary)); diff != "" {
		t.Errorf("files that hold the key (-want +got):\n%s", diff)
	}
	if files := filesWith(t, filepath.Dir(log.Name()), canary); len(files) > 0 {
		t.Error("the log holds the key")
	}
}

// A panel that is open follows what is changed elsewhere: models, the default one, the theme, the language.
func TestPanelFollowsSettings(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("settings.set", obj{"key": "panel.welcomed", "value": true})
	p := r.page("panel.html")
	p.until(`document.querySelector('.welcome') && !document.querySelector('.steps')`)
	o.ask("providers.save", provider("mine", model, canary))
	p.until(`document.querySelector('.pick.model').selectedOptions[0].textContent === 'm (mine)'`)
	o.ask("providers.save", func() obj { e := provider("mine", model, ""); e["model"] = "other"; return e }())
	p.until(`document.querySelector('.pick.model').selectedOptions[0].textContent === 'other (mine)'`)
	o.ask("settings.set", obj{"key": "panel.theme", "value": "dark"})
	p.until(`getComputedStyle(document.body).backgroundColor === 'rgb(25, 26, 27)'`)
	o.ask("settings.set", obj{"key": "panel.locale", "value": "de"})
	p.until(`document.documentElement.lang === 'de' && document.querySelector('.welcome h2').textContent === 'Was soll ich tun?'`)
}

// A panel whose conversation is deleted elsewhere shows a new one.
func TestPanelForgets(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	p := r.page("panel.html")
	p.until(`document.querySelector('.welcome')`)
	p.eval(`(document.querySelector('.composer textarea').focus(), 0)`, nil)
	p.typed("What is open?")
	p.keys("Enter")
	p.until(`document.querySelector('.end.success')`)
	o.ask("data.delete", obj{"what": "conversations"})
	p.until(`document.querySelector('.welcome') && !document.querySelector('.turn')`)
}

// The first steps: a model on this computer is found and answers, a task is done in the sample shop, and the steps do
// not come again.
func TestFirstSteps(t *testing.T) {
	r, _ := newOllamaRig(t, string(demoPlaybook), "tiny:1b")
	p := r.page("panel.html")
	p.until(`document.querySelector('.steps h2')?.textContent === 'Welcome to wb'`)
	p.press("Use tiny:1b (Ollama)")
	p.until(`document.querySelector('.steps .answers')?.textContent === 'tiny:1b answers.'`)
	p.press("Order two teapots")
	p.until(`document.querySelector('.turn .end.success')`)
	if _, err := p.tab.Nav(t.Context(), ports.Nav{Reload: true}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('.turn .end.success')`)
	p.eval(`(document.querySelectorAll('.top button')[3].click(), 0)`, nil)
	p.until(`document.querySelector('.welcome') && !document.querySelector('.steps')`)
}

// Somebody who wants none of it skips the steps once.
func TestFirstStepsSkipped(t *testing.T) {
	r, _ := newSettingsRig(t, talk)
	p := r.page("panel.html")
	p.until(`document.querySelector('.steps')`)
	p.press("Skip")
	p.until(`document.querySelector('.welcome') && !document.querySelector('.steps')`)
	if _, err := p.tab.Nav(t.Context(), ports.Nav{Reload: true}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('.welcome') && !document.querySelector('.steps')`)
}

// In the extension the page and the first steps are the same: the task is done in a tab that comes to the front, with
// the conversation beside it, and the extension keeps its pairing and nothing else.
func TestSettingsInExtension(t *testing.T) {
	r, _ := newOllamaRig(t, string(demoPlaybook), "tiny:1b")
	b := r.openBrowser()
	r.paired()
	p := &panelBench{T: t, b: b, url: "chrome-extension://" + extensionID}
	p.open("panel.html")
	p.press("Use tiny:1b (Ollama)")
	p.press("Order two teapots")
	p.until(`document.querySelector('.turn .end.success')`)
	var active string
	p.eval(`(await chrome.tabs.query({active: true, lastFocusedWindow: true}))[0].url`, &active)
	if len(active) < 7 || active[:7] != "http://" {
		t.Errorf("in front: %s", active)
	}
	p.open("settings.html")
	p.until(`document.querySelector('.cards h3')?.textContent.includes('Ollama') && !document.querySelector('.head a')`)
	p.press("Test")
	p.until(`document.querySelector('.result')?.textContent`)
	var kept []string
	p.eval(`Object.keys(await chrome.storage.local.get())`, &kept)
	if diff := cmp.Diff([]string{"pairing"}, kept); diff != "" {
		t.Errorf("the extension keeps (-want +got):\n%s", diff)
	}
}

// A person takes their data along, deletes the conversations and brings them back, all on the page.
func TestDataOnDaemon(t *testing.T) {
	r, model := newSettingsRig(t, talk)
	o := r.asks()
	o.ask("providers.save", provider("mine", model, canary))
	o.begin("What is open here?", "", "ask")
	r.outcome(o, 1)
	p := r.page("settings.html")
	p.until(`document.querySelectorAll('.cards > li').length === 1`)
	p.eval(`(location.hash = '#data', URL.createObjectURL = (blob) => { window.exported = blob; return 'blob:none'; }, 0)`, nil)
	p.until(`document.querySelector('.group p + .line') && document.querySelector('.check input')`)
	p.eval(`(document.querySelector('.check input').click(), 0)`, nil)
	p.until(`document.activeElement && document.querySelector('input[type=password]')`)
	p.eval(`(document.querySelector('input[type=password]').focus(), 0)`, nil)
	p.typed("correct horse")
	p.press("Export")
	p.until(`window.exported?.size > 500 && document.querySelector('.said').textContent === 'Exported'`)
	p.press("Delete all conversations…")
	p.until(`document.querySelector('.sure p').textContent.startsWith('This deletes 1 conversations with 1 tasks')`)
	p.press("Delete")
	p.until(`document.querySelector('.said').textContent === 'Deleted' && document.querySelector('.group > p:not(.faint)').textContent.startsWith('0 conversations')`)
	p.eval(`(() => { const d = new DataTransfer(), i = document.querySelector('input[type=file]'); d.items.add(new File([window.exported], 'wb.json.gz')); i.files = d.files; i.dispatchEvent(new Event('change', {bubbles: true})); return 0; })()`, nil)
	p.until(`document.querySelector('.preview li').textContent.startsWith('1 conversations') && document.querySelector('.preview').textContent.includes('MINE')`)
	p.eval(`[...document.querySelectorAll('.preview button')].at(-1).click(), 0`, nil)
	p.until(`document.querySelector('.said').textContent === 'Imported' && document.querySelector('.group > p:not(.faint)').textContent.startsWith('1 conversations, 1 tasks')`)
}

// Firefox shows the page that the daemon serves as Chromium does.
func TestSettingsInFirefox(t *testing.T) {
	if _, err := bidi.Find(); err != nil {
		t.Skip("no Firefox:", err)
	}
	r, model := newSettingsRig(t, talk)
	r.asks().ask("providers.save", provider("mine", model, canary))
	b, err := bidi.Launch(t.Context(), bidi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var c relay.Client
	r.own(&c)
	p := &panelBench{T: t, b: b, url: "http://" + r.at}
	p.open("settings.html#client=" + c.ID + "&token=" + c.Token)
	p.until(`document.querySelector('.cards h3')?.textContent.startsWith('mine')`)
	p.press("Test")
	p.until(`document.querySelector('.result.right')?.textContent.includes('I look first.')`)
	p.eval(`(location.hash = '#general', 0)`, nil)
	p.until(`document.querySelectorAll('main select').length === 4`)
	p.eval(`(() => { const s = document.querySelectorAll('main select')[1]; s.value = 'dark'; s.dispatchEvent(new Event('change', {bubbles: true})); return 0; })()`, nil)
	p.until(`getComputedStyle(document.body).backgroundColor === 'rgb(25, 26, 27)'`)
}
