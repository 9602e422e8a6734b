package chat

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Quirks is what an endpoint was found to refuse. It is kept per endpoint.
type Quirks struct {
	NoTools         bool `json:"no_tools,omitempty"`          // tools go into the prompt
	NoStreamOptions bool `json:"no_stream_options,omitempty"` //
	NoTemperature   bool `json:"no_temperature,omitempty"`
	MaxCompletion   bool `json:"max_completion,omitempty"` // max_completion_tokens is the name
}

var (
	refuses   = regexp.MustCompile(`(?i)not support|unsupported|unknown|unrecognized|unexpected|extra (inputs|fields)|not permitted|not allowed|not available|not enabled|not implemented|requires --enable|can('t|not) be used|support tool use|only the default`)
	toolWords = regexp.MustCompile(`(?i)\b(tools?|tool_choice|tool[ _]?calls?|tool calling|functions?|function[ _]calling)\b`)
)

// without returns the quirks under which a refused request may be tried again, decided from the error.
func (q Quirks) without(err error, req sdk.ChatRequest) (Quirks, bool) {
	if sdk.CodeOf(err) != "model" {
		return q, false
	}
	old, msg := q, err.Error()
	if !refuses.MatchString(msg) {
		return q, false
	}
	switch {
	case strings.Contains(msg, "stream_options"):
		q.NoStreamOptions = true
	case strings.Contains(msg, "max_completion_tokens"):
		q.MaxCompletion = true
	case strings.Contains(msg, "temperature"):
		q.NoTemperature = true
	case toolWords.MatchString(msg) && (len(req.Tools) > 0 || hasCalls(req.Messages)):
		q.NoTools = true
	}
	return q, q != old
}

func key(e sdk.Endpoint) string {
	k := "quirks " + e.BaseURL + " " + e.Model
	return k[:min(len(k), 250)]
}

// recall reads what is known of an endpoint; a host that keeps nothing is as good.
func (c *Client) recall(h *sdk.Host, e sdk.Endpoint) Quirks {
	k := key(e)
	if q, ok := c.quirks[k]; ok {
		return q
	}
	var v struct {
		Value string `json:"value"`
	}
	var q Quirks
	if h.Call("kv.get", map[string]string{"key": k}, &v) == nil && v.Value != "" {
		_ = json.Unmarshal([]byte(v.Value), &q) // unreadable is unknown
	}
	c.quirks[k] = q
	return q
}

func (c *Client) remember(h *sdk.Host, e sdk.Endpoint, q Quirks) {
	c.quirks[key(e)] = q
	v, _ := json.Marshal(q)                                                         // booleans
	_ = h.Call("kv.put", map[string]string{"key": key(e), "value": string(v)}, nil) // found out again otherwise
}
