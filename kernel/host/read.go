package host

import (
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

const (
	defaultRead = 64 << 10
	maxRead     = 1 << 20
)

// readHandle answers a wb/read. Only a stream may have to be waited for.
func (in *instance) readHandle(raw json.RawMessage) (json.RawMessage, error) {
	req, err := params[abi.ReadRequest](in.p, raw)
	if err != nil {
		return nil, err
	}
	h, err := in.now.handles.get(req.Handle)
	if err != nil {
		return nil, err
	}
	read := func() (json.RawMessage, error) {
		r, err := h.read(req)
		if err != nil {
			return nil, err
		}
		return abi.JSON(r), nil
	}
	if h.body == nil {
		return read()
	}
	return in.await(in.now, read)
}

// findHandle answers a wb/find. A stream is read to its end for it.
func (in *instance) findHandle(raw json.RawMessage) (json.RawMessage, error) {
	req, err := params[abi.FindRequest](in.p, raw)
	if err != nil {
		return nil, err
	}
	x := in.now
	h, err := x.handles.get(req.Handle)
	if err != nil {
		return nil, err
	}
	return in.await(x, func() (json.RawMessage, error) {
		at, err := x.handles.find(h, req.Text, req.From)
		if err != nil {
			return nil, err
		}
		return abi.JSON(abi.FindResult{At: at}), nil
	})
}

// closeHandle answers a wb/close.
func (in *instance) closeHandle(raw json.RawMessage) (json.RawMessage, error) {
	req, err := params[abi.HandleRequest](in.p, raw)
	if err != nil {
		return nil, err
	}
	if err := in.now.handles.drop(req.Handle); err != nil {
		return nil, err
	}
	return json.RawMessage(`{}`), nil
}

// read returns the next bytes.
func (h *handle) read(req abi.ReadRequest) (abi.ReadResult, error) {
	n := req.Max
	if n <= 0 {
		n = defaultRead
	}
	n = min(max(n, utf8.UTFMax), maxRead)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.body != nil && !h.eof {
		if req.At != nil {
			return abi.ReadResult{}, ports.NewError(ports.CodeInvalidArgs, "a stream is read from where it stands", "leave out at, or wb/find first")
		}
		return h.stream(n)
	}
	if req.At != nil {
		h.pos = *req.At
	}
	if h.pos < 0 || h.pos > int64(len(h.mem)) {
		return abi.ReadResult{}, ports.NewError(ports.CodeInvalidArgs, "read outside of the handle", "")
	}
	b := h.mem[h.pos:min(h.pos+int64(n), int64(len(h.mem)))]
	last := h.pos+int64(len(b)) == int64(len(h.mem))
	r, used := encode(b, last)
	h.pos += int64(used)
	return r, nil
}

// stream reads once from the body, or until a whole character is there. Bytes that came with an error
// are handed over first; the error then comes with the next read, as io.Reader has it.
func (h *handle) stream(n int) (abi.ReadResult, error) {
	if cap(h.buf) < n {
		h.buf = make([]byte, n)
	}
	for {
		kept := copy(h.buf, h.tail)
		got, err := h.body.Read(h.buf[kept:n])
		all := h.buf[:kept+got]
		if err != nil && err != io.EOF && len(all) == 0 {
			return abi.ReadResult{}, ports.NewError(ports.CodeUnreachable, "stream: "+err.Error(), "")
		}
		r, used := encode(all, err != nil)
		h.tail = append(h.tail[:0], all[used:]...)
		if err == io.EOF {
			h.eof, r.EOF = true, true
			return r, nil
		}
		r.EOF = false
		if used > 0 {
			return r, nil
		}
	}
}

// encode makes b text if it is UTF-8, leaving an unfinished character at its end for later unless it is
// the last piece.
func encode(b []byte, last bool) (r abi.ReadResult, used int) {
	n := len(b)
	if !last {
		n = wholeRunes(b)
	}
	r.EOF = last
	if utf8.Valid(b[:n]) {
		r.Text = string(b[:n])
		return r, n
	}
	r.Base64 = append([]byte(nil), b...)
	return r, len(b)
}

// wholeRunes returns the length of b without an unfinished character at its end.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}
