package page

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk/sdktest"
)

// A page that draws itself after its document is there is looked at again once it is quiet, and only then.
func TestFirstLook(t *testing.T) {
	tests := map[string]struct {
		tool  string
		looks []string // answers to snapshot or text, the last for ever
		want  string
		waits int
	}{
		"drawn":        {"get_accessibility_tree", []string{`{"total_chars":12,"url":"http://x/"}`}, "total_chars", 0},
		"drawn late":   {"get_accessibility_tree", []string{`{"total_chars":0}`, `{"total_chars":12,"title":"late"}`}, "late", 1},
		"never":        {"get_accessibility_tree", []string{`{"total_chars":0}`}, "shows nothing", 1},
		"prose":        {"read_page", []string{`{"text":"here","total":4}`}, "here", 0},
		"prose, later": {"read_page", []string{`{"text":"","total":0}`, `{"text":"here","total":4}`}, "here", 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			looks, waits := 0, 0
			res, err := sdktest.Run(t, Plugin(), sdktest.Tools{"browser.read": func(raw json.RawMessage) (any, error) {
				switch {
				case strings.Contains(string(raw), `"op":"late"`):
					return json.RawMessage(`{"since":[]}`), nil
				case strings.Contains(string(raw), `"op":"baseline"`):
					return json.RawMessage(`{"token":"t"}`), nil
				case strings.Contains(string(raw), `"op":"settle"`):
					waits++
					return json.RawMessage(`{"settled":true}`), nil
				}
				looks++
				return json.RawMessage(tt.looks[min(looks, len(tt.looks))-1]), nil
			}}).Call(tt.tool, json.RawMessage(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(res.Text(), tt.want) || waits != tt.waits {
				t.Errorf("waited %d times for %q, want %d and %q", waits, res.Text(), tt.waits, tt.want)
			}
		})
	}
}
