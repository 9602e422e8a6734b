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
	Top     string   // origin of the tab's top document, "" before there is one
	Frame   string   // origin of the document that would be acted on
	Around  []string // origins of the documents around that one, and of where something is dropped
	Action  string   // absolute URL that the form would be sent to, "" if the element sends none
	Method  string   // of the form, upper case
	Submits bool     // the gesture would submit the form
	Link    string   // absolute URL of the link under the gesture
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
	Enters   bool   `json:"enters"`  // Enter would submit, though a click would not
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

// facts says what a gesture on the element would touch. enter: it would be a key that triggers.
func (e Element) facts(enter bool) Facts {
	f := Facts{Kind: KindWrite, Role: e.Role, Name: e.Name, Secret: e.Secret, Link: e.Href}
	f.Submits = e.Submits && !e.Editable || enter && (e.Submits || e.Enters)
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
	if !strings.ContainsAny(host, ".:") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".home.arpa") {
		return true // a bare name is looked up on the network at hand
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".internal") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return local(ip)
}

// local reports whether an address leads anywhere but to the public internet, also through the ranges that
// carry an IPv4 address in an IPv6 one.
func local(ip netip.Addr) bool {
	ip = ip.Unmap()
	if ip.Zone() != "" || !ip.IsGlobalUnicast() || ip.IsPrivate() {
		return true // loopback, link-local, multicast and unspecified among them
	}
	for _, n := range []string{"0.0.0.0/8", "100.64.0.0/10", "168.63.129.16/32", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4", "::/96", "64:ff9b:1::/48", "fec0::/10"} {
		if netip.MustParsePrefix(n).Contains(ip) {
			return true
		}
	}
	b := ip.As16()
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return local(netip.AddrFrom4([4]byte(b[12:16])))
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return local(netip.AddrFrom4([4]byte(b[2:6])))
	}
	return false
}

// args decodes what the judged primitives have in common.
type args struct {
	Op     string   `json:"op"`
	Kind   string   `json:"kind"`
	Tab    string   `json:"tab"`
	Frame  string   `json:"frame"`
	Ref    string   `json:"ref"`
	Force  bool     `json:"force"`
	To     string   `json:"to"`
	X      float64  `json:"x"`
	Y      float64  `json:"y"`
	ToX    float64  `json:"to_x"`
	ToY    float64  `json:"to_y"`
	Keys   []string `json:"keys"`
	URL    string   `json:"url"`
	Method string   `json:"method"`
}

func parse(c ports.Call) (a args, err error) {
	if err := json.Unmarshal(c.Args, &a); err != nil {
		return a, ports.NewError(ports.CodeInvalidArgs, c.Tool+": "+err.Error(), "")
	}
	return a, nil
}

// actsOn is the ref that the page script will act on: args.ref in exactly these letters, as the script
// reads it. Go would take Ref for ref, and so judge another element.
func actsOn(raw json.RawMessage) (string, error) {
	var a struct {
		Args map[string]json.RawMessage `json:"args"`
	}
	var ref string
	if err := json.Unmarshal(raw, &a); err != nil {
		return "", ports.NewError(ports.CodeInvalidArgs, "browser.act: "+err.Error(), "")
	}
	for k := range a.Args {
		if k != "ref" && strings.EqualFold(k, "ref") {
			return "", ports.NewError(ports.CodeInvalidArgs, "browser.act: args has "+k, "write ref")
		}
	}
	if r, ok := a.Args["ref"]; ok && json.Unmarshal(r, &ref) != nil {
		return "", ports.NewError(ports.CodeInvalidArgs, "browser.act: ref is not a text", "")
	}
	return ref, nil
}
