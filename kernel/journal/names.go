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

// named finds name=value and "name": "value" in text, be it a query, a form, a header, or JSON in JSON.
var named = regexp.MustCompile(`(?i)((?:[a-z0-9]+[_-])*(?:password|passwd|pwd|passphrase|passcode|secret|token|authorization|api[_-]?key|access[_-]?key|private[_-]?key|otp|cvv|cvc|cookie))` +
	`(\\*["']?\s*[:=]\s*\\*["']?)((?:(?:bearer|basic)\s+)?[^\s"'\\&;,<>]{3,})`)

// nameHints are looked for first: text without any of them costs no regexp.
var nameHints = []string{"passw", "pwd", "passphrase", "passcode", "secret", "token", "authorization", "key", "otp", "cvv", "cvc", "cookie"}

func byName(s string) string {
	if !strings.ContainsAny(s, "=:") || !hinted(s) {
		return s
	}
	return named.ReplaceAllStringFunc(s, func(m string) string {
		g := named.FindStringSubmatch(m)
		if placeholder(g[3]) {
			return m
		}
		return g[1] + g[2] + Redacted
	})
}

func hinted(s string) bool {
	low := strings.ToLower(s)
	return slices.ContainsFunc(nameHints, func(h string) bool { return strings.Contains(low, h) })
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
