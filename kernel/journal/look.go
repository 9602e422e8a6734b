package journal

import (
	"regexp"
	"slices"
	"strings"
)

// look is a shape of secret. Each match contains one of the hints, so text without them costs no regexp.
type look struct {
	hints []string
	re    *regexp.Regexp
}

// looks are the shapes of keys that are told from other text by their prefix.
var looks = []look{
	{[]string{"sk-"}, regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`)},
	{[]string{"k_live_"}, regexp.MustCompile(`\b[rs]k_live_[A-Za-z0-9]{10,}`)},
	{[]string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{20,}`)},
	{[]string{"github_pat_"}, regexp.MustCompile(`\bgithub_pat_[A-Za-z0-9_]{20,}`)},
	{[]string{"glpat-"}, regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{16,}`)},
	{[]string{"xox"}, regexp.MustCompile(`\bxox[a-z]-[A-Za-z0-9-]{10,}`)},
	{[]string{"AKIA"}, regexp.MustCompile(`\bAKIA[A-Z0-9]{16}\b`)},
	{[]string{"AIza"}, regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{30,}`)},
	{[]string{"eyJ"}, regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*`)},
	{[]string{"Bearer ", "bearer "}, regexp.MustCompile(`\b[Bb]earer\s+[A-Za-z0-9._~+/=-]{8,}`)},
	{[]string{"Basic ", "basic "}, regexp.MustCompile(`\b[Bb]asic\s+[A-Za-z0-9+/]{12,}={0,2}`)},
	{[]string{"PRIVATE KEY-----"}, regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)},
}

func byLook(s string) string {
	for _, l := range looks {
		if slices.ContainsFunc(l.hints, func(h string) bool { return strings.Contains(s, h) }) {
			s = l.re.ReplaceAllString(s, Redacted)
		}
	}
	return byLuhn(s)
}

// byLuhn takes out card numbers: 13 to 19 digits, in groups by spaces or dashes or in one, that pass
// Luhn's check and begin like a card.
func byLuhn(s string) string {
	var out strings.Builder
	done := 0
	for i := 0; i < len(s); i++ {
		if !digit(s[i]) {
			continue
		}
		end, digits := digitRun(s, i)
		if len(digits) >= 13 && len(digits) <= 19 && alone(s, i, end) && cardLike(digits) {
			out.WriteString(s[done:i])
			out.WriteString(Redacted)
			done = end
		}
		i = end - 1
	}
	if done == 0 {
		return s
	}
	out.WriteString(s[done:])
	return out.String()
}

// digitRun reads digits with single spaces or dashes between them, from i on.
func digitRun(s string, i int) (end int, digits []byte) {
	var buf [20]byte
	digits = buf[:0]
	for end = i; i < len(s); i++ {
		switch c := s[i]; {
		case digit(c):
			if len(digits) < cap(digits) {
				digits = append(digits, c-'0')
			}
			end = i + 1
		case (c == ' ' || c == '-') && i == end:
		default:
			return end, digits
		}
	}
	return end, digits
}

// alone reports whether s[i:end] is no part of a word or of a decimal fraction.
func alone(s string, i, end int) bool {
	word := func(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
	return (i == 0 || !word(s[i-1]) && s[i-1] != '.') && (end == len(s) || !word(s[end]))
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func cardLike(digits []byte) bool {
	if digits[0] < 2 || digits[0] > 6 {
		return false
	}
	sum := 0
	for i, d := range digits {
		n := int(d)
		if (len(digits)-i)%2 == 0 {
			if n *= 2; n > 9 {
				n -= 9
			}
		}
		sum += n
	}
	return sum%10 == 0
}
