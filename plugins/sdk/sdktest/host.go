package sdktest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// body is what a handle stands for.
type body struct {
	chunks []string
	err    error
}

// answer serves one request of the plugin.
func (s *Session) answer(m abi.Message) {
	v, err := s.serve(m)
	if err != nil {
		s.send(refuse(m.ID, err))
		return
	}
	s.send(abi.Message{ID: m.ID, Result: abi.JSON(v)})
}

func (s *Session) serve(m abi.Message) (any, error) {
	switch m.Method {
	case abi.MethodCall:
		var c abi.CallRequest
		if err := json.Unmarshal(m.Params, &c); err != nil {
			return nil, err
		}
		return s.call(c)
	case abi.MethodRead:
		var r abi.ReadRequest
		if err := json.Unmarshal(m.Params, &r); err != nil {
			return nil, err
		}
		return s.read(r)
	case abi.MethodFind:
		var r abi.FindRequest
		if err := json.Unmarshal(m.Params, &r); err != nil {
			return nil, err
		}
		return s.find(r)
	case abi.MethodClose:
		var r abi.HandleRequest
		if err := json.Unmarshal(m.Params, &r); err != nil {
			return nil, err
		}
		_, err := s.handle(r.Handle)
		delete(s.held, r.Handle)
		return struct{}{}, err
	}
	return nil, fmt.Errorf("unknown method %s", m.Method)
}

func (s *Session) call(c abi.CallRequest) (any, error) {
	s.Asked = append(s.Asked, Asked{c.Tool, c.Args})
	f := s.tools[c.Tool]
	if f == nil {
		return nil, &sdk.Error{Code: "refused", Msg: c.Tool + ": the test has no answer"}
	}
	v, err := f(c.Args)
	if err != nil {
		return nil, err
	}
	r := abi.ToolResult{Content: []abi.Content{}}
	switch v := v.(type) {
	case sdk.Result:
		r.Structured, r.IsError = v.Data, v.IsError
		r.Content = append(r.Content, v.Content...)
	case string:
		r.Content = append(r.Content, sdk.Text(v))
	case Stream:
		r.Structured = abi.JSON(v.Head)
		name := s.Hold(v.Chunks...)
		s.held[name].err = v.Err
		r.Content = append(r.Content, abi.Content{Type: "handle", Handle: name, Bytes: -1})
	default:
		r.Structured = abi.JSON(v)
	}
	return r, nil
}

func (s *Session) handle(name string) (*body, error) {
	if b := s.held[name]; b != nil {
		return b, nil
	}
	return nil, &sdk.Error{Code: "bad_handle", Msg: "no open handle " + name}
}

func (s *Session) read(r abi.ReadRequest) (abi.ReadResult, error) {
	b, err := s.handle(r.Handle)
	if err != nil {
		return abi.ReadResult{}, err
	}
	if r.At != nil {
		all := strings.Join(b.chunks, "")
		at := min(int(*r.At), len(all))
		end := min(at+r.Max, len(all))
		return abi.ReadResult{Base64: []byte(all[at:end]), EOF: end == len(all)}, nil
	}
	if len(b.chunks) == 0 && b.err != nil {
		return abi.ReadResult{}, b.err
	}
	if len(b.chunks) == 0 {
		return abi.ReadResult{EOF: true}, nil
	}
	chunk := b.chunks[0]
	b.chunks = b.chunks[1:]
	return abi.ReadResult{Base64: []byte(chunk)}, nil
}

func (s *Session) find(r abi.FindRequest) (abi.FindResult, error) {
	b, err := s.handle(r.Handle)
	if err != nil {
		return abi.FindResult{}, err
	}
	all := strings.Join(b.chunks, "")
	if r.From < 0 || r.From > int64(len(all)) {
		return abi.FindResult{At: -1}, nil
	}
	i := int64(strings.Index(all[r.From:], r.Text))
	if i >= 0 {
		i += r.From
	}
	return abi.FindResult{At: i}, nil
}
