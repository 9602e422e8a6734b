package main

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// settingsScreens are what a person can meet on the settings page.
var settingsScreens = map[string]string{
	"models":      ``,
	"found":       `button('local').click(); while (!document.querySelectorAll('.rows li').length) await drawn();`,
	"edit":        `document.querySelectorAll('.entry .buttons')[0].children[1].click(); await drawn(); const list = [...document.querySelectorAll('form.form button')].find((b) => b.type === 'button'); list.click();`,
	"tested":      `document.querySelector('.entry button').click(); while (!document.querySelector('.result')?.textContent) await drawn(); document.querySelector('.entry .danger').click();`,
	"add":         `const s = document.querySelector('main select'); s.value = '-'; s.dispatchEvent(new Event('change', {bubbles: true})); await drawn(); s.form.requestSubmit(); await drawn(); document.querySelector('form.form').scrollIntoView();`,
	"general":     `location.hash = '#general';`,
	"permissions": `location.hash = '#permissions'; while (!document.querySelector('.rows .danger')) await drawn(); document.querySelector('.rows .danger').click();`,
	"data":        `location.hash = '#data'; while (!document.querySelector('.check input')) await drawn(); document.querySelector('.check input').click();`,
	"import":      `location.hash = '#data'; while (!document.querySelector('input[type=file]')) await drawn(); const f = new DataTransfer(); f.items.add(new File(['{}'], 'wb.json')); document.querySelector('input[type=file]').files = f.files; document.querySelector('input[type=file]').dispatchEvent(new Event('change', {bubbles: true})); while (!document.querySelector('.preview')) await drawn(); document.querySelector('.preview').scrollIntoView();`,
	"delete":      `location.hash = '#data'; while (document.querySelectorAll('.group > .stack > .danger').length < 2) await drawn(); document.querySelectorAll('.group > .stack > .danger')[1].click(); await drawn(); document.querySelector('.sure').scrollIntoView();`,
	"about":       `location.hash = '#about'; while (!document.querySelector('.facts')) await drawn(); document.querySelector('.group > button').click(); while (!document.querySelector('.checks li')) await drawn();`,
	"down":        `fake.online = false; fake.drop(); while (!document.querySelector('.bar')) await drawn();`,
}

// Every screen of the settings page, narrow and wide, in both themes: nothing is cut off, and axe finds nothing.
func TestSettingsScreens(t *testing.T) {
	p := newPanel(t, "--window-size=1000,1000")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{360, 800} {
			for name, do := range settingsScreens {
				t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, name), func(t *testing.T) {
					p := &panelBench{T: t, b: p.b, url: p.url}
					locale := map[bool]string{true: "de", false: "en"}[width == 360]
					p.open(fmt.Sprintf("shell?w=%d&h=860&scheme=%s&locale=%s&page=settings", width, scheme, locale))
					p.untilIn("f1", `document.querySelector('.cards') !== null`)
					p.evalIn("f1", `await (async () => { const drawn = () => new Promise((f) => setTimeout(() => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(f))))); const button = () => [...document.querySelectorAll('.group')][1].querySelector('button'); `+do+` await drawn(); await drawn(); return 0; })()`, nil)
					p.shot(fmt.Sprintf("settings-%s-%s-%d", name, scheme, width), width, 860)
					p.fits(width)
					p.axe()
					if err := p.tab.Close(t.Context()); err != nil {
						t.Fatal(err)
					}
				})
			}
		}
	}
}

// A service is added by keyboard alone; its key is told once, and the page does not keep it.
func TestSettingsByKeyboard(t *testing.T) {
	p := newPanel(t)
	p.open("settings.html#token=t&client=c")
	p.until(`document.querySelectorAll('.cards > li').length === 3`)
	p.eval(`document.querySelector('main select').focus(), 0`, nil)
	p.keys("ArrowDown")
	p.until(`document.activeElement.value === 'anthropic'`)
	p.keys("Tab", "Enter")
	p.until(`document.querySelector('form.form')?.contains(document.activeElement)`)
	p.keys("Tab") // from the address to the key
	p.until(`document.activeElement.type === 'password'`)
	p.typed("sk-typed")
	p.keys("Enter")
	want := map[string]any{"id": "anthropic", "family": "anthropic", "base_url": "https://api.anthropic.com", "model": "claude-sonnet-5", "context": float64(1000000), "vision": true, "tier": "full", "key": "sk-typed"}
	if diff := cmp.Diff(want, p.last("providers.save")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.until(`document.querySelectorAll('.cards > li').length === 4 && !document.querySelector('form.form')`)
	p.until(`!document.documentElement.innerHTML.includes('sk-typed')`)
}

// What cannot be taken back asks first, and the harmless answer has the focus.
func TestSettingsAskFirst(t *testing.T) {
	p := newPanel(t)
	p.open("settings.html#token=t&client=c")
	p.until(`document.querySelectorAll('.cards > li').length === 3`)
	p.eval(`document.querySelector('.entry .danger').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.activeElement.closest('.sure') !== null`)
	p.keys("Enter")
	p.until(`document.querySelector('.sure') === null && document.activeElement.matches('.danger')`)
	var asked int
	p.eval(`fake.said('providers.remove').length`, &asked)
	if asked != 0 {
		t.Error("it was removed without a word")
	}
	p.eval(`document.querySelector('.entry .danger').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.activeElement.closest('.sure') !== null`)
	p.keys("Tab", "Enter")
	p.until(`document.querySelectorAll('.cards > li').length === 2`)
	if got := p.last("providers.remove"); got["id"] != "openai" {
		t.Errorf("%v", got)
	}
}

// The language and the theme are those that were chosen, at once.
func TestSettingsLooks(t *testing.T) {
	p := newPanel(t)
	p.open("settings.html#token=t&client=c")
	p.until(`document.querySelectorAll('.cards > li').length === 3`)
	p.eval(`location.hash = '#general', 0`, nil)
	p.until(`document.querySelectorAll('main select').length === 4`)
	p.eval(`document.querySelectorAll('main select')[0].focus(), 0`, nil)
	p.keys("End")
	p.until(`document.querySelector('h1').innerText === 'Einstellungen' && document.documentElement.lang === 'de'`)
	p.eval(`document.querySelectorAll('main select')[1].focus(), 0`, nil)
	p.keys("End")
	p.until(`getComputedStyle(document.body).backgroundColor === 'rgb(25, 26, 27)'`)
	p.eval(`document.querySelectorAll('main select')[1].focus(), 0`, nil)
	p.keys("ArrowUp")
	p.until(`getComputedStyle(document.body).backgroundColor === 'rgb(251, 251, 250)'`)
}

// The first steps are walked by keyboard alone: the model that was found, then the task.
func TestFirstStepsByKeyboard(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`(fake.state.welcome = true, fake.drop(), 0)`, nil)
	p.until(`document.querySelectorAll('.steps .options button').length === 2`)
	p.eval(`document.querySelector('.steps select').focus(), 0`, nil)
	p.keys("Tab", "Tab", "Enter") // past the first model
	p.until(`document.querySelector('.steps .answers')?.textContent === 'gemma3:4b answers.'`)
	want := map[string]any{"id": "ollama", "family": "openai", "base_url": "http://127.0.0.1:11434/v1", "model": "gemma3:4b", "context": float64(16384), "vision": true, "tier": "mid"}
	if diff := cmp.Diff(want, p.last("providers.save")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	p.until(`document.querySelector('.steps .strong')`)
	p.eval(`document.querySelector('.steps select').focus(), 0`, nil)
	p.keys("Tab", "Enter")
	got := p.last("run.start")
	if got["url"] != "http://127.0.0.1:40000/" {
		t.Errorf("%v", got)
	}
	p.until(`document.querySelector('.question') && fake.said('settings.set').some((s) => s.key === 'panel.welcomed' && s.value === true)`)
}
