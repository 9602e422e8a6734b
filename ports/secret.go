package ports

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Secrets looks secrets up by name. Only ports/fetch asks; a value never enters a guest, a log, a
// journal, a model or a picture.
type Secrets interface {
	// Secret returns the value and the origins it may be sent to. CodeAuth with a fix if there is none.
	Secret(ctx context.Context, name string) (Secret, error)
}

// Secret is a value bound to origins (scheme://host[:port]). No origin means it may be sent nowhere.
type Secret struct {
	Value   string
	Origins []string
}

// String hides the value from careless printing.
func (Secret) String() string { return "[secret]" }

// GoString hides the value from %#v.
func (Secret) GoString() string { return "[secret]" }

// SecretForms returns the shapes in which a value is likely to come back: as it is, URL-encoded,
// JSON-escaped and in base64 (alone, or anywhere within a longer encoded text, such as user:value).
// Longest first, without duplicates. Whoever redacts takes all of them out.
func SecretForms(value string) []string {
	if value == "" {
		return nil
	}
	forms := []string{value, base64.StdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)), url.QueryEscape(value), url.PathEscape(value),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20")}
	forms = append(forms, html.EscapeString(value), jsonForm(value, false), jsonForm(value, true), asciiForm(jsonForm(value, false)))
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, middle(enc, value, shift))
		}
	}
	for _, f := range forms {
		forms = append(forms, lowerHex(f))
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	forms = slices.Compact(forms)
	// A few characters of base64 would be found everywhere.
	return slices.DeleteFunc(forms, func(f string) bool { return f != value && len(f) < 6 })
}

// middle encodes value as it looks behind shift other bytes, without the characters that it shares with
// its neighbours.
func middle(enc *base64.Encoding, value string, shift int) string {
	s := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	if shift > 0 {
		s = s[shift+1:]
	}
	if (shift+len(value))%3 != 0 {
		s = s[:len(s)-1]
	}
	return s
}

// jsonForm is how a JSON encoder writes value, without the quotes.
func jsonForm(value string, escapeHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(escapeHTML)
	_ = enc.Encode(value) // a string always encodes
	s := strings.TrimSuffix(b.String(), "\n")
	return s[1 : len(s)-1]
}

// asciiForm writes what is not ASCII as \u escapes, as some JSON encoders do.
func asciiForm(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c < utf8.RuneSelf {
			b.WriteRune(c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// lowerHex is how encoders write that prefer %2f to %2F.
func lowerHex(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}
