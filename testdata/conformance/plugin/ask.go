package main

import (
	"encoding/json"
	"fmt"

	"github.com/wb-agent/wb/plugins/sdk"
)

type promptIn struct {
	Prompt string `json:"prompt" doc:"what to ask the client's model"`
}

type messageIn struct {
	Message string `json:"message" doc:"what to ask the person"`
}

// asking are the tools that ask the client: its model, or its person.
func asking() []sdk.AnyTool {
	return []sdk.AnyTool{
		tool("test_sampling", "Ask the client's model.", sampling),
		tool("test_elicitation", "Ask the person for a name and an address.", func(h *sdk.Host, in messageIn) (sdk.Result, error) {
			return elicit(h, "User response", in.Message, nameForm)
		}),
		tool("test_elicitation_sep1034_defaults", "Ask with defaults.", func(h *sdk.Host, _ none) (sdk.Result, error) {
			return elicit(h, "Elicitation completed", "Please review the values", defaultsForm)
		}),
		tool("test_elicitation_sep1330_enums", "Ask with choices of every kind.", func(h *sdk.Host, _ none) (sdk.Result, error) {
			return elicit(h, "Elicitation completed", "Please choose", enumsForm)
		}),
	}
}

func sampling(h *sdk.Host, in promptIn) (sdk.Result, error) {
	var reply sdk.ChatReply
	req := map[string]any{"max_tokens": 100,
		"messages": []sdk.Turn{{Role: "user", Content: []sdk.Part{{Type: "text", Text: in.Prompt}}}}}
	if err := h.Call("model.chat", req, &reply); err != nil {
		return sdk.Result{}, err
	}
	text := ""
	for _, p := range reply.Message.Content {
		text += p.Text
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text("LLM response: " + text)}}, nil
}

func elicit(h *sdk.Host, lead, message, form string) (sdk.Result, error) {
	a, err := h.Ask(sdk.Question{Kind: "clarify", Text: message, Schema: json.RawMessage(form)})
	if err != nil {
		return sdk.Result{}, err
	}
	action := "accept"
	switch a.Choice {
	case "deny":
		action = "decline"
	case "cancel":
		action = "cancel"
	}
	return sdk.Result{Content: []sdk.Content{sdk.Text(fmt.Sprintf("%s: action=%s, content=%s", lead, action, a.Data))}}, nil
}

const nameForm = `{"type":"object","required":["username","email"],"properties":{
"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}}`

const defaultsForm = `{"type":"object","properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}`

const enumsForm = `{"type":"object","properties":{
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`
