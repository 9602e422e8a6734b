package host

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// body is a stream that tells whether it was closed.
type body struct {
	io.Reader
	closed chan struct{}
}

func newBody(r io.Reader) *body { return &body{r, make(chan struct{})} }

func (b *body) Close() error { close(b.closed); return nil }

func probe(t testing.TB, c Config, answers map[string]ports.Result) (*Plugin, *ports.Call) {
	last := new(ports.Call)
	c.ID, c.Entry = "probe", "probe"
	return load(t, "testdata/sample", c, ports.CallFunc(func(_ context.Context, c ports.Call) (ports.Result, error) {
		*last = c
		r, ok := answers[c.Tool]
		if !ok {
			return r, ports.NewError(ports.CodeRefused, "no "+c.Tool, "")
		}
		return r, nil
	})), last
}

// A body reaches the guest byte by byte, its characters whole, and is closed when the call ends.
func TestBodyIsAStream(t *testing.T) {
	const text = "Žluťoučký 🐎\xff!"
	b := newBody(iotest.OneByteReader(strings.NewReader(text)))
	p, _ := probe(t, Config{}, map[string]ports.Result{"http.fetch": {Data: json.RawMessage(`{"status":200}`), Body: b}})
	got := call(t, p, "probe_fetch", "{}")
	if want := "200 " + strings.ToValidUTF8(text, "\ufffd"); got != want { // a result is JSON, and that is UTF-8
		t.Fatalf("%q", got)
	}
	<-b.closed
}

func TestBodyThatBreaks(t *testing.T) {
	b := newBody(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(errors.New("connection reset"))))
	p, _ := probe(t, Config{}, map[string]ports.Result{"http.fetch": {Data: json.RawMessage(`{"status":200}`), Body: b}})
	_, err := p.Call(context.Background(), ports.Call{Tool: "probe_fetch"})
	if ports.CodeOf(err) != ports.CodeUnreachable || !strings.Contains(err.Error(), "connection reset") {
		t.Fatal(err)
	}
}

// blocked is a stream that brings nothing until it is closed.
type blocked struct{ entered, closed chan struct{} }

func (b blocked) Read([]byte) (int, error) {
	b.entered <- struct{}{}
	<-b.closed
	return 0, io.ErrClosedPipe
}

func (b blocked) Close() error { close(b.closed); return nil }

// A guest that waits for a stream is told "cancelled" at once; the stream is closed.
func TestCancelWhileReading(t *testing.T) {
	b := blocked{make(chan struct{}, 1), make(chan struct{})}
	p, _ := probe(t, Config{}, map[string]ports.Result{"http.fetch": {Data: json.RawMessage(`{"status":200}`), Body: b}})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-b.entered; cancel() }()
	_, err := p.Call(ctx, ports.Call{Tool: "probe_fetch"})
	if ports.CodeOf(err) != ports.CodeCancelled || p.Live() != 1 {
		t.Fatal(err, p.Live())
	}
	<-b.closed
}

func shot(n int) ports.Result {
	return ports.Result{Content: []ports.Content{{Type: "image", MIME: "image/png", Data: make([]byte, n)}}}
}

// A picture passes through a guest that never reads it: into a result, and into a request.
func TestPictureIsPassedOn(t *testing.T) {
	p, last := probe(t, Config{}, map[string]ports.Result{"shot": shot(300_000), "http.fetch": {Data: json.RawMessage(`{"status":200}`)}})
	r, err := p.Call(context.Background(), ports.Call{Tool: "probe_pass"})
	if err != nil || len(r.Content) != 1 || r.Content[0].Type != "image" || r.Content[0].MIME != "image/png" || len(r.Content[0].Data) != 300_000 {
		t.Fatalf("%d blocks, %v", len(r.Content), err)
	}
	if got := call(t, p, "probe_attach", "{}"); got != "sent" {
		t.Fatal(got)
	}
	if len(last.Attach) != 1 {
		t.Fatalf("%d attached", len(last.Attach))
	}
	for name, b := range last.Attach {
		if len(b) != 300_000 || !strings.Contains(string(last.Args), "{{attach:"+name+"}}") {
			t.Fatalf("%s: %d bytes in %s", name, len(b), last.Args)
		}
	}
}

func TestLongTextIsAHandle(t *testing.T) {
	text := strings.Repeat("hay ", 50_000) + "needle and more"
	p, _ := probe(t, Config{}, map[string]ports.Result{"long": ports.TextResult(text)})
	if got := call(t, p, "probe_long", "{}"); got != "200000 of 200015, head 2000: needle a, then bad_handle" {
		t.Fatal(got)
	}
}

// Handles mean nothing in another call, or to another instance, and cannot be guessed.
func TestForeignHandles(t *testing.T) {
	p := evil(t, Limits{}, ports.CallFunc(func(context.Context, ports.Call) (ports.Result, error) {
		return ports.TextResult(strings.Repeat("b", 100_000)), nil
	}))
	if got := call(t, p, "keep", "{}"); len(got) != 33 {
		t.Fatal(got)
	}
	for _, tool := range []string{"use", "guess"} {
		if _, err := p.Call(context.Background(), ports.Call{Tool: tool}); tool == "guess" && ports.CodeOf(err) != ports.CodeBadHandle {
			t.Fatal(tool, err)
		} else if tool == "use" && ports.CodeOf(err) != ports.CodeBadHandle {
			t.Fatal(tool, err)
		}
	}
}

func TestHandlesAreCapped(t *testing.T) {
	p, _ := probe(t, Config{Limits: Limits{HandleBytes: 100_000}}, map[string]ports.Result{"shot": shot(100_001)})
	if _, err := p.Call(context.Background(), ports.Call{Tool: "probe_pass"}); ports.CodeOf(err) != ports.CodeOversized {
		t.Fatal(err)
	}
	h := newHandles(Limits{Handles: 1, HandleBytes: 10})
	a, err := h.add("", []byte("12345"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := newBody(strings.NewReader(""))
	if _, err := h.add("", nil, b); ports.CodeOf(err) != ports.CodeExhausted {
		t.Fatal(err)
	}
	<-b.closed // refused bodies are closed
	if err := h.drop(a); err != nil || h.bytes != 0 {
		t.Fatal(err, h.bytes)
	}
	long := newBody(strings.NewReader("12345678901"))
	a, _ = h.add("", nil, long)
	s, _ := h.get(a)
	if _, err := h.whole(s); ports.CodeOf(err) != ports.CodeOversized {
		t.Fatal(err)
	}
	h.close()
	<-long.closed
}

func TestReadInPieces(t *testing.T) {
	for _, text := range []string{"", "abc", "žluť 🐎🐎 konec", "\xf0\x9f\x90", "a\xffb\xfe"} {
		for _, stream := range []bool{false, true} {
			h := &handle{mem: []byte(text)}
			if stream {
				h = &handle{body: io.NopCloser(iotest.HalfReader(strings.NewReader(text)))}
			}
			var got []byte
			for eof := false; !eof; {
				r, err := h.read(abi.ReadRequest{Max: 4})
				if err != nil {
					t.Fatal(err)
				}
				got, eof = append(append(got, r.Text...), r.Base64...), r.EOF
			}
			if string(got) != text {
				t.Errorf("%q stream=%t: %q", text, stream, got)
			}
		}
	}
}
