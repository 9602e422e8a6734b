package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

// writeCut writes the top left w by h pixels of a PNG.
func writeCut(file string, data []byte, w, h int) error {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if s, ok := img.(interface {
		SubImage(image.Rectangle) image.Image
	}); ok {
		img = s.SubImage(image.Rect(0, 0, w, h))
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// screens are what a person can meet, each made from a fresh panel.
var screens = map[string]string{
	"empty":      ``,
	"shop":       `await fake.load('shop');`,
	"end":        `await fake.load('shop'); await drawn(); const c = document.querySelector('.conversation'); c.scrollTop = c.scrollHeight;`,
	"tool":       `await fake.load('shop'); await drawn(); document.querySelectorAll('.tool')[2].open = true; await drawn(); document.querySelectorAll('.tool')[2].scrollIntoView();`,
	"ask1":       `await fake.load('asks');`,
	"ask2":       `await fake.load('asks'); await drawn(); document.querySelector('.card.confirm').scrollIntoView();`,
	"ask3":       `await fake.load('asks'); await drawn(); document.querySelector('.card.plan').scrollIntoView();`,
	"running":    `fake.emit({kind: 'user', text: 'What is new here?'}, {kind: 'run_start', run: 'r1'}, {kind: 'tool_start', run: 'r1', tool: 'read_page', data: {}}, {kind: 'queued', text: 'And then write it to Ada', data: {id: 'q1'}}, {kind: 'warning', text: 'The model is nearly out of its daily budget.'});`,
	"sessions":   `fake.sessions.push({id: 's2', title: 'Order two large green teapots for Ada', at: fake.sessions[0].at, url: 'https://shop.example/x'}, {id: 's3', title: 'Compare the three cheapest flights', at: fake.sessions[0].at - 9e7, busy: true}); document.querySelector('.top button').click(); await drawn(); await drawn(); document.querySelectorAll('.sessions .quiet')[1].click();`,
	"down":       `fake.online = false; fake.drop();`,
	"unpaired":   `sessionStorage.removeItem('pairing'); fake.drop(); while (!document.querySelector('.banner .strong')) await drawn();`,
	"pairing":    `sessionStorage.removeItem('pairing'); fake.drop(); while (!document.querySelector('.banner .strong')) await drawn(); document.querySelector('.banner .strong').click(); while (!document.querySelector('.code')) await drawn();`,
	"everything": `await fake.load('shop'); const level = document.querySelector('.level'); level.click(); await drawn(); document.querySelector('.stepmark button').click(); await drawn(); await drawn();`,
	"markdown":   `await fake.load('markdown'); await drawn(); await drawn();`,
	"rtl":        `await fake.load('rtl');`,
	"welcome":    `fake.state.welcome = true; fake.drop(); while (!document.querySelector('.steps .options button')) await drawn(); const pick = document.querySelectorAll('.steps select')[1]; pick.value = 'anthropic'; pick.dispatchEvent(new Event('change', {bubbles: true}));`,
	"welcome2":   `fake.state.welcome = true; fake.drop(); while (!document.querySelector('.steps .options button')) await drawn(); document.querySelector('.steps .options button').click(); while (!document.querySelector('.steps .strong')) await drawn();`,
}

// Every screen at the widths that a side panel has, in both themes: nothing is cut off or scrolls sideways, and
// axe finds nothing. PANEL_SHOTS names a folder for the pictures.
func TestPanelScreens(t *testing.T) {
	p := newPanel(t, "--window-size=1000,900")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{320, 360, 800} {
			for name, do := range screens {
				t.Run(fmt.Sprintf("%s/%d/%s", scheme, width, name), func(t *testing.T) {
					p := &panelBench{T: t, b: p.b, url: p.url, tab: p.tab}
					locale := map[bool]string{true: "de", false: "en"}[width == 320]
					p.open(fmt.Sprintf("shell?w=%d&h=720&scheme=%s&locale=%s", width, scheme, locale))
					p.untilIn("f1", `document.querySelector('.welcome') !== null`)
					p.evalIn("f1", `await (async () => { const drawn = () => new Promise((f) => setTimeout(() => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(f))))); `+do+` await drawn(); await drawn(); return 0; })()`, nil)
					p.shot(fmt.Sprintf("%s-%s-%d", name, scheme, width), width, 720)
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

// fits says what of the panel is wider than it.
func (p *panelBench) fits(width int) {
	p.Helper()
	var wide []string
	p.evalIn("f1", fmt.Sprintf(`[...document.querySelectorAll('#app *')].filter((e) => { const r = e.getBoundingClientRect(); return r.width && (r.right > %d + 1 || r.left < -1) && !e.closest('.scroll, pre, .hidden, dialog:not([open])'); }).slice(0, 5).map((e) => e.tagName + '.' + e.className)`, width), &wide)
	if len(wide) > 0 {
		p.Errorf("wider than the panel: %q", wide)
	}
}

// axe runs axe-core in the panel and reports what it finds.
func (p *panelBench) axe() {
	p.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", "extension", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		p.Fatal(err)
	}
	p.evalIn("f1", string(script)+"; 0", nil)
	var found []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	p.evalIn("f1", `await (async () => (await axe.run(document, {resultTypes: ['violations']})).violations.map((v) => ({ID: v.id, Help: v.help, Nodes: v.nodes.slice(0, 3).map((n) => ({HTML: n.html.slice(0, 300), FailureSummary: n.failureSummary}))})))()`, &found)
	for _, f := range found {
		p.Errorf("axe: %s: %s: %+v", f.ID, f.Help, f.Nodes)
	}
}
