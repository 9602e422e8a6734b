package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// stopPlace is where the Stop button of the edge lies, as a person sees it: in the corner at the bottom right.
const stopPlace = `({x: innerWidth - 50, y: innerHeight - 30})`

// A person sees on the page that wb works there, stops it with a click there, and nothing is left. The page can
// neither see into the button nor press it.
func TestEdgeStopsTheRun(t *testing.T) {
	t.Parallel()
	r := newDaemonRig(t, "- fault: {delay: 1h}\n")
	b := r.openBrowser()
	client := r.paired()
	tab, err := b.Open(t.Context(), r.url)
	if err != nil {
		t.Fatal(err)
	}
	eval := func(js string) string {
		t.Helper()
		raw, err := tab.(ports.Evaluator).Eval(t.Context(), "f0", js)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(raw), `"`)
	}
	look := func() string {
		t.Helper()
		raw, err := tab.Read(t.Context(), "f0", "snapshot", nil)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Replace(string(raw), `"blind":true,`, "", 1) // this onlooker's hints come when they come
	}
	o := r.look(client)
	id := o.begin("wait", b.tabNumber(r.url), "act")
	r.wait("the edge", func() bool { return eval("String(!!document.querySelector('wb-edge'))") == "true" })
	before := look()
	if strings.Contains(before, "Stop wb") || strings.Contains(before, "wb-edge") {
		t.Errorf("the edge is in the snapshot: %s", before)
	}
	if got := eval("document.querySelector('wb-edge').shadowRoot + document.querySelector('wb-edge').textContent + document.querySelector('wb-edge').getAttributeNames().filter((n) => n !== 'style' && n !== 'aria-hidden')"); got != "null" {
		t.Errorf("the page sees %s", got)
	}
	hit := eval("(() => { const p = " + stopPlace + "; const e = document.elementFromPoint(p.x, p.y); return e.localName; })()")
	if hit != "wb-edge" {
		t.Fatalf("the button is not where a person sees it, but %s", hit)
	}
	eval(`(() => { const e = document.querySelector('wb-edge'), p = ` + stopPlace + `; e.click();
		for (const kind of ['pointerdown', 'mousedown', 'mouseup', 'click']) e.dispatchEvent(new MouseEvent(kind, {bubbles: true, composed: true, clientX: p.x, clientY: p.y}));
		e.remove(); return 0; })()`)
	r.wait("the edge to be back", func() bool { return eval("String(!!document.querySelector('wb-edge'))") == "true" })
	if after := look(); after != before {
		t.Errorf("the edge came and went, and that counts as a change of the page:\n%s\n%s", before, after)
	}
	if n := len(o.events(ports.EventRunEnd)); n != 0 {
		t.Fatal("the page stopped the run")
	}
	var at struct{ X, Y float64 }
	if _, err := fmt.Sscanf(eval("(() => { const p = "+stopPlace+"; return p.x + ' ' + p.y; })()"), "%g %g", &at.X, &at.Y); err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Input(t.Context(), ports.Input{Kind: "click", X: at.X, Y: at.Y}); err != nil {
		t.Fatal(err)
	}
	if out := r.outcome(o, 1); out.Status != "stopped" {
		t.Errorf("run %s: %+v", id, out)
	}
	r.wait("the edge to be gone", func() bool { return eval("String(!!document.querySelector('wb-edge'))") == "false" })
}

// wb's own pointer and pictures do not meet the edge, which is back after them, also in the next document.
func TestEdgeStandsAside(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><body style="margin:0;background:#fff"><button onclick="document.title='pressed'" style="position:fixed;right:0;bottom:0;width:120px;height:60px">Save</button>`)
	}))
	t.Cleanup(site.Close)
	tab, err := lendBrowser(t).Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/1", "/2"} {
		if _, err := tab.Nav(t.Context(), ports.Nav{URL: site.URL + path}); err != nil {
			t.Fatal(err)
		}
		shown := func() bool {
			raw, err := tab.(ports.Evaluator).Eval(t.Context(), "f0", "getComputedStyle(document.querySelector('wb-edge') ?? document.head).display")
			return err == nil && string(raw) == `"block"`
		}
		await(t, "the edge in "+path, shown)
		img, err := tab.Capture(t.Context(), ports.Capture{Format: "png"})
		if err != nil {
			t.Fatal(err)
		}
		pic, _, err := image.Decode(bytes.NewReader(img.Data))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b, _ := pic.At(0, pic.Bounds().Dy()/2).RGBA(); r>>8 != 255 || g>>8 != 255 || b>>8 != 255 {
			t.Errorf("%s: the edge is in the picture: %d %d %d", path, r>>8, g>>8, b>>8)
		}
		await(t, "the edge after the picture", shown)
		var found struct{ Lines []struct{ T, Ref string } }
		raw, err := tab.Read(t.Context(), "f0", "snapshot", nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &found); err != nil {
			t.Fatal(err)
		}
		ref := ""
		for _, l := range found.Lines {
			if strings.Contains(l.T, "Save") {
				ref = l.Ref
			}
		}
		if _, err := tab.Input(t.Context(), ports.Input{Kind: "click", Ref: ref}); err != nil {
			t.Fatal(err)
		}
		await(t, "the page's own button to be pressed", func() bool {
			i, err := tab.Info(t.Context())
			return err == nil && i.Title == "pressed"
		})
		await(t, "the edge after the click", shown)
	}
}
