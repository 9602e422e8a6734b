package primitive

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// scriptedTab is a tab with one field; it remembers what was typed.
type scriptedTab struct {
	ports.Tab
	secret bool
	origin string
	typed  string
}

func (t *scriptedTab) Read(context.Context, string, string, json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(fmt.Sprintf(`{"secret":%t,"origin":%q}`, t.secret, t.origin)), nil
}

func (t *scriptedTab) Input(_ context.Context, in ports.Input) (ports.InputResult, error) {
	t.typed = in.Text
	return ports.InputResult{}, nil
}

func (t *scriptedTab) Info(context.Context) (ports.TabInfo, error) {
	return ports.TabInfo{ID: "t1", URL: "about:blank"}, nil
}

type scriptedBrowser struct {
	ports.Browser
	tab ports.Tab
}

func (b scriptedBrowser) Tabs(context.Context) ([]ports.TabInfo, error) {
	return []ports.TabInfo{{ID: "t1", URL: "about:blank"}}, nil
}

func (b scriptedBrowser) Tab(context.Context, string) (ports.Tab, error) { return b.tab, nil }

type oneSecret struct{}

func (oneSecret) Secret(_ context.Context, name string) (ports.Secret, error) {
	if name != "SHOP" {
		return ports.Secret{}, ports.NewError(ports.CodeAuth, "not set", "set it")
	}
	return ports.Secret{Value: "hunter22", Origins: []string{"https://shop.example"}}, nil
}

// A secret goes by name into secret fields of the origins it is bound to, and nowhere else.
func TestTypedSecrets(t *testing.T) {
	tests := map[string]struct {
		text, ref, origin string
		secret            bool
		want, wantCode    string
		seen              bool
	}{
		"bound":               {"{{secret:SHOP}}", "e1", "https://shop.example", true, "hunter22", "", true},
		"another origin":      {"{{secret:SHOP}}", "e1", "https://evil.example", true, "", ports.CodeRefused, false},
		"a field that shows":  {"{{secret:SHOP}}", "e1", "https://shop.example", false, "", ports.CodeRefused, false},
		"unknown":             {"{{secret:OTHER}}", "e1", "https://shop.example", true, "", ports.CodeAuth, false},
		"without a ref":       {"{{secret:SHOP}}", "", "https://shop.example", true, "", ports.CodeRefused, false},
		"part of a text":      {"x{{secret:SHOP}}", "e1", "https://shop.example", false, "x{{secret:SHOP}}", "", false},
		"in clear, is learnt": {"pa55word", "e1", "https://shop.example", true, "pa55word", "", true},
		"plain":               {"Ada", "e1", "https://shop.example", false, "Ada", "", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tab, seen := &scriptedTab{secret: tt.secret, origin: tt.origin}, ""
			b := NewBrowser(func(context.Context) (ports.Browser, error) { return scriptedBrowser{tab: tab}, nil },
				Vault{Secrets: oneSecret{}, Seen: func(v string) { seen = v }})
			_, err := b.input(t.Context(), ports.Call{Tool: "browser.input", Args: ports.JSON(ports.Input{Kind: "text", Text: tt.text, Ref: tt.ref})})
			if ports.CodeOf(err) != tt.wantCode || tab.typed != tt.want {
				t.Errorf("typed %q, %v; want %q, %s", tab.typed, err, tt.want, tt.wantCode)
			}
			if (seen != "") != tt.seen {
				t.Errorf("seen %q, want seen %v", seen, tt.seen)
			}
		})
	}
}

// TestEchoedSecrets: a page that shows what was typed does not show it to a model.
func TestEchoedSecrets(t *testing.T) {
	tab := &scriptedTab{secret: true, origin: "https://shop.example"}
	b := NewBrowser(func(context.Context) (ports.Browser, error) { return scriptedBrowser{tab: tab}, nil }, Vault{Secrets: oneSecret{}})
	_, err := b.input(t.Context(), ports.Call{Tool: "browser.input", Args: ports.JSON(ports.Input{Kind: "text", Text: "{{secret:SHOP}}", Ref: "e1"})})
	if err != nil {
		t.Fatal(err)
	}
	echo := b.withoutSecrets(func(context.Context, ports.Call) (ports.Result, error) {
		res := ports.DataResult(map[string]string{"text": "you are hunter22", "url": "/?p=aHVudGVyMjI="})
		res.Content = append(res.Content, ports.Content{Type: "text", Text: "hunter22"})
		return res, ports.NewError(ports.CodeDialogOpen, "it says hunter22", "answer hunter22")
	})
	res, err := echo(t.Context(), ports.Call{})
	said := string(res.Data) + res.Text() + err.Error() + ports.FixOf(err)
	if strings.Contains(said, "hunter22") || strings.Contains(said, "aHVudGVyMjI") || ports.CodeOf(err) != ports.CodeDialogOpen || !json.Valid(res.Data) {
		t.Errorf("a page gave it away: %s", said)
	}
}
