package main

import (
	"net/url"
	"strings"
)

// masked hides what may be a key: header values, and user names and queries in addresses.
func masked(key string, v any) any {
	s, ok := v.(string)
	if !ok {
		return v
	}
	if strings.Contains(key, ".headers.") && !strings.Contains(s, "{{secret:") {
		return "•••"
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User == nil && u.RawQuery == "" {
		return v
	}
	if u.User != nil {
		u.User = url.User("•••")
	}
	if u.RawQuery != "" {
		u.RawQuery = "•••"
	}
	return u.String()
}

// looksLikeKey reports whether a secret's name is a key that somebody wrote in its place. Such a name is
// never printed.
func looksLikeKey(name string) bool {
	for _, p := range []string{"sk-", "sk_", "gsk_", "xai-", "AIza"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return len(name) >= 32 && strings.ContainsAny(name, "0123456789")
}
