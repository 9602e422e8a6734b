// Package openai is the provider of endpoints that speak OpenAI's chat completions, as most do.
// It holds no key and no conversation: what to send where comes with each request.
package openai

import (
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/chat"
)

// Plugin returns the plugin.
func Plugin() sdk.Plugin {
	client := chat.New(family{})
	return sdk.Plugin{Name: "openai", Version: "0.1.0", Provider: &sdk.Provider{Chat: client.Chat, Models: models}}
}

type family struct{}

func base(e sdk.Endpoint) string { return strings.TrimRight(e.BaseURL, "/") }

func auth(e sdk.Endpoint) map[string]string {
	if e.Secret == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer {{secret:" + e.Secret + "}}"}
}

func models(h *sdk.Host, e sdk.Endpoint) ([]string, error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := chat.Get(h, e, base(e)+"/models", auth(e), &list); err != nil {
		return nil, err
	}
	ids := []string{}
	for _, m := range list.Data {
		ids = append(ids, m.ID)
	}
	return ids, nil
}
