package sdk

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Host is the way out of the sandbox, valid during one call and on its goroutine only.
type Host struct {
	in      *bufio.Reader
	out     io.Writer
	nextID  int
	wb      bool // the other side is wb
	elicits bool
	meta    abi.CallMeta
	waiting []abi.Message // requests that came while we waited for an answer
	broken  error         // why nothing can be written any more
}

// stand notes where the call to be served stands.
func (h *Host) stand(meta *abi.CallMeta) {
	h.meta = abi.CallMeta{WB: &abi.CallWB{}}
	if meta == nil {
		return
	}
	h.meta.ProgressToken = meta.ProgressToken
	if meta.WB != nil {
		h.meta.WB = meta.WB
	}
}

// Tab returns the id of the tab that the run works in, "" if there is none.
func (h *Host) Tab() string { return h.meta.WB.Tab }

// Mode returns ask, act or dev, or "" outside of a run, which means act.
func (h *Host) Mode() string { return h.meta.WB.Mode }

// Tier returns compact, mid or full, or "" outside of a run, which means full.
func (h *Host) Tier() string { return h.meta.WB.Tier }

// Call asks the host to run a tool and decodes its structured result, or its text, into out; nil drops
// it. A refusal is an *Error with the host's code, the tool's own failure one with code "tool".
func (h *Host) Call(tool string, args, out any) error {
	r, err := h.CallResult(tool, args)
	switch {
	case err != nil:
		return err
	case r.IsError:
		return &Error{Code: "tool", Msg: r.Text()}
	case out == nil:
		return nil
	}
	return r.Decode(out)
}

// CallResult asks the host to run a tool and returns all that it answered. Long texts, pictures and
// bodies are handles, to be read or passed on before the call ends. args nil means none.
func (h *Host) CallResult(tool string, args any) (Result, error) {
	if !h.wb {
		return Result{}, &Error{Code: "refused", Msg: tool + ": this host takes no wb/call", Fix: "run the plugin in wb"}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return Result{}, err
	}
	if args == nil {
		raw = nil
	}
	var r abi.ToolResult
	if err := h.request(abi.MethodCall, abi.CallRequest{Tool: tool, Args: raw}, &r); err != nil {
		return Result{}, err
	}
	return Result{Content: r.Content, Data: r.Structured, IsError: r.IsError}, nil
}

// Fetch makes an HTTP request. The body is read from what came with the answer, or from the host where it
// is long or streamed; the caller closes it, or the call's end.
func (h *Host) Fetch(req FetchRequest) (head FetchHead, body *Handle, err error) {
	r, err := h.CallResult("http.fetch", req)
	if err != nil {
		return head, nil, err
	}
	if r.IsError {
		return head, nil, &Error{Code: "tool", Msg: r.Text()}
	}
	if err := r.Decode(&head); err != nil {
		return head, nil, err
	}
	body = h.Open(r.Handle())
	if body.Name == "" {
		body.here = r.inline()
		body.left = body.here
	}
	return head, body, nil
}

// Ask puts a question to the person. The code is needs_user where nobody can answer.
func (h *Host) Ask(q Question) (a Answer, err error) {
	if h.wb || !h.elicits {
		return a, h.Call("ui.ask", q, &a)
	}
	var r struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	schema := q.Schema
	if schema == nil {
		schema = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}}}`)
	}
	if err := h.request(abi.MethodElicit, map[string]any{"message": q.Text, "requestedSchema": schema}, &r); err != nil {
		return a, err
	}
	var text struct{ Answer string }
	_ = json.Unmarshal(r.Content, &text) // a schema of the caller's own has its answer in Data
	choice := map[string]string{"accept": text.Answer, "decline": "deny"}[r.Action]
	if choice == "" && r.Action != "accept" {
		choice = "cancel"
	}
	return Answer{Choice: choice, Text: text.Answer, Data: r.Content}, nil
}

// Progress tells how far the call is; total 0 means unknown.
func (h *Host) Progress(done, total float64, message string) {
	if len(h.meta.ProgressToken) > 0 {
		h.notify(abi.MethodProgress, abi.Progress{Token: h.meta.ProgressToken, Progress: done, Total: total, Message: message})
	}
}

// Log says something for diagnosis. Levels: debug, info, notice, warning, error.
func (h *Host) Log(level, message string) {
	h.notify(abi.MethodLog, abi.Log{Level: level, Data: abi.JSON(message)})
}

func (h *Host) notify(method string, params any) {
	// By hand, for a model's answer is thousands of these: encoding the message around would read params again.
	line := append([]byte(`{"jsonrpc":"2.0","method":"`), method...)
	line = append(append(line, `","params":`...), abi.JSON(params)...)
	if h.broken == nil {
		_, h.broken = h.out.Write(append(line, "}\n"...))
	}
}

// request sends a request and waits for its answer, where it stands. Other requests wait meanwhile,
// but for a ping.
func (h *Host) request(method string, params, out any) error {
	h.nextID++
	id := strconv.Itoa(h.nextID)
	if err := h.write(abi.Message{ID: json.RawMessage(id), Method: method, Params: abi.JSON(params)}); err != nil {
		return err
	}
	for {
		m, err := h.read()
		switch {
		case err != nil:
			return err
		case m.Method == "" && string(m.ID) == id:
			return finish(m, out)
		case m.Method == abi.MethodPing:
			if err := h.write(abi.Message{ID: m.ID, Result: json.RawMessage(`{}`)}); err != nil {
				return err
			}
		case m.Method != "" && m.ID != nil:
			h.waiting = append(h.waiting, m)
		}
	}
}

func finish(m abi.Message, out any) error {
	if m.Error != nil {
		d := abi.Detail{Code: "guest"}
		_ = json.Unmarshal(m.Error.Data, &d) // another host's data may be anything
		return &Error{Code: d.Code, Msg: m.Error.Message, Fix: d.Fix}
	}
	return json.Unmarshal(m.Result, out)
}

// next returns the next message to serve.
func (h *Host) next() (m abi.Message, err error) {
	if len(h.waiting) > 0 {
		m, h.waiting = h.waiting[0], h.waiting[1:]
		return m, nil
	}
	return h.read()
}

func (h *Host) read() (m abi.Message, err error) {
	line, err := h.in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(line, &m)
}

func (h *Host) write(m abi.Message) error {
	if h.broken == nil {
		_, h.broken = h.out.Write(abi.Line(m))
	}
	return h.broken
}
