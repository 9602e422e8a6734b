// Package mockmodel is a model endpoint without a model: it answers the OpenAI chat completions and the
// Anthropic messages protocol, streamed or not, from a playbook. Whoever talks to it cannot tell it from
// an endpoint; nothing in the kernel knows that it is a mock.
//
// It is for tests, the demo and plugin authors. Read playbook.go, then server.go; openai.go and
// anthropic.go are the wire.
package mockmodel

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/wb-agent/wb/ports"
)

// Playbook is what the mock answers: of its rules, the first that fits. In YAML it is a mapping, or just
// the list of its rules.
type Playbook struct {
	Key   string `yaml:"key"`   // that the client must send; empty accepts anyone
	Model string `yaml:"model"` // name that /v1/models lists [mock-1]; any name is answered
	Rules []Rule `yaml:"rules"`
}

// Rule is one thing the mock can do.
type Rule struct {
	Name  string `yaml:"name"` // for the log
	When  When   `yaml:"when"`
	Reply *Reply `yaml:"reply"`
	Fault *Fault `yaml:"fault"`
}

// When is the condition of a rule; fields that are not set fit everything.
type When struct {
	User       Pattern  `yaml:"user"`        // found in what the user wrote, anywhere in the conversation
	LastUser   Pattern  `yaml:"last_user"`   // found in the last user message
	System     Pattern  `yaml:"system"`      // found in the system prompt
	Turn       int      `yaml:"turn"`        // which answer of the conversation this is, from 1
	LastTool   string   `yaml:"last_tool"`   // name of the tool whose result came last
	LastResult Pattern  `yaml:"last_result"` // found in the results since the last answer
	Times      int      `yaml:"times"`       // how often the rule may be used, over all conversations
	Tools      []string `yaml:"tools"`       // that must be offered
}

// Reply is an answer. Text and strings in Args may hold templates; see Render.
type Reply struct {
	Text   string    `yaml:"text"`
	Think  string    `yaml:"think"` // reasoning, sent before the text
	Calls  []RawCall `yaml:"calls"`
	Finish string    `yaml:"finish"` // stop, tool_calls, length or filter [by what the reply holds]
}

// RawCall is a tool call as the playbook writes it.
type RawCall struct {
	Tool string         `yaml:"tool"`
	Args map[string]any `yaml:"args"`
	Raw  string         `yaml:"raw"` // sent in place of Args as it is: arguments that are not JSON
}

// Fault is what goes wrong. Without a status, hang or garbage the reply is sent as well.
type Fault struct {
	Delay         time.Duration `yaml:"delay"`           // before anything else
	Status        int           `yaml:"status"`          // an error answer with this HTTP status
	RetryAfter    int           `yaml:"retry_after"`     // s; its header
	Message       string        `yaml:"message"`         // its text [by status]
	CutAfter      int           `yaml:"cut_after"`       // bytes of the reply until the connection breaks
	Garbage       bool          `yaml:"garbage"`         // status 200 and a body that is no JSON and no stream
	InStreamError string        `yaml:"in_stream_error"` // an error event midway; status 500 if not streamed
	RejectTools   bool          `yaml:"reject_tools"`    // status 400 while the request offers tools
	Hang          bool          `yaml:"hang"`            // nothing until the client gives up
}

// Pattern is a regular expression of Go; empty fits everything.
type Pattern struct{ re *regexp.Regexp }

// UnmarshalYAML compiles the expression.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	var s string
	if err := n.Decode(&s); err != nil {
		return err
	}
	re, err := regexp.Compile(s)
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	p.re = re
	return nil
}

func (p Pattern) fits(s string) bool { return p.re == nil || p.re.MatchString(s) }

// Parse reads a playbook. Errors are CodeUsage and name the line; an unknown key names the nearest one.
func Parse(src []byte) (Playbook, error) {
	var p Playbook
	var root yaml.Node
	if err := yaml.Unmarshal(src, &root); err != nil {
		return p, invalid(err)
	}
	if len(root.Content) == 0 {
		return p, invalid(fmt.Errorf("it is empty"))
	}
	top := root.Content[0]
	into := any(&p)
	if top.Kind == yaml.SequenceNode {
		into = &p.Rules
	}
	if err := known(top, into); err != nil {
		return p, invalid(err)
	}
	if err := top.Decode(into); err != nil {
		return p, invalid(err)
	}
	for i, r := range p.Rules {
		if err := r.check(); err != nil {
			return p, invalid(fmt.Errorf("rule %d: %w", i+1, err))
		}
	}
	return p, nil
}

func invalid(err error) error {
	return &ports.Error{Code: ports.CodeUsage, Msg: "playbook", Fix: "a playbook is a list of rules {when, reply, fault}", Err: err}
}

func (r Rule) check() error {
	if r.Reply == nil && r.Fault == nil {
		return fmt.Errorf("it has neither reply nor fault")
	}
	if f := r.Fault; f != nil && f.Status != 0 && (f.Status < 400 || f.Status > 599) {
		return fmt.Errorf("status %d is no error", f.Status)
	}
	if f := r.Fault; f != nil && (f.Delay < 0 || f.CutAfter < 0 || f.RetryAfter < 0) {
		return fmt.Errorf("a number of the fault is negative")
	}
	if r.Reply == nil {
		return nil
	}
	switch r.Reply.Finish {
	case "", "stop", "tool_calls", "length", "filter":
	default:
		return fmt.Errorf("finish %q is none of stop, tool_calls, length, filter", r.Reply.Finish)
	}
	for _, c := range r.Reply.Calls {
		if c.Tool == "" {
			return fmt.Errorf("a call names no tool")
		}
		if _, err := json.Marshal(c.Args); err != nil {
			return fmt.Errorf("arguments of %s: %w", c.Tool, err)
		}
	}
	return nil
}
