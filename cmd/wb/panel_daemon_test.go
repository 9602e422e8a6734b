package main

import (
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/relay"
)

// The panel as the daemon serves it: a task is typed, its run is watched to the end and found again after a
// reload; what the model was sent can be read.
func TestPanelOnDaemon(t *testing.T) {
	r := newDaemonRig(t, `rules:
  - when: {turn: 1}
    reply: {text: "I look first.", calls: [{tool: get_accessibility_tree, args: {}}]}
  - reply: {text: "Nothing is **open** yet."}
`)
	var c relay.Client
	r.own(&c)
	b, err := cdp.Launch(t.Context(), cdp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	p := &panelBench{T: t, b: b, url: "http://" + r.at}
	p.open("#client=" + c.ID + "&token=" + c.Token)
	p.until(`document.querySelector('.welcome')`)
	p.eval(`document.querySelector('.composer textarea').focus(), 0`, nil)
	p.typed("What is open here?")
	p.keys("Enter")
	p.until(`document.querySelector('.question p').innerText.startsWith('What is open')`)
	p.until(`document.querySelector('.end')`)
	if _, err := p.tab.Nav(t.Context(), ports.Nav{Reload: true}); err != nil {
		t.Fatal(err)
	}
	p.until(`document.querySelector('.end.success') && document.querySelectorAll('.turn').length === 1 && document.querySelectorAll('.tool').length === 1 && document.querySelector('.turn strong').innerText === 'open'`)
	p.eval(`document.querySelector('.level').click(), 0`, nil)
	p.until(`document.querySelector('.stepmark button')`)
	p.eval(`document.querySelector('.stepmark button').click(), 0`, nil)
	p.until(`document.querySelector('.payload').innerText.includes('"messages"')`)
	p.shot("daemon", 780, 441)
}

// In the extension the panel pairs by itself, stands beside a tab, and takes what the context menu chose, once.
func TestPanelInExtension(t *testing.T) {
	r := newDaemonRig(t, "rules:\n  - reply: {text: \"Yes.\"}\n")
	b := r.openBrowser()
	r.paired()
	p := &panelBench{T: t, b: b, url: "chrome-extension://" + extensionID}
	p.open("panel.html")
	p.until(`document.querySelector('.welcome') && !document.querySelector('.banner')`)
	var left any
	p.eval(`await chrome.storage.session.set({prompt: {text: 'Explain “this”', at: 1}}), 0`, nil)
	p.until(`document.querySelector('.composer textarea').value === 'Explain “this”'`)
	p.eval(`(await chrome.storage.session.get("prompt")).prompt ?? null`, &left)
	if left != nil {
		t.Errorf("still there to be taken: %v", left)
	}
	p.eval(`document.querySelector('.composer textarea').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelector('.question p').innerText === 'Explain “this”' && document.querySelector('.end')`)
}
