package fetch

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// request is a checked FetchRequest.
type request struct {
	url     *url.URL
	method  string
	headers http.Header // with placeholders
	body    string
	stream  bool
	timeout time.Duration
	allow   []string
	local   []string
}

// ours are the headers that the transport sets. A guest that named an encoding would get a body in which
// secrets cannot be found.
var ours = []string{"Accept-Encoding", "Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Te",
	"Trailer", "Transfer-Encoding", "Upgrade"}

var (
	token       = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	attachments = regexp.MustCompile(`\{\{attach:([^{}]{1,256})\}\}`)
)

func parse(r ports.FetchRequest) (request, error) {
	u, err := parseURL(r.URL)
	if err != nil {
		return request{}, err
	}
	req := request{url: u, method: strings.ToUpper(r.Method), headers: http.Header{}, stream: r.Stream,
		timeout: time.Duration(r.Timeout) * time.Millisecond, allow: r.Allow, local: r.Local}
	if req.method == "" {
		req.method = http.MethodGet
	}
	if !token.MatchString(req.method) || req.method == http.MethodConnect || req.method == http.MethodTrace {
		return request{}, invalid("method " + req.method + " cannot be used")
	}
	if req.timeout <= 0 {
		req.timeout = 120 * time.Second
	}
	for name, value := range r.Headers {
		canonical := http.CanonicalHeaderKey(name)
		if !token.MatchString(name) || strings.ContainsFunc(value, control) {
			return request{}, invalid("header " + canonical + " is not well-formed")
		}
		if slices.Contains(ours, canonical) || strings.HasPrefix(canonical, "Proxy-") {
			continue
		}
		req.headers.Set(canonical, value)
	}
	req.body = attachments.ReplaceAllStringFunc(r.Body, func(m string) string {
		data, ok := r.Attach[m[len("{{attach:"):len(m)-2]]
		if !ok {
			return m // some text that looks like one
		}
		return base64.StdEncoding.EncodeToString(data)
	})
	return req, nil
}

// control reports what a header value cannot hold.
func control(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, invalid("url is not well-formed")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, ports.NewError(ports.CodeRefused, "scheme "+u.Scheme+" cannot be fetched", "use http or https")
	case u.Hostname() == "":
		return nil, invalid("url has no host")
	case u.User != nil:
		return nil, ports.NewError(ports.CodeRefused, "url holds a user name or password", "send it in a header, as {{secret:NAME}}")
	case strings.ContainsFunc(u.Host, func(c rune) bool { return c > 0x7e || c <= ' ' }):
		return nil, invalid("host " + u.Hostname() + " is not ASCII; write it in punycode (xn--)")
	}
	u.Host, u.Fragment = strings.ToLower(u.Host), ""
	return u, nil
}

func invalid(msg string) error {
	return ports.NewError(ports.CodeInvalidArgs, "fetch: "+msg, "correct the request")
}
