package journal

import (
	"bytes"
	"encoding/json"
)

// JSON redacts a JSON value and keeps its structure: strings are redacted each, whatever lies under a
// secret name is replaced, keys are redacted by value. What is not JSON comes back as a JSON string.
func (r *Redactor) JSON(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	if !json.Valid(raw) {
		return quote(r.Text(string(raw)))
	}
	w := jsonWalk{r: r, in: raw, out: make([]byte, 0, len(raw)+16)}
	w.value("")
	return w.out
}

// jsonWalk copies valid JSON, redacting as it goes. Nesting is bounded by json.Valid.
type jsonWalk struct {
	r   *Redactor
	in  []byte
	pos int
	out []byte
}

func (w *jsonWalk) value(key string) {
	w.space()
	secret, numbers := false, false
	if key != "" {
		secret, numbers = secretName(key)
	}
	start := w.pos
	switch c := w.in[w.pos]; c {
	case '{', '[':
		if secret {
			w.skip()
			w.out = append(w.out, quote(Redacted)...)
			return
		}
		w.nested(c)
	case '"':
		w.string(secret)
	default:
		w.scalar()
		if n := w.in[start:w.pos]; secret && numbers && (digit(n[0]) || n[0] == '-') {
			w.out = append(w.out, quote(Redacted)...)
			return
		}
		w.number(w.in[start:w.pos])
	}
}

// nested copies an object or an array.
func (w *jsonWalk) nested(open byte) {
	w.out = append(w.out, open)
	w.pos++
	for {
		w.space()
		switch c := w.in[w.pos]; c {
		case '}', ']':
			w.out = append(w.out, c)
			w.pos++
			return
		case ',':
			w.out = append(w.out, c)
			w.pos++
			continue
		}
		key := ""
		if open == '{' {
			key = w.key()
		}
		w.value(key)
	}
}

func (w *jsonWalk) key() string {
	raw := w.token()
	key := unquote(raw)
	w.emit(raw, key, w.r.byValue(key))
	w.space()
	w.out = append(w.out, ':')
	w.pos++
	return key
}

func (w *jsonWalk) string(secret bool) {
	raw := w.token()
	s := unquote(raw)
	switch {
	case secret && s != "" && !placeholder(s):
		w.out = append(w.out, quote(Redacted)...)
	default:
		w.emit(raw, s, w.r.Text(s))
	}
}

// emit writes raw again if nothing changed.
func (w *jsonWalk) emit(raw []byte, before, after string) {
	if before == after {
		w.out = append(w.out, raw...)
		return
	}
	w.out = append(w.out, quote(after)...)
}

// number copies a scalar; a card number or a known value written as a number goes.
func (w *jsonWalk) number(raw []byte) {
	if len(raw) >= minValue && digit(raw[len(raw)-1]) {
		if s := string(raw); w.r.Text(s) != s {
			w.out = append(w.out, quote(Redacted)...)
			return
		}
	}
	w.out = append(w.out, raw...)
}

// token reads a string literal with its quotes.
func (w *jsonWalk) token() []byte {
	start := w.pos
	for w.pos++; w.in[w.pos] != '"'; w.pos++ {
		if w.in[w.pos] == '\\' {
			w.pos++
		}
	}
	w.pos++
	return w.in[start:w.pos]
}

func (w *jsonWalk) scalar() {
	for w.pos < len(w.in) && bytes.IndexByte([]byte(",]} \t\r\n"), w.in[w.pos]) < 0 {
		w.pos++
	}
}

// skip passes over a nested value without copying it.
func (w *jsonWalk) skip() {
	for depth := 0; ; w.pos++ {
		switch w.in[w.pos] {
		case '"':
			w.token()
			w.pos--
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				w.pos++
				return
			}
		}
	}
}

func (w *jsonWalk) space() {
	for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n"), w.in[w.pos]) >= 0 {
		w.pos++
	}
}

func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// quote encodes without escaping <, > and &, so that values still look as they are.
func quote(s string) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes
	return bytes.TrimSpace(buf.Bytes())
}
