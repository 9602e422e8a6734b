package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/wb-agent/wb/plugins/sdk"
)

type none struct{}

// probe uses everything that the host offers beside plain calls.
func probe() sdk.Plugin {
	return sdk.Plugin{Name: "probe", Version: "0.1.0", Provider: &sdk.Provider{Chat: echo, Models: models},
		Adapter: &sdk.Adapter{Match: func(url string) ([]string, error) { return []string{"note on " + url}, nil }},
		Tools: []sdk.AnyTool{
			sdk.Tool[none, string]{Name: "probe_fetch", Risk: "read", Run: fetch},
			sdk.Tool[none, string]{Name: "probe_attach", Risk: "act", Modes: []string{"ask", "act"}, Run: attach},
			sdk.Tool[none, sdk.Content]{Name: "probe_pass", Run: pass},
			sdk.Tool[none, string]{Name: "probe_long", Run: long},
			sdk.Tool[none, string]{Name: "probe_note", Run: note},
			sdk.Tool[none, string]{Name: "probe_where", Run: func(h *sdk.Host, _ none) (string, error) {
				return h.Tab() + " " + h.Mode() + " " + h.Tier(), nil
			}},
			sdk.Tool[none, string]{Name: "probe_ask", Run: func(h *sdk.Host, _ none) (string, error) {
				a, err := h.Ask(sdk.Question{Kind: "clarify", Text: "which?"})
				return a.Text, err
			}},
			sdk.RawTool{Name: "probe_fail", Run: func(*sdk.Host, json.RawMessage) (sdk.Result, error) {
				return sdk.Result{}, fmt.Errorf("while looking: %w", &sdk.Error{Code: "stale_ref", Msg: "e3 is gone", Fix: "look again"})
			}},
		}}
}

func fetch(h *sdk.Host, _ none) (string, error) {
	head, body, err := h.Fetch(sdk.FetchRequest{URL: "https://a.example/", Stream: true})
	if err != nil {
		return "", err
	}
	b, err := io.ReadAll(body)
	return fmt.Sprintf("%d %s", head.Status, b), err
}

// attach sends a picture on without reading it.
func attach(h *sdk.Host, _ none) (string, error) {
	r, err := h.CallResult("shot", nil)
	if err != nil {
		return "", err
	}
	return "sent", h.Call("http.fetch", sdk.FetchRequest{URL: "https://a.example/", Method: "POST", Body: "x {{attach:" + r.Handle() + "}}"}, nil)
}

func pass(h *sdk.Host, _ none) (sdk.Content, error) {
	r, err := h.CallResult("shot", nil)
	return sdk.Held(r.Handle(), ""), err
}

// long looks for a needle in a text that it does not take in.
func long(h *sdk.Host, _ none) (string, error) {
	r, err := h.CallResult("long", nil)
	if err != nil {
		return "", err
	}
	c := r.Content[0]
	text := h.Open(c.Handle)
	at, err := text.Find("needle", 5)
	if err != nil {
		return "", err
	}
	b := make([]byte, 8)
	if _, err := text.ReadAt(b, at); err != nil {
		return "", err
	}
	if err := text.Close(); err != nil {
		return "", err
	}
	_, gone := text.Read(b)
	return fmt.Sprintf("%d of %d, head %d: %s, then %s", at, c.Bytes, len(c.Text), b, sdk.CodeOf(gone)), nil
}

func note(h *sdk.Host, _ none) (string, error) {
	h.Progress(1, 2, "half")
	h.Log("warning", "careful")
	return "noted", nil
}

func models(*sdk.Host, sdk.Endpoint) ([]string, error) { return []string{"a", "b"}, nil }

// echo streams the texts back and measures the pictures.
func echo(h *sdk.Host, req sdk.ChatRequest, emit func(sdk.Delta)) (r sdk.ChatReply, err error) {
	for _, m := range req.Messages {
		for _, p := range m.Content {
			text := p.Text
			if p.Handle != "" {
				b, err := io.ReadAll(h.Open(p.Handle))
				if err != nil || len(p.Data) > 0 {
					return r, err
				}
				text = fmt.Sprintf("%s of %d bytes", p.MIME, len(b))
			}
			emit(sdk.Delta{Text: text})
			r.Message.Content = append(r.Message.Content, sdk.Part{Type: "text", Text: text})
		}
	}
	r.Finish = "stop"
	return r, nil
}
