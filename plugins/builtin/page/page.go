// Package page is the built-in plugin that looks at pages and acts in them as a person would.
//
// It is a plugin like a stranger's: all it can do is ask the host for browser.read, browser.act,
// browser.input and browser.capture. Every acting tool goes through act.go and returns a receipt. Read
// act.go, then click.go and fill.go; read.go has the tools that only look.
package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Plugin is the plugin.
func Plugin() sdk.Plugin {
	return sdk.Plugin{Name: "page", Version: "0.1.0", Tools: append(reading(), acting()...)}
}

var (
	anyMode = []string{"ask", "act", "dev"}
	actMode = []string{"act", "dev"}
	midUp   = []string{"mid", "full"}
	full    = []string{"full"}
)

// rect is an element's box in CSS px of its frame's viewport.
type rect struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
	W float64 `json:"w"`
	H float64 `json:"h"`
}

// facts is what the page script knows of an element.
type facts struct {
	Ref         string   `json:"ref"`
	Role        string   `json:"role"`
	Name        string   `json:"name"`
	Tag         string   `json:"tag"`
	Type        string   `json:"type"`
	Popup       string   `json:"popup"`
	Value       string   `json:"value"`
	ValueLength int      `json:"valueLength"`
	Secret      bool     `json:"secret"`
	States      []string `json:"states"`
	Visible     bool     `json:"visible"`
	Editable    bool     `json:"editable"`
	Href        string   `json:"href"`
	Submits     bool     `json:"submits"`
	In          string   `json:"in"`
	URL         string   `json:"url"`
	Options     []string `json:"options"`
	Rect        rect     `json:"rect"`
	Fingerprint string   `json:"fingerprint"`
}

func (f facts) is(state string) bool {
	for _, s := range f.States {
		if s == state {
			return true
		}
	}
	return false
}

func (f facts) target() *sdk.Target {
	return &sdk.Target{Ref: f.Ref, Role: f.Role, Name: cut(f.Name, 100), In: cut(f.In, 100), Fingerprint: f.Fingerprint}
}

// candidate is an element that may be meant.
type candidate struct {
	Ref    string `json:"ref"`
	Role   string `json:"role"`
	Name   string `json:"name"`
	Rect   rect   `json:"rect"`
	In     string `json:"in,omitempty"`
	InView bool   `json:"inView,omitempty"`
}

func (c candidate) String() string {
	s := fmt.Sprintf("%s %q [%s] at %.0f,%.0f %.0fx%.0f", c.Role, cut(c.Name, 60), c.Ref, c.Rect.X, c.Rect.Y, c.Rect.W, c.Rect.H)
	if c.In != "" {
		s += " in " + cut(c.In, 60)
	}
	return s
}

// read asks the page script a question about the frame of ref, or of the top frame.
func read(h *sdk.Host, op string, args, out any) error {
	return h.Call("browser.read", map[string]any{"op": op, "args": args}, out)
}

// act runs an operation of the script channel.
func act(h *sdk.Host, op string, args, out any) error {
	return h.Call("browser.act", map[string]any{"op": op, "args": args}, out)
}

// element grounds a ref.
func element(h *sdk.Host, ref string) (f facts, err error) {
	if ref = bare(ref); ref == "" {
		return f, &sdk.Error{Code: "invalid_args", Msg: "ref_id is empty", Fix: "take one from get_accessibility_tree, such as e12"}
	}
	return f, read(h, "element", map[string]string{"ref": ref}, &f)
}

// bare takes what models put around a ref away: brackets, and "ref=".
func bare(ref string) string {
	return strings.Trim(strings.TrimPrefix(strings.TrimSpace(ref), "ref="), "[]\"' ")
}

// cut shortens text to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // values of this package always encode
	}
	return b
}
