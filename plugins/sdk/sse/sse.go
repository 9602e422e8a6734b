// Package sse reads server-sent events as the HTML specification has them: any line ending, comments,
// data over several lines, a byte order mark. It knows nothing of what is in them.
package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// MaxEvent bounds the bytes of one event.
const MaxEvent = 8 << 20

// ErrTooLong is returned for an event, or a line, of more than MaxEvent bytes.
var ErrTooLong = errors.New("sse: event too long")

// Event is one event that has data.
type Event struct {
	Type string // of the event field, "" for none
	ID   string // the last id seen
	Data string // lines joined by newlines, valid UTF-8
	// Cut is true of data that the stream's end left without the closing empty line. The specification
	// drops it; a reader that can tell whether it is whole may use it.
	Cut bool
}

// Reader reads events from a stream. It never waits for more than the event at hand needs.
type Reader struct {
	r          io.Reader
	buf        []byte
	start, end int
	skipLF     bool // the line before ended with a CR
	begun      bool
	err        error // of r, for when the buffer is used up

	event   Event
	data    []byte
	hasData bool
	id      string
}

// NewReader returns a Reader on r.
func NewReader(r io.Reader) *Reader { return &Reader{r: r, buf: make([]byte, 0, 16<<10)} }

// Next returns the next event. At the end it is io.EOF, or what r failed with.
func (r *Reader) Next() (Event, error) {
	for {
		line, err := r.line()
		if err != nil {
			return r.last(line, err)
		}
		if len(line) == 0 {
			if e, ok := r.dispatch(); ok {
				return e, nil
			}
			continue
		}
		if len(r.data)+len(line) > MaxEvent {
			return Event{}, ErrTooLong
		}
		r.field(line)
	}
}

// last handles what the end of the stream left.
func (r *Reader) last(line []byte, err error) (Event, error) {
	if err != io.EOF {
		return Event{}, err
	}
	if len(line) > 0 {
		r.field(line)
	}
	e, ok := r.dispatch()
	if !ok {
		return Event{}, io.EOF
	}
	e.Cut = true
	return e, nil
}

func (r *Reader) dispatch() (Event, bool) {
	e, ok := r.event, r.hasData
	e.ID = r.id
	e.Data = strings.ToValidUTF8(string(r.data), "\ufffd")
	r.event, r.data, r.hasData = Event{}, r.data[:0], false
	return e, ok
}

func (r *Reader) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) { // "" is a comment
	case "event":
		r.event.Type = strings.ToValidUTF8(string(value), "\ufffd")
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.data, r.hasData = append(r.data, value...), true
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = strings.ToValidUTF8(string(value), "\ufffd")
		}
	}
}

// line returns the next line without its end, valid until the next call. With an error it is what
// was left.
func (r *Reader) line() ([]byte, error) {
	searched := 0
	for {
		have := r.buf[r.start:r.end]
		if r.skipLF && len(have) > 0 {
			if have[0] == '\n' {
				r.start++
				have = have[1:]
			}
			r.skipLF = false
		}
		if i := bytes.IndexAny(have[searched:], "\r\n"); i >= 0 {
			i += searched
			r.start += i + 1
			r.skipLF = have[i] == '\r'
			return r.unmarked(have[:i]), nil
		}
		searched = len(have)
		if searched > MaxEvent {
			return nil, ErrTooLong
		}
		if r.err != nil {
			r.start = r.end
			return r.unmarked(have), r.err
		}
		r.fill()
	}
}

// unmarked drops the byte order mark that may begin the stream.
func (r *Reader) unmarked(line []byte) []byte {
	if !r.begun {
		r.begun = true
		return bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// fill reads once, making room first.
func (r *Reader) fill() {
	if r.start > 0 {
		r.end = copy(r.buf[:cap(r.buf)], r.buf[r.start:r.end])
		r.start = 0
	}
	if r.end == cap(r.buf) {
		r.buf = append(make([]byte, 0, 2*cap(r.buf)), r.buf[:r.end]...)
	}
	n, err := r.r.Read(r.buf[r.end:cap(r.buf)])
	r.end += n
	r.buf = r.buf[:r.end]
	r.err = err
}
