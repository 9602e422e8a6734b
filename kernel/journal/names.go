package journal

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// secretWords are the words that make a name secret, and whether even a number under it is.
var secretWords = map[string]bool{
	"password": true, "passwd": true, "pwd": true, "passphrase": true, "passcode": true, "pin": true,
	"otp": true, "totp": true, "cvv": true, "cvc": true, "secret": false, "token": false,
	"authorization": false, "apikey": false, "cookie": false, "cookies": false,
	"credential": false, "credentials": false, "bearer": false, "jwt": false,
}

// secretPairs are two words that mean a secret together.
var secretPairs = []string{"api key", "private key", "access key", "secret key", "one time", "security code", "card number"}

// secretName says whether what lies under a key is secret, and whether numbers are, too.
func secretName(key string) (secret, numbers bool) {
	if len(key) > 64 {
		return false, false
	}
	words := splitWords(key)
	for _, w := range words {
		if n, ok := secretWords[w]; ok {
			secret, numbers = true, numbers || n
		}
	}
	joined := strings.Join(words, " ")
	for _, p := range secretPairs {
		if strings.Contains(joined, p) {
			return true, true
		}
	}
	return secret, numbers
}

// splitWords cuts snake_case, kebab-case, camelCase and HTTP-Header-Case into lower-case words.
func splitWords(s string) []string {
	var words []string
	start, lower := -1, false
	for i, c := range s {
		letter := unicode.IsLetter(c)
		if start >= 0 && (!letter || lower && unicode.IsUpper(c)) {
			words = append(words, strings.ToLower(s[start:i]))
			start = -1
		}
		if start < 0 && letter {
			start = i
		}
		lower = letter && unicode.IsLower(c)
	}
	if start >= 0 {
		words = append(words, strings.ToLower(s[start:]))
	}
	return words
}

// byName takes out values that follow a secret name and a sign, be it in a query, a form, a header, or JSON
// in JSON: name=value, Name: value, \"name\":\"value\".
func byName(s string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '=' && s[i] != ':' {
			continue
		}
		name, at := nameBefore(s, i)
		if secret, _ := secretName(name); !secret || strings.HasSuffix(s[:at], "{{") {
			continue
		}
		from, to := valueAfter(s, i+1)
		if to-from < 3 || from < done || placeholder(s[from:to]) {
			continue
		}
		out.WriteString(s[done:from])
		out.WriteString(Redacted)
		done, i = to, to-1
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// nameBefore reads the identifier that ends before a sign, past quotes and spaces.
func nameBefore(s string, sign int) (name string, at int) {
	end := sign
	for end > 0 && strings.IndexByte(` "'\`, s[end-1]) >= 0 {
		end--
	}
	at = end
	for at > 0 && end-at < 65 && (digit(s[at-1]) || s[at-1] == '_' || s[at-1] == '-' || s[at-1]|0x20 >= 'a' && s[at-1]|0x20 <= 'z') {
		at--
	}
	return s[at:end], at
}

// valueAfter finds the value behind a sign, with the scheme of an Authorization header.
func valueAfter(s string, from int) (start, end int) {
	for from < len(s) && strings.IndexByte(" \t\"'\\", s[from]) >= 0 {
		from++
	}
	end = from
	word := func() {
		for end < len(s) && strings.IndexByte(" \t\r\n\"'\\&;,<>", s[end]) < 0 {
			end++
		}
	}
	word()
	if scheme := strings.ToLower(s[from:end]); (scheme == "bearer" || scheme == "basic") && end < len(s) && s[end] == ' ' {
		end++
		word()
	}
	return from, end
}

var placeholders = regexp.MustCompile(`^(?i:(?:bearer|basic)\s+)?\{\{secret:[A-Za-z0-9_-]+\}\}$`)

// placeholder reports a secret that is only named, or one that is out already.
func placeholder(s string) bool {
	return strings.Contains(s, Redacted) || strings.Contains(s, "{{secret:") && placeholders.MatchString(s)
}

func longestFirst(forms []string) *strings.Replacer {
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range slices.Compact(forms) {
		pairs = append(pairs, f, Redacted)
	}
	return strings.NewReplacer(pairs...)
}
