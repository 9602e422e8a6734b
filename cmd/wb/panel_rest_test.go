package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Conversations are found, opened and deleted by keyboard; deleting asks first, and keeps by default.
func TestPanelSessions(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`(fake.sessions.push({id: 's2', title: 'Order teapots', at: 1, status: ''}, {id: 's3', title: 'Compare flights', at: 2, status: ''}), document.querySelector('.top button').focus(), 0)`, nil)
	p.keys("Enter")
	p.until(`document.querySelector('dialog[open]') && document.querySelectorAll('.sessions li').length === 3`)
	p.eval(`document.querySelector('dialog input').focus(), 0`, nil)
	p.typed("TEA")
	p.until(`document.querySelectorAll('.sessions li').length === 1 && document.querySelector('.sessions .title').innerText === 'Order teapots'`)
	p.keys("Tab", "Tab", "Enter") // the bin
	p.until(`document.querySelector('.sure') && document.activeElement.innerText === 'Keep'`)
	p.keys("Enter")
	p.until(`!document.querySelector('.sure')`)
	p.eval(`document.querySelector('.sessions .quiet').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.activeElement.innerText === 'Keep'`)
	p.keys("Tab", "Enter")
	p.until(`document.querySelectorAll('.sessions li').length === 0`)
	if diff := cmp.Diff(map[string]any{"id": "s2"}, p.last("session.delete")); diff != "" {
		t.Errorf("session.delete (-want +got):\n%s", diff)
	}
	p.keys("Escape")
	p.until(`!document.querySelector('dialog[open]')`)
	p.eval(`document.querySelector('.top button').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelectorAll('.sessions li').length === 2`)
	p.eval(`[...document.querySelectorAll('.sessions .open')].at(-1).focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelector('h1').innerText === 'Compare flights' && !document.querySelector('dialog[open]')`)
	if diff := cmp.Diff(map[string]any{"id": "s3", "since": 0.0}, p.last("session.watch")); diff != "" {
		t.Errorf("session.watch (-want +got):\n%s", diff)
	}
}

// Files come by drop, by paste and by the button; what cannot be sent is said, and one that was added can be
// taken out again.
func TestPanelAttachments(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.eval(`(window.drop = (type, ...files) => {
		const d = new DataTransfer();
		files.forEach(([name, mime, size]) => d.items.add(new File([new Uint8Array(size).fill(65)], name, {type: mime})));
		const on = document.querySelector(type === 'drop' ? '.composer' : '.composer textarea');
		on.dispatchEvent(type === 'drop' ? new DragEvent('drop', {dataTransfer: d, bubbles: true, cancelable: true}) : new ClipboardEvent('paste', {clipboardData: d, bubbles: true, cancelable: true}));
	}, drop('drop', ['a.png', 'image/png', 3], ['b.zip', 'application/zip', 3], ['c.pdf', 'application/pdf', 11 << 20]), 0)`, nil)
	p.until(`document.querySelectorAll('.composer .files li').length === 1 && [...document.querySelectorAll('.complaint')].map((c) => c.innerText).join() === 'b.zip cannot be attached: only pictures, PDF and text.,c.pdf is larger than 10 MB.'`)
	p.eval(`(drop('paste', ['notes.md', '', 3], ['d.webp', 'image/webp', 1]), 0)`, nil)
	p.until(`document.querySelectorAll('.composer .files li').length === 3 && !document.querySelector('.complaint')`)
	p.eval(`document.querySelectorAll('.composer .files button')[2].focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelectorAll('.composer .files li').length === 2`)
	p.eval(`document.querySelector('.composer textarea').focus(), 0`, nil)
	p.typed("Look")
	p.keys("Enter")
	want := []any{map[string]any{"name": "a.png", "mime": "image/png", "data": "QUFB"}, map[string]any{"name": "notes.md", "mime": "text/plain", "data": "QUFB"}}
	if diff := cmp.Diff(want, p.last("run.start")["attachments"]); diff != "" {
		t.Errorf("attachments (-want +got):\n%s", diff)
	}
	p.until(`document.querySelectorAll('.question .files li').length === 2 && !document.querySelector('.composer .files')`)
}

// The banner says why there is no line and what to do; the panel comes back by itself; pairing shows its code.
func TestPanelConnection(t *testing.T) {
	p := newPanel(t)
	p.open("panel.html")
	p.until(`document.querySelector('.banner').innerText.includes('not paired')`)
	p.eval(`document.querySelector('.banner button').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelector('.code').innerText === '493817'`)
	p.eval(`(fake.confirm(), 0)`, nil)
	p.until(`!document.querySelector('.banner') && document.querySelector('.welcome')`)
	p.eval(`(fake.online = false, fake.drop(), 0)`, nil)
	p.until(`document.querySelector('.banner').innerText.includes('wb up') && document.querySelector('.send').disabled`)
	p.eval(`(fake.online = true, 0)`, nil)
	p.until(`!document.querySelector('.banner')`)
	p.eval(`(fake.refuse = 'this pairing was revoked', fake.drop(), 0)`, nil)
	p.until(`document.querySelector('.banner').innerText.includes('this pairing was revoked')`)
}

// The address that brings a token is cleaned at once, so that it is in no history.
func TestPanelForgetsTheAddress(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.until(`location.hash === '' && !location.href.includes('token')`)
	var hello map[string]any
	p.eval(`fake.calls.find((c) => c.method === 'hello').params`, &hello)
	const proof = "a7f89dab2e6496f3ef3fb8ceb31dd3de6c59ef4b8cf2ed924777d4fd58d94ada" // HMAC-SHA-256 of "n\npanel" under "t"
	if _, sent := hello["token"]; sent || hello["client"] != "c" || hello["role"] != "panel" || hello["proof"] != proof {
		t.Errorf("hello: %v", hello)
	}
}

// Detail has three levels; the deepest shows what the model was sent for a step, exactly.
func TestPanelDetail(t *testing.T) {
	p := newPanel(t)
	p.paired()
	p.load("shop")
	p.until(`document.querySelectorAll('.tool').length === 6 && !document.querySelector('.stepmark')`)
	level := func() { p.eval(`document.querySelector('.level').focus(), 0`, nil); p.keys("Enter") }
	level()
	p.until(`document.querySelectorAll('.stepmark').length === 3`)
	p.eval(`document.querySelector('.stepmark button').focus(), 0`, nil)
	p.keys("Enter")
	p.until(`document.querySelector('.payload').innerText.includes('exactly this')`)
	if diff := cmp.Diff(map[string]any{"run": "r1", "call": "k1"}, p.last("payload")); diff != "" {
		t.Errorf("payload (-want +got):\n%s", diff)
	}
	level()
	p.until(`document.querySelectorAll('.tool').length === 0 && document.querySelector('.markdown')`)
}
