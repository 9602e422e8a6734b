package fetch

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// originOf is scheme://host[:port], without the scheme's own port.
func originOf(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return u.Scheme + "://" + host
	}
	return u.Scheme + "://" + host + ":" + port
}

// within reports whether an origin is one of a list; "https://*.host" stands for the hosts below host.
func within(origin string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool { return covers(entry, origin) })
}

func covers(entry, origin string) bool {
	entry = strings.TrimSuffix(strings.ToLower(entry), "/")
	scheme, host, _ := strings.Cut(entry, "://")
	if base, ok := strings.CutPrefix(host, "*."); ok {
		rest, ok := strings.CutPrefix(origin, scheme+"://")
		sub, ok2 := strings.CutSuffix(rest, "."+strings.TrimSuffix(base, defaultPort(scheme)))
		return ok && ok2 && sub != "" && net.ParseIP(rest) == nil
	}
	return strings.TrimSuffix(entry, defaultPort(scheme)) == origin
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return ":443"
	}
	return ":80"
}
