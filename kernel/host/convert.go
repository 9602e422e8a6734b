package host

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// What a guest gets inline in the answer to a nested call; anything longer becomes a handle.
const (
	inlineText  = 64 << 10
	inlineBytes = 32 << 10
	headText    = 2_000
	maxData     = 4 << 20 // structured content, which cannot be a handle
)

// toGuest makes a result the answer of a nested call. A text that only repeats the structured content
// is left out. The result's Body belongs to the exchange from here on.
func (x *exchange) toGuest(res ports.Result) (abi.ToolResult, error) {
	out := abi.ToolResult{Content: []abi.Content{}, Structured: res.Data, IsError: res.IsError}
	if len(res.Data) > maxData {
		closeBody(res)
		return out, x.p.fail(ports.CodeOversized, fmt.Sprintf("a result of %d bytes of structured content", len(res.Data)))
	}
	for _, c := range res.Content {
		if c.Type == "text" && len(res.Data) > 0 && c.Text == string(res.Data) {
			continue
		}
		block, err := x.blockToGuest(c)
		if err != nil {
			closeBody(res)
			return out, err
		}
		out.Content = append(out.Content, block)
	}
	if res.Body != nil {
		h, err := x.handles.add("", nil, res.Body)
		if err != nil {
			return out, err
		}
		out.Content = append(out.Content, abi.Content{Type: "handle", Handle: h, Bytes: -1})
	}
	return out, nil
}

func closeBody(res ports.Result) {
	if res.Body != nil {
		_ = res.Body.Close() // nobody will read it
	}
}

func (x *exchange) blockToGuest(c ports.Content) (abi.Content, error) {
	switch {
	case len(c.Text) > inlineText:
		h, err := x.handles.add(orElse(c.MIME, "text/plain"), []byte(c.Text), nil)
		return abi.Content{Type: "handle", Handle: h, MIME: orElse(c.MIME, "text/plain"), URI: c.URI,
			Bytes: int64(len(c.Text)), Text: clip(c.Text, headText)}, err
	case len(c.Data) > inlineBytes:
		h, err := x.handles.add(c.MIME, c.Data, nil)
		return abi.Content{Type: "handle", Handle: h, MIME: c.MIME, URI: c.URI, Bytes: int64(len(c.Data))}, err
	case c.Type == "resource":
		return abi.Content{Type: "resource", Resource: &abi.Resource{URI: c.URI, MIME: c.MIME, Text: c.Text, Blob: c.Data}}, nil
	}
	return abi.Content{Type: c.Type, Text: c.Text, MIME: c.MIME, Data: c.Data}, nil
}

// fromGuest makes what a guest answered a result; handles in it become the bytes they stand for.
func (x *exchange) fromGuest(r abi.ToolResult) (ports.Result, error) {
	res := ports.Result{Data: r.Structured, IsError: r.IsError}
	if string(res.Data) == "null" {
		res.Data = nil
	}
	for _, b := range r.Content {
		c := ports.Content{Type: b.Type, Text: b.Text, MIME: b.MIME, Data: b.Data, URI: b.URI}
		switch b.Type {
		case "text":
			c = ports.Content{Type: "text", Text: b.Text}
		case "image", "audio":
			c.Text = ""
		case "resource":
			if b.Resource == nil {
				return res, x.p.fail(ports.CodeFault, "a resource block without a resource")
			}
			c = ports.Content{Type: "resource", Text: b.Resource.Text, MIME: b.Resource.MIME, Data: b.Resource.Blob, URI: b.Resource.URI}
		case "resource_link":
			c = ports.Content{Type: "resource", Text: b.Name, MIME: b.MIME, URI: b.URI}
		case "handle":
			var err error
			if c, err = x.resolve(b); err != nil {
				return res, err
			}
		default:
			continue // a later version of MCP; the other blocks still stand
		}
		res.Content = append(res.Content, c)
	}
	return res, nil
}

// resolve replaces a handle by its bytes.
func (x *exchange) resolve(b abi.Content) (ports.Content, error) {
	h, err := x.handles.get(b.Handle)
	if err != nil {
		return ports.Content{}, err
	}
	data, err := x.handles.whole(h)
	if err != nil {
		return ports.Content{}, err
	}
	mime := orElse(b.MIME, h.mime)
	kind, _, _ := strings.Cut(mime, "/")
	switch {
	case kind == "image" || kind == "audio":
		return ports.Content{Type: kind, MIME: mime, Data: data}, nil
	case (kind == "text" || mime == "") && b.URI == "" && utf8.Valid(data):
		return ports.Content{Type: "text", Text: string(data)}, nil
	case kind == "text" && utf8.Valid(data):
		return ports.Content{Type: "resource", MIME: mime, Text: string(data), URI: b.URI}, nil
	}
	return ports.Content{Type: "resource", MIME: mime, Data: data, URI: b.URI}, nil
}

var attachment = regexp.MustCompile(`\{\{attach:([^{}"\\]{1,64})\}\}`)

// attachments finds the bytes that a guest's http.fetch names.
func (x *exchange) attachments(c ports.Call) (map[string][]byte, error) {
	if c.Tool != "http.fetch" {
		return nil, nil
	}
	var all map[string][]byte
	for _, m := range attachment.FindAllSubmatch(c.Args, -1) {
		name := string(m[1])
		h, err := x.handles.get(name)
		if err != nil {
			continue // words of a page or a person that look like one; they are sent as they are
		}
		b, err := x.handles.whole(h)
		if err != nil {
			return nil, err
		}
		if all == nil {
			all = map[string][]byte{}
		}
		all[name] = b
	}
	return all, nil
}

// chatParams hands the pictures of a request over as handles.
func (x *exchange) chatParams(req ports.ChatRequest) (any, error) {
	messages := make([]ports.Message, len(req.Messages))
	for i, m := range req.Messages {
		messages[i] = m
		messages[i].Content = append([]ports.Part(nil), m.Content...)
		for j, part := range m.Content {
			part.Handle = "" // a handle of whoever asked means nothing here
			if len(part.Data) > 0 {
				h, err := x.handles.add(part.MIME, part.Data, nil)
				if err != nil {
					return nil, err
				}
				part.Handle, part.Data = h, nil
			}
			messages[i].Content[j] = part
		}
	}
	req.Messages = messages
	return req, nil
}
