package bidi

import "github.com/wb-agent/wb/ports"

// printing tells us that a page asks to print. Printing is off here and Firefox says nothing of it, but a person
// would have seen a window. A page can ask often, and is heard twenty times a document.
const printing = `(tell)=>{const go=window.print;let n=0;if(typeof go==="function")window.print=function print(){if(n++<20)tell("");return Reflect.apply(go,window,[])}}`

// printChannel is the channel on which it is told.
const printChannel = "wb-print"

// spoken is what a script says through a channel.
type spoken struct {
	Channel string `json:"channel"`
	Source  struct {
		Context string `json:"context"`
	} `json:"source"`
}

func (b *Browser) spoke(e spoken) {
	if f := b.frames[e.Source.Context]; f != nil && e.Channel == printChannel {
		b.notice(ports.Notice{Kind: "print", Tab: f.tab.id, Text: "the page asked to print; no print window opens here"})
	}
}
