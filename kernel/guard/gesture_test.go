package guard

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// scriptedTab is a page of shop with a frame of ads, in which there is another frame of shop.
type scriptedTab struct {
	ports.Tab
	answers map[string]string // by frame, operation and arguments
}

func (t scriptedTab) Frames(context.Context) ([]ports.Frame, error) {
	return []ports.Frame{{ID: "f0", Origin: shop}, {ID: "f1", Parent: "f0", Origin: "https://ads.example", Owner: "e9"},
		{ID: "f2", Parent: "f1", Origin: shop, Owner: "f1e1"}}, nil
}

func (t scriptedTab) Read(_ context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error) {
	a, ok := t.answers[frame+" "+op+" "+string(args)]
	if !ok {
		return nil, ports.NewError(ports.CodeStaleRef, frame+" "+op+" "+string(args)+" is not scripted", "script it")
	}
	return json.RawMessage(a), nil
}

func (t scriptedTab) Page(context.Context, string, string) (ports.Tab, bool, error) {
	return t, true, nil
}

// TestGestures judges what a gesture would really touch, whatever else the call names.
func TestGestures(t *testing.T) {
	const harmless, pay = `{"role":"button","name":"Add"}`, `{"role":"button","name":"Pay now"}`
	const out = `"form":{"action":"https://evil.example/take","method":"get"}`
	tab := scriptedTab{answers: map[string]string{
		`f0 element {"ref":"e1"}`:   harmless,
		`f0 element {"ref":"e2"}`:   pay,
		`f0 element {"ref":"e3"}`:   `{"role":"checkbox","name":"News","enters":true,` + out + `}`,
		`f0 element {"ref":"e4"}`:   `{"role":"textbox","name":"Name","editable":true,"submits":true,` + out + `}`,
		`f0 element {"ref":"e5"}`:   `{"role":"clickable","name":"Delete account"}`,
		`f0 element {"ref":"e6"}`:   `{"role":"button","name":"Next","submits":true,"form":{"action":"` + shop + `","fields":["card"]}}`,
		`f2 element {"ref":"f2e1"}`: harmless,
		`f0 focus {}`:               `{"facts":{"role":"button","name":"Pay now"}}`,
		`f0 at {"x":0,"y":0}`:       `{"facts":{"role":"iframe","frame":true,"ref":"e9"}}`,
		`f0 at {"x":5,"y":5}`:       `{"facts":` + harmless + `}`,
		`f0 at {"x":7,"y":7}`:       `{"facts":` + harmless + `,"target":` + pay + `}`,
		`f0 point {"ref":"e1"}`:     `{"covered":true,"hit":{"ref":"e2"}}`,
		`f0 point {"ref":"e5"}`:     `{"covered":true,"hit":{"role":"","name":"nothing"}}`,
		`f0 point {"ref":"e2"}`:     `{"covered":false,"hit":{"ref":"e2"}}`,
	}}
	tests := map[string]struct {
		tool, args string
		want       string // part of the refusal, "" for allowed
	}{
		"click":                              {"input", `{"kind":"click","ref":"e1"}`, ""},
		"click that pays":                    {"input", `{"kind":"click","ref":"e2"}`, "spend money"},
		"what only listens":                  {"input", `{"kind":"click","ref":"e5"}`, "delete something"},
		"a form with a card":                 {"input", `{"kind":"click","ref":"e6"}`, "spend money"},
		"point":                              {"input", `{"kind":"click","x":5,"y":5}`, ""},
		"point that pays":                    {"input", `{"kind":"click","x":7,"y":7}`, "spend money"},
		"point in a frame":                   {"input", `{"kind":"click","x":0,"y":0}`, "cannot be judged by a point"},
		"no point is the corner":             {"input", `{"kind":"click"}`, "cannot be judged by a point"},
		"half a point is on the edge":        {"input", `{"kind":"click","x":5}`, "not scripted"},
		"a key goes to the focus":            {"input", `{"kind":"keys","keys":["Enter"],"x":5,"y":5}`, "spend money"},
		"space presses":                      {"input", `{"kind":"keys","keys":[" "]}`, "spend money"},
		"tab presses nothing":                {"input", `{"kind":"keys","keys":["Tab","Tab"]}`, ""},
		"text presses nothing":               {"input", `{"kind":"text","text":"x"}`, ""},
		"return is enter":                    {"input", `{"kind":"keys","keys":["Return"],"ref":"e4"}`, "evil.example"},
		"enter in small letters":             {"input", `{"kind":"keys","keys":["enter"],"ref":"e4"}`, "evil.example"},
		"enter with a modifier":              {"input", `{"kind":"keys","keys":["Control+Enter"],"ref":"e4"}`, "evil.example"},
		"characters submit nothing":          {"input", `{"kind":"keys","keys":["Control+a","x"],"ref":"e4"}`, ""},
		"enter on a checkbox":                {"input", `{"kind":"keys","keys":["Enter"],"ref":"e3"}`, "evil.example"},
		"click on a checkbox":                {"input", `{"kind":"click","ref":"e3"}`, ""},
		"enter behind tab":                   {"input", `{"kind":"keys","keys":["Tab","Enter"]}`, "one call each"},
		"text behind tab":                    {"input", `{"kind":"keys","keys":["Tab","x"]}`, "one call each"},
		"enter twice":                        {"input", `{"kind":"keys","keys":["Enter","Enter"]}`, "one call each"},
		"access key":                         {"input", `{"kind":"keys","keys":["Alt+s"]}`, "click that element"},
		"access key with shift":              {"input", `{"kind":"keys","keys":["Shift+Alt+s"]}`, "click that element"},
		"force clicks the cover":             {"input", `{"kind":"click","ref":"e1","force":true}`, "spend money"},
		"force on an unknown cover":          {"input", `{"kind":"click","ref":"e5","force":true}`, "cannot be judged"},
		"named frame in a strange one":       {"input", `{"kind":"click","ref":"f2e1"}`, "ads.example"},
		"drop on a cover":                    {"input", `{"kind":"drag","ref":"f2e1","to":"e1"}`, "ads.example"},
		"drop in a strange frame":            {"input", `{"kind":"drag","ref":"e1","to":"f2e1"}`, "ads.example"},
		"drop at a frame's point":            {"input", `{"kind":"drag","ref":"e1"}`, "cannot be judged by a point"},
		"script acts on its own ref":         {"act", `{"op":"click","args":{"ref":"e2"}}`, "spend money"},
		"script does not read Ref":           {"act", `{"op":"click","args":{"ref":"e2","Ref":"e1"}}`, "write ref"},
		"nor a ref beside args":              {"act", `{"op":"click","ref":"e1","args":{"ref":"e2"}}`, "spend money"},
		"script in a named and strange page": {"act", `{"op":"click","args":{"ref":"f2e1"}}`, "ads.example"},
		"code in a strange page's frame":     {"eval", `{"code":"1","frame":"f2"}`, "ads.example"},
	}
	g := New(Ground{Pages: tab}, func(string) []ports.Grant { return []ports.Grant{{Tool: "browser.*"}} })
	g.Begin("r", Policy{Origins: []string{shop}, Allow: []Rule{{Origin: shop, Do: []string{"eval"}}}})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tool := "browser." + tt.tool
			err := g.Allow(context.Background(), ports.Spec{Name: tool}, ports.Call{Run: "r", From: "page", Tool: tool, Args: json.RawMessage(tt.args)})
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error()+ports.FixOf(err), tt.want)) {
				t.Errorf("got %v (%s), want %q", err, ports.FixOf(err), tt.want)
			}
		})
	}
}

func TestPrivate(t *testing.T) {
	for url, want := range map[string]bool{
		"http://localhost": true, "http://localhost./": true, "http://router/": true, "http://nas.local": true, "http://a.localhost": true,
		"http://10.0.0.1": true, "http://[fd00::1]": true, "http://[::ffff:10.0.0.1]": true, "http://[64:ff9b::a00:1]": true, "http://[2002:a00:1::]": true,
		"http://0.0.0.0": true, "http://0.1.2.3": true, "http://168.63.129.16": true, "http://metadata.google.internal": true,
		"https://example.org": false, "http://1.1.1.1": false, "http://[2606:4700::1111]": false, "https://local.example": false,
	} {
		if got := Private(url); got != want {
			t.Errorf("%s: private %v, want %v", url, got, want)
		}
	}
}
