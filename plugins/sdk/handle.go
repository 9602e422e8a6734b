package sdk

import (
	"bytes"
	"io"

	"github.com/wb-agent/wb/plugins/sdk/abi"
)

// Handle reads bytes that the host holds. It is an io.ReadCloser and ends with the call it came in.
type Handle struct {
	// Name is what passes the handle on: in Held, or as {{attach:NAME}} in the body of an http.fetch,
	// where it becomes the bytes' base64. Short bytes that came with the answer have none.
	Name string

	h    *Host
	here []byte // the bytes, if there is no Name
	left []byte
	eof  bool
}

// Open returns a reader of a handle. "" is an empty one.
func (h *Host) Open(name string) *Handle { return &Handle{Name: name, h: h, eof: name == ""} }

// Read returns what is there, and waits only if nothing is. Text that the host delivers is never cut
// inside a character, but p may be too short for it.
func (r *Handle) Read(p []byte) (int, error) {
	for len(r.left) == 0 {
		if r.eof {
			return 0, io.EOF
		}
		var res abi.ReadResult
		if err := r.h.request(abi.MethodRead, abi.ReadRequest{Handle: r.Name}, &res); err != nil {
			return 0, err
		}
		r.left, r.eof = res.Base64, res.EOF
		if res.Text != "" {
			r.left = []byte(res.Text)
		}
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// Find returns where text begins at or after the byte from, -1 if nowhere. The bytes are not brought
// here; of a stream the host keeps all from then on.
func (r *Handle) Find(text string, from int64) (int64, error) {
	if r.Name == "" {
		skip := min(max(from, 0), int64(len(r.here)))
		if i := bytes.Index(r.here[skip:], []byte(text)); i >= 0 {
			return skip + int64(i), nil
		}
		return -1, nil
	}
	var res abi.FindResult
	err := r.h.request(abi.MethodFind, abi.FindRequest{Handle: r.Name, Text: text, From: from}, &res)
	return res.At, err
}

// ReadAt reads from an offset of a handle that is not a stream, without a position of its own.
func (r *Handle) ReadAt(p []byte, off int64) (int, error) {
	if r.Name == "" {
		return bytes.NewReader(r.here).ReadAt(p, off)
	}
	done := 0
	for done < len(p) {
		at := off + int64(done)
		var res abi.ReadResult
		if err := r.h.request(abi.MethodRead, abi.ReadRequest{Handle: r.Name, Max: len(p) - done, At: &at}, &res); err != nil {
			return done, err
		}
		n := copy(p[done:], res.Text)
		if n == 0 {
			n = copy(p[done:], res.Base64)
		}
		if done += n; res.EOF && done < len(p) || n == 0 {
			return done, io.EOF
		}
	}
	return done, nil
}

// Close gives the bytes back before the call ends.
func (r *Handle) Close() error {
	if r.Name == "" {
		return nil
	}
	return r.h.request(abi.MethodClose, abi.HandleRequest{Handle: r.Name}, &struct{}{})
}
