// Package anthropic is the provider of endpoints that speak Anthropic's messages API.
// It holds no key and no conversation: what to send where comes with each request.
package anthropic

import (
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/chat"
)

// Plugin returns the plugin.
func Plugin() sdk.Plugin {
	client := chat.New(family{})
	return sdk.Plugin{Name: "anthropic", Version: "0.1.0", Provider: &sdk.Provider{Chat: client.Chat, Models: models}}
}

type family struct{}

func base(e sdk.Endpoint) string { return strings.TrimRight(e.BaseURL, "/") }

func headers(e sdk.Endpoint) map[string]string {
	h := map[string]string{"anthropic-version": "2023-06-01"}
	if e.Secret != "" {
		h["x-api-key"] = "{{secret:" + e.Secret + "}}"
	}
	return h
}

func models(h *sdk.Host, e sdk.Endpoint) ([]string, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := chat.Get(h, e, base(e)+"/models?limit=1000", headers(e), &list); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids, nil
}
