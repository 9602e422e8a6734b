package ports

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
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
	forms := []string{value, url.QueryEscape(value), url.PathEscape(value),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20")}
	if quoted, err := json.Marshal(value); err == nil {
		forms = append(forms, strings.Trim(string(quoted), `"`))
	}
	for shift := range 3 {
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			forms = append(forms, middle(enc, value, shift))
		}
	}
	for _, f := range forms { // some encoders write %2f, not %2F
		forms = append(forms, lowerHex(f))
	}
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	forms = slices.Compact(forms)
	return slices.DeleteFunc(forms, func(f string) bool { return len(f) < min(len(value), 6) })
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
