package mockmodel

import "encoding/json"

// answer is a reply with its templates filled in.
type answer struct {
	Think, Text string
	Calls       []Call
	Finish      string // stop, tool_calls, length or filter
	Input       int    // tokens
	Output      int
}

// render makes an answer of a reply. What cannot be rendered is an error, never a text: a model's text ends
// a run, and would pass for success.
func (c *Conversation) render(r Reply, newID func() string) (answer, error) {
	a, err := c.tryRender(r, newID)
	if err != nil {
		return answer{}, err
	}
	if a.Finish == "" {
		a.Finish = "stop"
		if len(a.Calls) > 0 {
			a.Finish = "tool_calls"
		}
	}
	a.Input, a.Output = c.size()/4+1, (len(a.Think)+len(a.Text))/4+1
	for _, call := range a.Calls {
		a.Output += (len(call.Name) + len(call.Args)) / 4
	}
	return a, nil
}

func (c *Conversation) tryRender(r Reply, newID func() string) (answer, error) {
	text, err := c.Render(r.Text)
	if err != nil {
		return answer{}, err
	}
	a := answer{Think: r.Think, Text: text, Finish: r.Finish}
	for _, raw := range r.Calls {
		call := Call{ID: newID(), Name: raw.Tool, Args: raw.Raw}
		if raw.Raw == "" {
			args, err := c.renderArgs(map[string]any(raw.Args))
			if err != nil {
				return answer{}, err
			}
			b, err := json.Marshal(args)
			if err != nil {
				return answer{}, err
			}
			call.Args = string(b)
		}
		a.Calls = append(a.Calls, call)
	}
	return a, nil
}

// size is the number of bytes of text in a request.
func (c *Conversation) size() int {
	n := len(c.System)
	for _, m := range c.Messages {
		n += len(m.Text) + 4*85*m.Images
		for _, call := range m.Calls {
			n += len(call.Name) + len(call.Args)
		}
	}
	return n
}

// pieces cuts a text as a stream would, in a few characters each and not mindful of words.
func pieces(s string) []string {
	const size = 7
	var out []string
	start, n := 0, 0
	for i := range s {
		if n == size {
			out = append(out, s[start:i])
			start, n = i, 0
		}
		n++
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}
