package mockmodel

import (
	"slices"
	"strings"
)

// Conversation is a request, whichever protocol it came in.
type Conversation struct {
	Model    string
	System   string
	Messages []Message
	Tools    []string // offered
	Stream   bool
	Usage    bool // wants usage in the stream
}

// Message is one turn of a request.
type Message struct {
	Role   string // user, assistant or tool
	Text   string
	Images int
	Calls  []Call // of an assistant
	CallID string // of a tool
	Tool   string // of a tool: the name of what it answers
}

// Call is a tool call.
type Call struct{ ID, Name, Args string }

// turn is the number of the answer that is asked for.
func (c *Conversation) turn() int {
	n := 1
	for _, m := range c.Messages {
		if m.Role == "assistant" {
			n++
		}
	}
	return n
}

func (c *Conversation) user() string {
	var all []string
	for _, m := range c.Messages {
		if m.Role == "user" {
			all = append(all, m.Text)
		}
	}
	return strings.Join(all, "\n")
}

func (c *Conversation) lastUser() string {
	for i := len(c.Messages) - 1; i >= 0; i-- {
		if c.Messages[i].Role == "user" {
			return c.Messages[i].Text
		}
	}
	return ""
}

// results is what the tools answered since the last answer of the model, and the last tool's name.
func (c *Conversation) results() (text, tool string) {
	var all []string
	for i := len(c.Messages) - 1; i >= 0 && c.Messages[i].Role != "assistant"; i-- {
		if m := c.Messages[i]; m.Role == "tool" {
			all = append([]string{m.Text}, all...)
			if tool == "" {
				tool = m.Tool
			}
		}
	}
	return strings.Join(all, "\n"), tool
}

// link names the tools that results answer. It returns what a strict endpoint would complain about: a
// call without a result or a result without a call.
func (c *Conversation) link() string {
	open := map[string]string{}
	for i := range c.Messages {
		m := &c.Messages[i]
		if m.Role == "tool" {
			name, ok := open[m.CallID]
			if !ok {
				return "a tool result answers " + m.CallID + ", which is no open call"
			}
			m.Tool = name
			delete(open, m.CallID)
			continue
		}
		for id, name := range open {
			return "call " + id + " of " + name + " has no result"
		}
		for _, call := range m.Calls {
			open[call.ID] = call.Name
		}
	}
	for id, name := range open {
		return "call " + id + " of " + name + " has no result"
	}
	return ""
}

func (w When) fits(c *Conversation, used int) bool {
	text, tool := c.results()
	for _, name := range w.Tools {
		if !slices.Contains(c.Tools, name) {
			return false
		}
	}
	return (w.Times == 0 || used < w.Times) && (w.Turn == 0 || w.Turn == c.turn()) &&
		(w.LastTool == "" || w.LastTool == tool) && w.LastResult.fits(text) &&
		w.User.fits(c.user()) && w.LastUser.fits(c.lastUser()) && w.System.fits(c.System)
}
