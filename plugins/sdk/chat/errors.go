package chat

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// post sends a request and returns the open body of a good answer.
func post(h *sdk.Host, req sdk.ChatRequest, url string, headers map[string]string, body string) (sdk.FetchHead, *sdk.Handle, error) {
	all := map[string]string{"Content-Type": "application/json"}
	if req.Stream {
		all["Accept"] = "text/event-stream"
	}
	return fetch(h, req.Endpoint, sdk.FetchRequest{URL: url, Method: "POST", Headers: merge(all, headers, req.Endpoint.Headers),
		Body: body, Stream: true, Retry: true})
}

// Get reads a small JSON answer into v.
func Get(h *sdk.Host, e sdk.Endpoint, url string, headers map[string]string, v any) error {
	_, body, err := fetch(h, e, sdk.FetchRequest{URL: url, Headers: merge(headers, e.Headers), Retry: true})
	if err != nil {
		return err
	}
	defer body.Close()
	raw, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err == nil {
		err = json.Unmarshal(raw, v)
	}
	if err != nil && sdk.CodeOf(err) == "" {
		err = &sdk.Error{Code: "model", Msg: url + ": " + err.Error(), Fix: "check base_url"}
	}
	return err
}

func fetch(h *sdk.Host, e sdk.Endpoint, r sdk.FetchRequest) (sdk.FetchHead, *sdk.Handle, error) {
	head, body, err := h.Fetch(r)
	if err != nil {
		return head, nil, err
	}
	if head.Status >= 200 && head.Status < 300 {
		return head, body, nil
	}
	defer body.Close()
	raw, _ := io.ReadAll(io.LimitReader(body, 16<<10)) // the status says the most of it
	return head, nil, failed(e, head.Status, message(raw))
}

func merge(all ...map[string]string) map[string]string {
	out := map[string]string{}
	for _, m := range all {
		for k, v := range m {
			out[k] = v
		}
	}
	return out
}

func header(h sdk.FetchHead, name string) string {
	for k, v := range h.Headers {
		if strings.EqualFold(k, name) {
			return v
		}
	}
	return ""
}

// message finds the message in the shapes that endpoints use for errors.
func message(raw []byte) string {
	var shapes struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(raw, &shapes) == nil {
		for _, v := range []json.RawMessage{shapes.Error, shapes.Detail} {
			var o struct{ Message, Type, Code any }
			var s string
			if json.Unmarshal(v, &o) == nil && o.Message != nil {
				return strings.TrimSpace(fmt.Sprint(o.Message, words(o.Type), words(o.Code)))
			}
			if json.Unmarshal(v, &s) == nil && s != "" {
				return s
			}
		}
		if shapes.Message != "" {
			return shapes.Message
		}
	}
	return cut(strings.TrimSpace(string(raw)), 500)
}

// words adds a type or code that is a word to a message.
func words(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return " (" + s + ")"
	}
	return ""
}

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "") + "…"
	}
	return s
}

var overflow = regexp.MustCompile(`(?i)context[ _]?(length|window|size)|maximum (context|prompt)|prompt is too long|too many (input )?tokens|input is too long|reduce the length|exceeds? the (available )?(context|model)|request_too_large`)

// failed maps an endpoint's error to a code. Status 0 stands for an error within a stream.
func failed(e sdk.Endpoint, status int, msg string) *sdk.Error {
	err := &sdk.Error{Code: "model", Msg: fmt.Sprintf("model %s: HTTP %d: %s", e.ID, status, cut(msg, 1_000)), Fix: "check model and base_url of provider " + e.ID}
	if status == 0 {
		err.Msg, err.Fix = fmt.Sprintf("model %s: %s", e.ID, cut(msg, 1_000)), "try again"
	}
	low := strings.ToLower(msg)
	switch {
	case status == 401 || status == 403 || status == 0 && strings.Contains(low, "authentication_error"):
		err.Code, err.Fix = "auth", "check the key of provider "+e.ID
		if e.Secret != "" {
			err.Fix = "check the secret " + e.Secret
		}
	case status == 413 || overflow.MatchString(msg):
		err.Code, err.Fix = "overflow", "send less, or set the model's context window in the config"
	case status == 429 || status == 0 && strings.Contains(low, "rate_limit"):
		err.Code, err.Fix = "rate_limited", "wait, or check the quota of provider "+e.ID
	case status >= 500 || strings.Contains(low, "overloaded"):
		err.Fix = "the endpoint has a problem; try again later"
	}
	return err
}
