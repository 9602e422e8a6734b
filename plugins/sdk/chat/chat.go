// Package chat is what provider plugins share: one request with its retries, what endpoints refuse and
// how to do without it, errors mapped to codes, and a builder that puts a streamed answer together.
//
// What differs between families of endpoints is a Family. Read chat.go, then build.go, errors.go and
// prompted.go.
package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/sse"
)

// Family is how one kind of endpoint is spoken to.
type Family interface {
	// Request says where to post what.
	Request(req sdk.ChatRequest, q Quirks) (url string, headers map[string]string, body any)
	// Event takes one event of a stream. An *sdk.Error is the endpoint's word and final; any other error
	// means that the event made no sense.
	Event(e sse.Event, b *Builder) error
	// Whole takes an answer that was not streamed.
	Whole(body []byte, b *Builder) error
}

const (
	maxAnswer  = 16 << 20 // bytes of an answer that is not streamed
	maxRefused = 4        // how often a request is changed after a refusal
)

// Client asks endpoints of one family. It remembers what an endpoint refused.
type Client struct {
	family Family
	quirks map[string]Quirks
}

// New makes a client. Like a Host it is for one goroutine.
func New(f Family) *Client { return &Client{f, map[string]Quirks{}} }

// Chat answers one request: streamed where asked, once more without streaming after a cut stream, and
// without what the endpoint refuses.
func (c *Client) Chat(h *sdk.Host, req sdk.ChatRequest, emit func(sdk.Delta)) (sdk.ChatReply, error) {
	req.Messages = readable(req.Endpoint, req.Messages)
	q := c.recall(h, req.Endpoint)
	q.NoTools = q.NoTools || req.Endpoint.NoTools
	for range maxRefused {
		reply, err := c.attempt(h, req, q, emit)
		less, ok := q.without(err, req)
		if err == nil || !ok {
			return reply, err
		}
		q = less
		c.remember(h, req.Endpoint, q)
	}
	return c.attempt(h, req, q, emit)
}

// attempt asks once, or twice if the stream is cut.
func (c *Client) attempt(h *sdk.Host, req sdk.ChatRequest, q Quirks, emit func(sdk.Delta)) (sdk.ChatReply, error) {
	asked, prompted := req, q.NoTools && (len(req.Tools) > 0 || hasCalls(req.Messages))
	if prompted {
		asked = promptTools(req)
		asked.Stream = false // what looks like text may turn out to be a call
	}
	b := &Builder{endpoint: req.Endpoint, emit: emit, firstID: countCalls(req.Messages)}
	if prompted {
		b.emit = func(sdk.Delta) {} // until it is known what is a call
	}
	err := c.once(h, asked, q, b)
	if _, told := errors.AsType[*sdk.Error](err); err != nil && !told && asked.Stream {
		emit(sdk.Delta{Reset: true})
		asked.Stream = false
		b = &Builder{endpoint: req.Endpoint, emit: emit, firstID: b.firstID, notes: "asked again without streaming: " + err.Error()}
		err = c.once(h, asked, q, b)
	}
	if _, told := errors.AsType[*sdk.Error](err); err != nil && !told {
		err = &sdk.Error{Code: "truncated", Msg: "the endpoint's answer was cut or is not what it should be: " + err.Error(),
			Fix: "try again; check that base_url names an endpoint of family " + req.Endpoint.Family}
	}
	if err != nil {
		return sdk.ChatReply{}, err
	}
	if prompted {
		b.emit = emit
		b.parseCalls(req.Tools)
	}
	return b.reply(), nil
}

// once posts and reads the answer. An error that is not an *sdk.Error means that the answer was cut.
func (c *Client) once(h *sdk.Host, req sdk.ChatRequest, q Quirks, b *Builder) error {
	url, headers, body := c.family.Request(req, q)
	raw, err := encode(body, req)
	if err != nil {
		return err
	}
	head, answer, err := post(h, req, url, headers, raw)
	if err != nil {
		return err
	}
	defer answer.Close()
	if req.Stream && !strings.Contains(header(head, "Content-Type"), "json") {
		return c.stream(answer, b)
	}
	whole, err := io.ReadAll(io.LimitReader(answer, maxAnswer))
	if err != nil && !final(err) {
		err = errors.New(err.Error())
	}
	if err != nil {
		return err
	}
	if err := c.family.Whole(whole, b); err != nil {
		return err
	}
	b.flush()
	return nil
}

// final reports whether nothing more may be tried.
func final(err error) bool { return sdk.CodeOf(err) == "cancelled" }

func (c *Client) stream(answer io.Reader, b *Builder) error {
	events := sse.NewReader(answer)
	for {
		e, err := events.Next()
		if err == nil {
			err = c.family.Event(e, b)
			if err != nil || b.Ended {
				return err
			}
			continue
		}
		switch {
		case final(err):
			return err
		case b.Finish != "":
			return nil // whole, though without the family's last word
		case errors.Is(err, io.EOF):
			return errors.New("the stream ended before the answer did")
		}
		return errors.New(err.Error()) // of whatever kind: the connection broke
	}
}

// encode makes the body. Only the request's own pictures may be placeholders in it, whatever the texts
// in it say.
func encode(body any, req sdk.ChatRequest) (string, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(body); err != nil {
		return "", err
	}
	s := strings.ReplaceAll(strings.TrimSuffix(buf.String(), "\n"), "{{", `{\u007b`) // {{ is never JSON outside of a string
	for _, m := range req.Messages {
		for _, p := range m.Content {
			if p.Handle != "" {
				s = strings.ReplaceAll(s, `{\u007battach:`+p.Handle+"}}", Attach(p))
			}
		}
	}
	return s, nil
}

// Attach is the placeholder that becomes the base64 of a picture or a file.
func Attach(p sdk.Part) string { return "{{attach:" + p.Handle + "}}" }

// readable leaves out what the endpoint does not read, and says so in its place.
func readable(e sdk.Endpoint, turns []sdk.Turn) []sdk.Turn {
	out := make([]sdk.Turn, len(turns))
	for i, t := range turns {
		out[i], out[i].Content = t, nil
		for _, p := range t.Content {
			switch {
			case p.Type == "image" && !e.Vision:
				p = sdk.Part{Type: "text", Text: "[a picture was left out: this model reads none]"}
			case p.Type == "file" && !e.PDF:
				p = sdk.Part{Type: "text", Text: "[a file was left out: this model reads none]"}
			}
			out[i].Content = append(out[i].Content, p)
		}
	}
	return out
}

func hasCalls(turns []sdk.Turn) bool {
	for _, t := range turns {
		if len(t.Calls) > 0 || t.Role == "tool" {
			return true
		}
	}
	return false
}

func countCalls(turns []sdk.Turn) (n int) {
	for _, t := range turns {
		n += len(t.Calls)
	}
	return n
}
