// Package sdktest runs a plugin in a test, in process, against a host that is a table of functions.
// It checks what a plugin asks and answers, not what it is allowed: grants, limits and the sandbox
// are the real host's.
package sdktest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Func answers one call of a plugin. What it returns becomes the structured result; a string becomes
// text, an sdk.Result is taken as it is, a Stream comes with a handle. An *sdk.Error keeps its code.
type Func func(args json.RawMessage) (any, error)

// Tools is the host: an answer for each tool that the plugin may call. Others are refused.
type Tools map[string]Func

// Stream is an answer whose body the plugin reads on, piece by piece as Chunks has it. Err ends it
// instead of its end.
type Stream struct {
	Head   any
	Chunks []string
	Err    error
}

// Event is a progress or log notification.
type Event struct {
	Method string
	Params json.RawMessage
}

// Asked is a call that the plugin made.
type Asked struct {
	Tool string
	Args json.RawMessage
}

// Session is a running plugin. It is for one goroutine. The fields may be set before a call, and read
// after it.
type Session struct {
	Tab, Mode, Tier string
	Asked           []Asked // calls the plugin made, oldest first
	Events          []Event

	t      testing.TB
	tools  Tools
	in     *bufio.Reader
	out    io.WriteCloser
	nextID int
	held   map[string]*body
	deltas []sdk.Delta
}

// Run starts the plugin and shakes hands. It ends with the test.
func Run(t testing.TB, p sdk.Plugin, tools Tools) *Session {
	t.Helper()
	guestIn, out := io.Pipe()
	in, guestOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		err := sdk.ServeOn(p, guestIn, guestOut)
		_ = guestOut.CloseWithError(io.ErrUnexpectedEOF) // never fails
		done <- err
	}()
	s := &Session{t: t, tools: tools, in: bufio.NewReader(in), out: out, held: map[string]*body{}}
	t.Cleanup(func() {
		_ = out.Close() // never fails
		if err := <-done; err != nil {
			t.Errorf("plugin %s: %v", p.Name, err)
		}
	})
	hello := abi.Hello{ProtocolVersion: abi.ProtocolVersion, ClientInfo: &abi.Info{Name: "sdktest"},
		Capabilities: abi.Capabilities{Experimental: abi.Experimental{WB: &abi.WB{ABI: abi.Version}}}}
	if err := s.request(abi.MethodInitialize, hello, &abi.Hello{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Hold gives the plugin bytes to read by a handle, and returns its name.
func (s *Session) Hold(chunks ...string) string {
	name := "h" + strconv.Itoa(len(s.held)+1)
	s.held[name] = &body{chunks: chunks}
	return name
}

// Specs lists the plugin's tools.
func (s *Session) Specs() []abi.ToolSpec {
	s.t.Helper()
	var page abi.ToolsPage
	if err := s.request(abi.MethodToolsList, struct{}{}, &page); err != nil {
		s.t.Fatal(err)
	}
	return page.Tools
}

// Call runs one of the plugin's tools. An *sdk.Error of the tool comes back as one.
func (s *Session) Call(tool string, args any) (sdk.Result, error) {
	var r abi.ToolResult
	err := s.request(abi.MethodToolsCall, abi.CallParams{Name: tool, Args: abi.JSON(args), Meta: &abi.CallMeta{
		ProgressToken: json.RawMessage("1"), WB: &abi.CallWB{Tab: s.Tab, Mode: s.Mode, Tier: s.Tier}}}, &r)
	return sdk.Result{Content: r.Content, Data: r.Structured, IsError: r.IsError}, err
}

// Chat asks the plugin's provider.
func (s *Session) Chat(req sdk.ChatRequest) (sdk.ChatReply, []sdk.Delta, error) {
	s.deltas = nil
	var reply sdk.ChatReply
	err := s.request(abi.MethodChat, req, &reply)
	return reply, s.deltas, err
}

// Models asks the plugin's provider what an endpoint offers.
func (s *Session) Models(e sdk.Endpoint) ([]string, error) {
	var r abi.ModelsResult
	err := s.request(abi.MethodModels, e, &r)
	return r.Models, err
}

// Match asks the plugin's adapter about a page.
func (s *Session) Match(url string) ([]string, error) {
	var r abi.MatchResult
	err := s.request(abi.MethodMatch, abi.MatchRequest{URL: url}, &r)
	return r.Notes, err
}

func (s *Session) request(method string, params, out any) error {
	s.nextID++
	id := strconv.Itoa(s.nextID)
	s.send(abi.Message{ID: json.RawMessage(id), Method: method, Params: abi.JSON(params)})
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("the plugin ended: %w", err)
		}
		var m abi.Message
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("the plugin wrote %q: %w", line, err)
		}
		switch {
		case m.Method == "" && string(m.ID) == id && m.Error != nil:
			var d abi.Detail
			_ = json.Unmarshal(m.Error.Data, &d) // none is no code
			return &sdk.Error{Code: d.Code, Msg: m.Error.Message, Fix: d.Fix}
		case m.Method == "" && string(m.ID) == id:
			return json.Unmarshal(m.Result, out)
		case m.ID == nil:
			s.notified(m)
		default:
			s.answer(m)
		}
	}
}

func (s *Session) notified(m abi.Message) {
	if m.Method != abi.MethodDelta {
		s.Events = append(s.Events, Event{m.Method, m.Params})
		return
	}
	var d sdk.Delta
	if err := json.Unmarshal(m.Params, &d); err != nil {
		s.t.Errorf("delta %s: %v", m.Params, err)
	}
	s.deltas = append(s.deltas, d)
}

func (s *Session) send(m abi.Message) {
	if _, err := s.out.Write(abi.Line(m)); err != nil {
		s.t.Errorf("plugin is gone: %v", err)
	}
}

// refuse is how the host's errors cross.
func refuse(id json.RawMessage, err error) abi.Message {
	d, msg := abi.Detail{Code: "guest"}, err.Error()
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		d, msg = abi.Detail{Code: e.Code, Fix: e.Fix}, e.Msg
	}
	return abi.Message{ID: id, Error: &abi.Error{Code: abi.ErrApp, Message: msg, Data: abi.JSON(d)}}
}
