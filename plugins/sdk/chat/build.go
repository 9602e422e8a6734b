package chat

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Builder puts an answer together and streams what comes in. A Family fills it.
type Builder struct {
	Finish string // stop, tool_calls, length or filter; "" until the endpoint said
	Ended  bool   // the endpoint said that nothing follows
	Usage  sdk.Usage
	Model  string

	endpoint sdk.Endpoint
	emit     func(sdk.Delta)
	firstID  int // calls in the conversation before, for ids that an endpoint leaves out
	notes    string
	text     strings.Builder
	calls    []*call
	at       map[int]*call
}

type call struct {
	id, name string
	args     strings.Builder
}

// Text adds text.
func (b *Builder) Text(s string) {
	if s != "" {
		b.text.WriteString(s)
		b.emit(sdk.Delta{Text: s})
	}
}

// Reasoning passes on what the model thinks; it is no part of the answer.
func (b *Builder) Reasoning(s string) {
	if s != "" {
		b.emit(sdk.Delta{Reasoning: s})
	}
}

// Call adds a piece of the call at an index. Endpoints that give every call the same index are told
// apart by id.
func (b *Builder) Call(index int, id, name, args string) {
	c := b.at[index]
	if c == nil || id != "" && c.id != "" && id != c.id {
		c = &call{}
		b.calls = append(b.calls, c)
		if b.at == nil {
			b.at = map[int]*call{}
		}
		b.at[index] = c
	}
	if id != "" {
		c.id = id
	}
	if c.name == "" {
		c.name = name
	} else {
		name = ""
	}
	c.args.WriteString(args)
	if name != "" || args != "" {
		b.emit(sdk.Delta{Index: b.indexOf(c), Name: name, Args: args})
	}
}

func (b *Builder) indexOf(c *call) int {
	for i := len(b.calls) - 1; i > 0; i-- {
		if b.calls[i] == c {
			return i
		}
	}
	return 0
}

// Failed is the error that an endpoint put into its answer.
func (b *Builder) Failed(raw []byte) error { return failed(b.endpoint, 0, message(raw)) }

// flush is for the end of an answer that was not streamed.
func (b *Builder) flush() {
	b.Ended = true
	if b.Finish == "" {
		b.Finish = "stop"
	}
}

// reply returns the whole answer. Of an answer that was cut at its length a call that is not whole is
// left out.
func (b *Builder) reply() sdk.ChatReply {
	r := sdk.ChatReply{Message: sdk.Turn{Role: "assistant"}, Finish: b.Finish, Usage: b.Usage, Model: b.Model, Notes: b.notes}
	if s := b.text.String(); s != "" {
		r.Message.Content = []sdk.Part{{Type: "text", Text: s}}
	}
	for i, c := range b.calls {
		args := c.args.String()
		if args == "" && b.Finish != "length" {
			args = "{}"
		}
		if b.Finish == "length" && !json.Valid([]byte(args)) || c.name == "" {
			r.Notes = strings.TrimPrefix(r.Notes+"; a call that was cut was left out", "; ")
			continue
		}
		if c.id == "" {
			c.id = "call_" + strconv.Itoa(b.firstID+i+1)
		}
		r.Message.Calls = append(r.Message.Calls, sdk.ModelCall{ID: c.id, Name: c.name, Args: args})
	}
	if len(r.Message.Calls) > 0 && r.Finish == "stop" {
		r.Finish = "tool_calls"
	}
	if len(r.Message.Calls) == 0 && r.Finish == "tool_calls" {
		r.Finish = "stop"
	}
	return r
}
