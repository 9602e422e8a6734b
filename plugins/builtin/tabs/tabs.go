// Package tabs is the built-in plugin that moves between pages and tabs.
//
// Navigation returns a receipt: where the tab is now decides, not that a request was sent.
package tabs

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Plugin is the plugin.
func Plugin() sdk.Plugin {
	anyMode, midUp := []string{"ask", "act", "dev"}, []string{"mid", "full"}
	return sdk.Plugin{Name: "tabs", Version: "0.1.0", Tools: []sdk.AnyTool{
		sdk.Tool[navigateIn, sdk.Result]{Name: "navigate", About: "Go to a URL in this tab and wait for the page.", Risk: "read", Modes: anyMode, Run: navigate},
		sdk.Tool[stepsIn, sdk.Result]{Name: "go_back", About: "Go back in the tab's history.", Risk: "read", Modes: anyMode, Tiers: midUp,
			Run: func(h *sdk.Host, in stepsIn) (sdk.Result, error) { return move(h, "go back", -1, in) }},
		sdk.Tool[stepsIn, sdk.Result]{Name: "go_forward", About: "Go forward in the tab's history.", Risk: "read", Modes: anyMode, Tiers: midUp,
			Run: func(h *sdk.Host, in stepsIn) (sdk.Result, error) { return move(h, "go forward", 1, in) }},
		sdk.Tool[newTabIn, string]{Name: "new_tab", About: "Open a tab and work in it from now on.", Risk: "read", Modes: anyMode, Tiers: midUp, Run: newTab},
		sdk.Tool[struct{}, string]{Name: "list_tabs", About: "List the open tabs.", Risk: "read", Modes: anyMode, Run: listTabs},
		sdk.Tool[tabIn, string]{Name: "activate_tab", About: "Work in another open tab from now on.", Risk: "read", Modes: anyMode, Tiers: midUp, Run: activate},
		sdk.Tool[tabIn, string]{Name: "close_tab", About: "Close a tab that this run opened.", Risk: "act", Modes: []string{"act", "dev"}, Tiers: midUp, Run: closeTab},
		sdk.Tool[dialogIn, string]{Name: "handle_dialog", About: "Answer the browser dialog (confirm, prompt, leave page) that is open.", Risk: "act", Modes: []string{"act", "dev"}, Run: dialog},
	}}
}

type navigateIn struct {
	URL   string `json:"url" doc:"absolute, http or https"`
	Force bool   `json:"force,omitempty" doc:"leave even if the page holds unsaved input"`
}

type stepsIn struct {
	Steps int  `json:"steps,omitempty" min:"1" max:"10" doc:"default 1"`
	Force bool `json:"force,omitempty" doc:"leave even if the page holds unsaved input"`
}

type newTabIn struct {
	URL string `json:"url,omitempty" doc:"absolute, http or https"`
}

type tabIn struct {
	Tab string `json:"tab" doc:"id from list_tabs"`
}

type dialogIn struct {
	Accept bool   `json:"accept" doc:"OK, or Cancel"`
	Text   string `json:"text,omitempty" doc:"for a prompt"`
}

type place struct {
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Same   bool   `json:"same"`
}

func navigate(h *sdk.Host, in navigateIn) (sdk.Result, error) {
	url := strings.TrimSpace(in.URL)
	if !strings.Contains(url, "://") && !strings.HasPrefix(url, "about:") {
		url = "https://" + url
	}
	return went(h, "navigate", map[string]any{"url": url, "force": in.Force})
}

func move(h *sdk.Host, action string, sign int, in stepsIn) (sdk.Result, error) {
	return went(h, action, map[string]any{"delta": sign * max(1, in.Steps), "force": in.Force})
}

// went navigates and says where the tab is now.
func went(h *sdk.Host, action string, args map[string]any) (sdk.Result, error) {
	r := sdk.Receipt{Action: action, Verdict: sdk.Done}
	var p place
	err := h.Call("browser.nav", args, &p)
	switch sdk.CodeOf(err) {
	case "":
		if err != nil {
			return sdk.Result{}, err
		}
	case "unsaved", "nav_failed", "blocked", "dialog_open":
		e := err.(*sdk.Error)
		r.Verdict, r.Reason = sdk.NotDone, strings.TrimSpace(e.Msg+" "+e.Fix)
	case "timeout":
		r.Verdict, r.Reason = sdk.Unknown, "the page did not answer in time; look at where the tab is"
	default:
		return sdk.Result{}, err
	}
	text := fmt.Sprintf("%s: %s", r.Verdict, action)
	if r.Reason != "" {
		text += "\nwhy: " + r.Reason
	} else {
		r.URL = p.URL
		r.Effects = []string{fmt.Sprintf("at %q", p.Title)}
		text += fmt.Sprintf("\nnow at %q %s", p.Title, p.URL)
		if p.Status >= 400 {
			r.Effects = append(r.Effects, fmt.Sprintf("the server answered %d", p.Status))
			text += fmt.Sprintf("\nthe server answered %d", p.Status)
		}
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(text)}, Data: encoded(r), IsError: r.Verdict == sdk.NotDone}, nil
}

type tab struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	Current bool   `json:"current"`
	Own     bool   `json:"own"`
	State   string `json:"state"`
}

func newTab(h *sdk.Host, in newTabIn) (string, error) {
	args := map[string]any{"op": "open"}
	if in.URL != "" {
		args["url"] = in.URL
	}
	var t tab
	if err := h.Call("browser.tabs", args, &t); err != nil {
		return "", err
	}
	return fmt.Sprintf("tab %s is open at %q %s", t.ID, t.Title, t.URL), nil
}

func listTabs(h *sdk.Host, _ struct{}) (string, error) {
	var ts []tab
	if err := h.Call("browser.tabs", map[string]any{"op": "list"}, &ts); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range ts {
		mark := " "
		if t.Current {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s tab %s %q %s %s\n", mark, t.ID, t.Title, t.URL, t.State)
	}
	if b.Len() == 0 {
		return "no tab is open", nil
	}
	return b.String(), nil
}

func activate(h *sdk.Host, in tabIn) (string, error) {
	var t tab
	if err := h.Call("browser.tabs", map[string]any{"op": "activate", "tab": in.Tab}, &t); err != nil {
		return "", err
	}
	return fmt.Sprintf("now in tab %s: %q %s", t.ID, t.Title, t.URL), nil
}

func closeTab(h *sdk.Host, in tabIn) (string, error) {
	if err := h.Call("browser.tabs", map[string]any{"op": "close", "tab": in.Tab}, nil); err != nil {
		return "", err
	}
	return "tab " + in.Tab + " is closed", nil
}

func dialog(h *sdk.Host, in dialogIn) (string, error) {
	if err := h.Call("browser.tabs", map[string]any{"op": "dialog", "accept": in.Accept, "text": in.Text}, nil); err != nil {
		return "", err
	}
	return "the dialog is answered; look at the page", nil
}

func encoded(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("{}") // receipts always encode
	}
	return b
}
