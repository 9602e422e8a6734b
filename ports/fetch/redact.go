package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// redacted stands where a secret was.
const redacted = "[redacted]"

// text takes what was injected out of a text.
func (in *injected) text(s string) string {
	for _, form := range in.forms {
		s = strings.ReplaceAll(s, string(form), redacted)
	}
	return s
}

// clean takes it out of an error, which then has lost its cause but not its code.
func (in *injected) clean(err error) error {
	if in.text(err.Error()) == err.Error() {
		return err
	}
	if e, ok := errors.AsType[*ports.Error](err); ok {
		return ports.NewError(e.Code, in.text(e.Msg), in.text(e.Fix))
	}
	return errors.New(in.text(err.Error()))
}

// headers are an answer's, with several values of a name joined.
func (in *injected) headers(h http.Header) map[string]string {
	out := make(map[string]string, len(h))
	for name, values := range h {
		out[in.text(name)] = in.text(strings.Join(values, ", "))
	}
	return out
}

// replacer takes forms out of a stream, also where they lie across reads. It holds bytes back only while
// they may be the beginning of one.
type replacer struct {
	src   io.Reader
	forms [][]byte  // longest first
	first [256]bool // bytes that some form begins with
	buf   []byte    // read, not yet decided
	out   []byte    // decided, not yet returned
	chunk []byte
	err   error // of src, once it ended
}

func newReplacer(src io.Reader, forms [][]byte) *replacer {
	r := &replacer{src: src, forms: forms, chunk: make([]byte, 32<<10)}
	for _, f := range forms {
		r.first[f[0]] = true
	}
	return r
}

// Read returns what is safe to return.
func (r *replacer) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		n, err := r.src.Read(r.chunk)
		r.buf = append(r.buf, r.chunk[:n]...)
		r.err = err
		r.decide()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

// decide moves what it can from buf to out.
func (r *replacer) decide() {
	out := make([]byte, 0, len(r.buf))
	i := 0
	for i < len(r.buf) {
		if !r.first[r.buf[i]] {
			out = append(out, r.buf[i])
			i++
			continue
		}
		n, wait := r.match(r.buf[i:])
		if wait {
			break
		}
		if n == 0 {
			out = append(out, r.buf[i])
			i++
			continue
		}
		out = append(out, redacted...)
		i += n
	}
	r.buf = append(r.buf[:0], r.buf[i:]...)
	r.out = out
}

// match is the length of the form that b begins with, or wait if a longer one may come.
func (r *replacer) match(b []byte) (n int, wait bool) {
	for _, f := range r.forms {
		if bytes.HasPrefix(b, f) {
			return len(f), false
		}
		if r.err == nil && len(b) < len(f) && bytes.HasPrefix(f, b) {
			return 0, true
		}
	}
	return 0, false
}
