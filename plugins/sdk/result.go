package sdk

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Content is one block of a result.
type Content = abi.Content

// Result is a result in full. Data is structured content, an object.
type Result struct {
	Content []Content
	Data    json.RawMessage
	IsError bool // the tool's own failure, for the model to read
}

// Text is a block of text.
func Text(s string) Content { return Content{Type: "text", Text: s} }

// Picture is a block of image bytes.
func Picture(mime string, data []byte) Content {
	return Content{Type: "image", MIME: mime, Data: data}
}

// Held is a block that stands for the bytes behind a handle: what the host holds goes on without ever
// having been read here. mime "" keeps the handle's own.
func Held(handle, mime string) Content { return Content{Type: "handle", Handle: handle, MIME: mime} }

// Text returns the text blocks, joined by newlines.
func (r Result) Text() string {
	var parts []string
	for _, c := range r.Content {
		if c.Type == "text" && c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	if len(parts) == 0 && len(r.Data) > 0 {
		return string(r.Data) // the host leaves out a text that only repeats the data
	}
	return strings.Join(parts, "\n")
}

// Handle returns the first handle in the result, "" if there is none.
func (r Result) Handle() string {
	for _, c := range r.Content {
		if c.Type == "handle" {
			return c.Handle
		}
	}
	return ""
}

// inline is what the first block holds itself: short texts and bytes come without a handle.
func (r Result) inline() []byte {
	for _, c := range r.Content {
		switch {
		case c.Text != "":
			return []byte(c.Text)
		case len(c.Data) > 0:
			return c.Data
		case c.Resource != nil && c.Resource.Text != "":
			return []byte(c.Resource.Text)
		case c.Resource != nil:
			return c.Resource.Blob
		}
	}
	return nil
}

// Decode reads the structured content, or the text where there is none, into v.
func (r Result) Decode(v any) error {
	if len(r.Data) > 0 {
		return json.Unmarshal(r.Data, v)
	}
	if s, ok := v.(*string); ok {
		*s = r.Text()
		return nil
	}
	return json.Unmarshal([]byte(r.Text()), v)
}

func isResult(t reflect.Type) bool {
	return t == reflect.TypeFor[Result]() || t == reflect.TypeFor[Content]()
}

// resultOf makes what a typed tool returned a result: an object as structured content and as text.
func resultOf(v any) (Result, error) {
	switch v := v.(type) {
	case Result:
		return v, nil
	case Content:
		return Result{Content: []Content{v}}, nil
	case []Content:
		return Result{Content: v}, nil
	case string:
		return Result{Content: []Content{Text(v)}}, nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return Result{}, err
	}
	r := Result{Content: []Content{Text(string(b))}}
	if len(b) > 0 && b[0] == '{' {
		r.Data = b
	}
	return r, nil
}

// wire is the result as it is sent.
func (r Result) wire() abi.ToolResult {
	// MCP wants a text block to have its text, which the encoder leaves out if it is empty.
	r.Content = slices.DeleteFunc(r.Content, func(c Content) bool { return c.Type == "text" && c.Text == "" })
	if r.Content == nil {
		r.Content = []Content{}
		if len(r.Data) > 0 {
			r.Content = append(r.Content, Text(string(r.Data)))
		}
	}
	return abi.ToolResult{Content: r.Content, Structured: r.Data, IsError: r.IsError}
}

// rpcError is how an error of ours crosses: with its code where the other side knows codes.
func rpcError(err error) *abi.Error {
	d := abi.Detail{Code: "guest"}
	msg := err.Error()
	if e, ok := errors.AsType[*Error](err); ok {
		d, msg = abi.Detail{Code: e.Code, Fix: e.Fix}, e.Msg
		if s, wrapped := strings.CutSuffix(err.Error(), e.Error()); wrapped {
			msg = s + e.Msg
		}
	}
	return &abi.Error{Code: abi.ErrApp, Message: msg, Data: abi.JSON(d)}
}

// toolError is the result of a tool that failed.
func toolError(err error) abi.ToolResult {
	msg := err.Error()
	if e, ok := errors.AsType[*Error](err); ok && e.Fix != "" {
		msg += " (" + e.Fix + ")"
	}
	return Result{Content: []Content{Text(msg)}, IsError: true}.wire()
}
