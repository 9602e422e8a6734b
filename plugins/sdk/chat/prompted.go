package chat

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

const howToCall = `
You can use tools. To use one, answer with nothing but a fenced block of JSON:
` + "```json\n" + `{"tool": "NAME", "args": {…}}
` + "```" + `
The result comes with the next message. Several blocks call several tools in order. Answer in plain words when you need no tool. The tools, with the JSON Schema of their args:
`

// promptTools moves the tools of a request, and the calls in its history, into its text.
func promptTools(req sdk.ChatRequest) sdk.ChatRequest {
	if len(req.Tools) > 0 {
		var b strings.Builder
		b.WriteString(strings.TrimSpace(req.System) + "\n" + howToCall)
		for _, t := range req.Tools {
			fmt.Fprintf(&b, "- %s: %s %s\n", t.Name, t.Description, t.Input)
		}
		req.System, req.Tools = strings.TrimSpace(b.String()), nil
	}
	names := map[string]string{}
	turns := make([]sdk.Turn, 0, len(req.Messages))
	for _, t := range req.Messages {
		for _, c := range t.Calls {
			names[c.ID] = c.Name
			t.Content = append(t.Content[:len(t.Content):len(t.Content)], sdk.Part{Type: "text", Text: callText(c)})
		}
		if t.Role == "tool" {
			head := "Result of " + names[t.CallID] + ":"
			if t.IsError {
				head = "Error of " + names[t.CallID] + ":"
			}
			t = sdk.Turn{Role: "user", Content: append([]sdk.Part{{Type: "text", Text: head}}, t.Content...)}
		}
		t.Calls = nil
		turns = append(turns, t)
	}
	req.Messages = turns
	return req
}

func callText(c sdk.ModelCall) string {
	args := json.RawMessage(c.Args)
	if !json.Valid(args) {
		args = json.RawMessage(`{}`)
	}
	b, _ := json.Marshal(map[string]any{"tool": c.Name, "args": args}) // valid by now
	return "```json\n" + string(b) + "\n```"
}

// wish is a call as models write it when they are asked for JSON.
type wish struct {
	Tool      string          `json:"tool"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Arguments json.RawMessage `json:"arguments"`
}

// maxTries bounds how many brackets of a text are looked at, since each may be read to the text's end.
const maxTries = 200

// parseCalls takes the calls out of a text. JSON that names no known tool stays text.
func (b *Builder) parseCalls(tools []sdk.ToolDecl) {
	known := map[string]bool{}
	for _, t := range tools {
		known[t.Name] = true
	}
	text, rest, calls := b.text.String(), strings.Builder{}, []wish{}
	for range maxTries {
		i := strings.IndexAny(text, "{[")
		if i < 0 {
			break
		}
		wishes, n := wishesIn(text[i:], known)
		if n == 0 {
			rest.WriteString(text[:i+1])
			text = text[i+1:]
			continue
		}
		rest.WriteString(strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(text[:i], " \n"), "```json"), "```"))
		text = strings.TrimPrefix(strings.TrimLeft(text[i+n:], " \n"), "```")
		calls = append(calls, wishes...)
	}
	rest.WriteString(text)
	b.text.Reset()
	b.Text(strings.TrimSpace(rest.String()))
	for i, w := range calls {
		b.Call(i, "", w.Name, string(w.Args))
	}
	b.notes = strings.TrimPrefix(b.notes+"; tools went through the prompt", "; ")
}

// wishesIn decodes one JSON value at the start of s, and returns how long it is if it is calls.
func wishesIn(s string, known map[string]bool) ([]wish, int) {
	dec := json.NewDecoder(strings.NewReader(s))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return nil, 0
	}
	var all []wish
	if raw[0] == '{' {
		all = make([]wish, 1)
		if json.Unmarshal(raw, &all[0]) != nil {
			return nil, 0
		}
	} else if json.Unmarshal(raw, &all) != nil {
		return nil, 0
	}
	for i, w := range all {
		if w.Tool != "" {
			w.Name = w.Tool
		}
		if len(w.Args) == 0 {
			w.Args = w.Arguments
		}
		if len(w.Args) == 0 {
			w.Args = json.RawMessage(`{}`)
		}
		if !known[w.Name] {
			return nil, 0
		}
		all[i] = w
	}
	if len(all) == 0 {
		return nil, 0
	}
	return all, int(dec.InputOffset())
}
