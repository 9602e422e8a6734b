package fetch

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

// maxHops is how many redirects are followed.
const maxHops = 5

// attempt sends the request once, along its redirects.
func (f *Fetcher) attempt(parent context.Context, r request) (ports.FetchResponse, error) {
	ctx, cancel := context.WithCancelCause(parent)
	timer := time.AfterFunc(r.timeout, func() { cancel(errHeaders) })
	res, in, err := f.follow(ctx, r)
	if !timer.Stop() && err == nil {
		err = errHeaders
		_ = res.Body.Close() // too late
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(nil)
		return ports.FetchResponse{}, in.clean(err)
	}
	b := f.wrap(ctx, cancel, res.Body, r.stream, in)
	return ports.FetchResponse{Status: res.StatusCode, URL: in.text(res.Request.URL.String()), Headers: in.headers(res.Header), Body: b}, nil
}

// follow sends hop after hop and returns the last answer.
func (f *Fetcher) follow(ctx context.Context, r request) (*http.Response, *injected, error) {
	in := &injected{}
	u, method, body, headers := r.url, r.method, r.body, maps.Clone(r.headers)
	for hop := 0; ; hop++ {
		res, err := f.send(ctx, r, in, u, method, body, headers, hop == 0)
		if err != nil {
			return nil, in, err
		}
		to := location(res)
		if to == "" {
			if enc := res.Header.Get("Content-Encoding"); enc != "" && enc != "identity" && len(in.values) > 0 {
				_ = res.Body.Close() // refused
				return nil, in, ports.NewError(ports.CodeRefused, "the answer came in an encoding in which secrets cannot be found: "+enc, "")
			}
			return res, in, nil
		}
		drain(res.Body)
		if hop == maxHops {
			return nil, in, ports.NewError(ports.CodeRefused, fmt.Sprintf("more than %d redirects, the last to %s", maxHops, cut(to)), "ask for the final address")
		}
		if in.text(to) != to {
			return nil, in, ports.NewError(ports.CodeRefused, "redirect to an address with a secret in it", "ask for the final address")
		}
		next, err := u.Parse(to)
		if err != nil {
			return nil, in, ports.NewError(ports.CodeRefused, "redirect to an address that is not well-formed", "")
		}
		if next, err = parseURL(next.String()); err != nil {
			return nil, in, err
		}
		if originOf(next) != originOf(u) {
			stripPlain(headers)
		}
		u = next
		if method, body = rewrite(res.StatusCode, method, body); body == "" {
			maps.DeleteFunc(headers, func(name string, _ []string) bool { return strings.HasPrefix(name, "Content-") })
		}
	}
}

// stripPlain takes out credentials that a request wrote out. Those that are secrets stay: each hop
// decides about them by what they are bound to.
func stripPlain(h http.Header) {
	for _, name := range []string{"Authorization", "Cookie", "X-Api-Key"} {
		if v := h.Get(name); v != "" && !secretMark.MatchString(v) {
			h.Del(name)
		}
	}
}

// send makes one request and returns its answer, whatever its status.
func (f *Fetcher) send(ctx context.Context, r request, in *injected, u *url.URL, method, body string, headers http.Header, first bool) (*http.Response, error) {
	origin := originOf(u)
	local := within(origin, exact(r.local))
	if !local && !within(origin, r.allow) {
		what := origin + " may not be reached"
		if !first {
			what = "redirect to " + what
		}
		return nil, ports.NewError(ports.CodeRefused, what, "allow this origin: --allow-origin "+origin+", or in the plugin's grants")
	}
	filled, err := f.fill(ctx, in, headers, origin, first)
	if err != nil {
		return nil, err
	}
	var reader io.Reader
	if body != "" {
		reader = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), reader)
	if err != nil {
		return nil, err
	}
	req.Header = filled
	if filled.Get("User-Agent") == "" {
		filled.Set("User-Agent", "wb/"+f.opt.Version)
	}
	if local {
		return f.local.RoundTrip(req)
	}
	return f.public.RoundTrip(req)
}

// exact leaves out patterns: a local origin is named in full or not at all.
func exact(list []string) []string {
	var out []string
	for _, o := range list {
		if !strings.Contains(o, "*") {
			out = append(out, o)
		}
	}
	return out
}

// location is where an answer redirects to, "" if it does not.
func location(res *http.Response) string {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return res.Header.Get("Location")
	}
	return ""
}

// rewrite is what the fetch standard makes of method and body on a redirect.
func rewrite(status int, method, body string) (string, string) {
	post := method == http.MethodPost && (status == http.StatusMovedPermanently || status == http.StatusFound)
	other := status == http.StatusSeeOther && method != http.MethodGet && method != http.MethodHead
	if post || other {
		return http.MethodGet, ""
	}
	return method, body
}

// drain reads a little of a body that nobody wants, so that the connection can be used again.
func drain(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, 4<<10) // a failure only costs the connection
	_ = body.Close()
}

func cut(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}
