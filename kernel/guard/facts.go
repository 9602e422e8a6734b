package guard

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Facts is what a call would touch, read by the host from the live page just before. Nothing in it is a
// model's or a plugin's word, and page text in it (names) only ever makes a decision stricter.
type Facts struct {
	Kind    Kind
	Top     string // origin of the tab's top document, "" before there is one
	Frame   string // origin of the document that would be acted on
	Action  string // absolute URL that the form would be sent to, "" if the element sends none
	Method  string // of the form, upper case
	Submits bool   // the gesture would submit the form
	Link    string // absolute URL of the link under the gesture
	Role    string
	Name    string // accessible name
	Fields  []string
	Secret  bool   // the element holds a password, a one-time code or a card number
	URL     string // destination of a navigation or of a request
	Verb    string // HTTP method of a request, or the operation on a tab
	Own     bool   // the tab was opened by the run
}

// Kind is what sort of effect a primitive has.
type Kind string

// The kinds that are judged.
const (
	KindWrite Kind = "write" // browser.act, browser.input
	KindNav   Kind = "navigate"
	KindTab   Kind = "tab"
	KindEval  Kind = "eval"
	KindFetch Kind = "fetch"
	KindLook  Kind = "look" // browser.act or browser.input that only moves the view
)

// judged reports whether a primitive has an effect that Decide looks at. The rest only look, or touch
// wb's own state under the caller's grant.
func judged(tool string) bool {
	switch tool {
	case "browser.act", "browser.input", "browser.nav", "browser.tabs", "browser.eval", "http.fetch":
		return true
	}
	return false
}

// Element is the part of the page script's answer to "element" and "focus" that the guard reads.
type Element struct {
	Role     string `json:"role"`
	Name     string `json:"name"`
	Secret   bool   `json:"secret"`
	Editable bool   `json:"editable"`
	Submits  bool   `json:"submits"` // a click, or Enter in a field, would submit
	Href     string `json:"href"`
	Origin   string `json:"origin"` // of its document
	IsFrame  bool   `json:"frame"`
	Form     *struct {
		Action string   `json:"action"`
		Method string   `json:"method"`
		Name   string   `json:"name"`
		Fields []string `json:"fields"`
	} `json:"form"`
}

// facts says what a gesture on the element would touch. enter: it would be the Enter key.
func (e Element) facts(top, frame string, enter bool) Facts {
	f := Facts{Kind: KindWrite, Top: top, Frame: frame, Role: e.Role, Name: e.Name, Secret: e.Secret, Link: e.Href}
	f.Submits = e.Submits && (enter || !e.Editable)
	if e.Form != nil {
		f.Fields = e.Form.Fields
		if f.Submits {
			f.Action, f.Method = e.Form.Action, strings.ToUpper(e.Form.Method)
		}
	}
	return f
}

// OriginOf returns scheme://host[:port] of an http(s) URL in its canonical form, or "" for anything else.
func OriginOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return ""
	}
	scheme, host, port := strings.ToLower(u.Scheme), strings.ToLower(u.Hostname()), u.Port()
	if scheme != "http" && scheme != "https" {
		return ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// Private reports whether a URL names a loopback, private or link-local host by its literal address or by
// a name that is always local. Names that resolve to such addresses are ports/fetch's business.
func Private(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return true
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	ip = ip.Unmap()
	cgnat := netip.MustParsePrefix("100.64.0.0/10")
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || cgnat.Contains(ip)
}

// args decodes what the judged primitives have in common.
type args struct {
	Op     string   `json:"op"`
	Kind   string   `json:"kind"`
	Tab    string   `json:"tab"`
	Frame  string   `json:"frame"`
	Ref    string   `json:"ref"`
	To     string   `json:"to"`
	X      *float64 `json:"x"`
	Y      *float64 `json:"y"`
	Keys   []string `json:"keys"`
	URL    string   `json:"url"`
	Method string   `json:"method"`
	Args   struct {
		Ref string `json:"ref"`
	} `json:"args"`
}

func parse(c ports.Call) (a args, err error) {
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return a, ports.NewError(ports.CodeInvalidArgs, c.Tool+": "+err.Error(), "")
	}
	if a.Ref == "" {
		a.Ref = a.Args.Ref
	}
	return a, nil
}
