package host

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// handles are the bytes that the host holds for one exchange. A name is a random number and means
// nothing in another exchange, so an instance cannot use a handle of another, or of an earlier call.
type handles struct {
	max      int
	maxBytes int64

	mu    sync.Mutex
	open  map[string]*handle
	bytes int64 // held in memory
	over  bool
}

// handle is either bytes in memory or a stream that is read once.
type handle struct {
	mime string
	body io.ReadCloser // nil: mem holds everything

	mu   sync.Mutex // held while somebody reads; close does not take it
	mem  []byte
	pos  int64
	buf  []byte // what a stream is read into
	tail []byte // an unfinished character of a stream
	eof  bool
}

func newHandles(l Limits) *handles {
	return &handles{max: l.Handles, maxBytes: l.HandleBytes}
}

// add takes over body, or mem, and returns the name. After an error body is closed.
func (t *handles) add(mime string, mem []byte, body io.ReadCloser) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.room(len(mem))
	if err != nil {
		if body != nil {
			_ = body.Close() // err says more
		}
		return "", err
	}
	if t.open == nil {
		t.open = map[string]*handle{}
	}
	var r [16]byte
	_, _ = rand.Read(r[:]) // never fails
	name := "h" + hex.EncodeToString(r[:])
	t.open[name] = &handle{mime: mime, mem: mem, body: body}
	t.bytes += int64(len(mem))
	return name, nil
}

func (t *handles) room(n int) error {
	switch {
	case t.over:
		return ports.NewError(ports.CodeCancelled, "the call is over", "")
	case len(t.open) >= t.max:
		return ports.NewError(ports.CodeExhausted, fmt.Sprintf("%d handles are open", t.max), "close some")
	}
	return t.grow(n)
}

// grow accounts for more bytes in memory, without adding them.
func (t *handles) grow(n int) error {
	if t.bytes+int64(n) > t.maxBytes {
		return ports.NewError(ports.CodeOversized, fmt.Sprintf("handles would hold more than %d bytes", t.maxBytes), "close some, or read streams in pieces")
	}
	return nil
}

func (t *handles) get(name string) (*handle, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.open[name]; h != nil && !t.over {
		return h, nil
	}
	return nil, ports.NewError(ports.CodeBadHandle, "no open handle "+clip(name, 40), fixes(ports.CodeBadHandle))
}

func (t *handles) drop(name string) error {
	h, err := t.get(name)
	if err != nil {
		return err
	}
	t.mu.Lock()
	delete(t.open, name)
	t.mu.Unlock()
	if h.body != nil {
		_ = h.body.Close() // it is only read; nothing can be lost
		return nil
	}
	t.mu.Lock()
	t.bytes -= int64(len(h.mem))
	t.mu.Unlock()
	return nil
}

// close ends all. Readers that wait are woken by the closing of their streams.
func (t *handles) close() {
	t.mu.Lock()
	t.over = true
	all := t.open
	t.open = nil
	t.mu.Unlock()
	for _, h := range all {
		if h.body != nil {
			_ = h.body.Close()
		}
	}
}

// whole returns all bytes that are left of a handle; a stream is kept in memory from then on.
func (t *handles) whole(h *handle) ([]byte, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.body == nil || h.eof {
		return h.mem, nil
	}
	t.mu.Lock()
	left := t.maxBytes - t.bytes
	t.mu.Unlock()
	b, err := io.ReadAll(io.LimitReader(h.body, left+1))
	if err != nil {
		return nil, fmt.Errorf("handle: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.grow(len(b)); err != nil {
		return nil, err
	}
	t.bytes += int64(len(b))
	h.mem, h.pos, h.tail, h.eof = append(h.tail, b...), 0, nil, true
	return h.mem, nil
}

// find returns where text begins at or after from, -1 if nowhere.
func (t *handles) find(h *handle, text string, from int64) (int64, error) {
	b, err := t.whole(h)
	if err != nil {
		return 0, err
	}
	if from < 0 || from > int64(len(b)) {
		return -1, nil
	}
	if i := bytes.Index(b[from:], []byte(text)); i >= 0 {
		return from + int64(i), nil
	}
	return -1, nil
}
