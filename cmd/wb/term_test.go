package main

import (
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// A refusal is shown whole, with the line that would allow it, however narrow the terminal is.
func TestRefusalIsShownWhole(t *testing.T) {
	const why = "browser.input refused (consequence:pay): button \"Buy\" on http://shop.example:8080 would spend money, and nobody is here to confirm it"
	const fix = "to allow it, put under allow: in the policy file: - {origin: \"http://shop.example:8080\", do: [pay]}"
	for name, tt := range map[string]struct {
		data  string
		shown bool
	}{
		"refused":          {`{"error":true,"receipt":null}`, true},
		"a page says so":   {`{"verdict":"done"}`, false},
		"a reader says so": {``, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			s := &screen{w: &out, width: 60}
			s.event(ports.Event{Kind: ports.EventToolEnd, Tool: "click_ax", Text: "error (refused): " + why + "\nwhat to do: " + fix, Data: []byte(tt.data)})
			if got := strings.Contains(out.String(), "refused: "+why+"\n") && strings.Contains(out.String(), "fix: "+fix+"\n"); got != tt.shown {
				t.Errorf("shown: %v\n%s", got, out.String())
			}
		})
	}
}
