package ports

import (
	"context"
	"io"
)

// Fetcher makes HTTP requests for plugins. It resolves secrets, checks every redirect hop and resolved
// address against the request's rules, and keeps secret values out of what it returns.
type Fetcher interface {
	// Fetch sends the request. The response's Body is open and the caller's to close. Refusals are
	// CodeRefused, no connection CodeUnreachable; an HTTP error status is a response, not an error.
	Fetch(ctx context.Context, r FetchRequest) (FetchResponse, error)
}

// FetchRequest is the argument of http.fetch.
type FetchRequest struct {
	URL     string            `json:"url"`
	Method  string            `json:"method,omitempty"`  // [GET]
	Headers map[string]string `json:"headers,omitempty"` // values may hold {{secret:NAME}}
	Body    string            `json:"body,omitempty"`    // may hold {{attach:KEY}}, becomes base64
	Stream  bool              `json:"stream,omitempty"`  // answer when headers are there; read the body by handle
	Retry   bool              `json:"retry,omitempty"`   // on 429 and 5xx, as Retry-After says; up to 3 times
	Timeout int               `json:"timeout,omitempty"` // ms until the headers are there [120,000]

	// Set by the host, never by a guest.
	Allow  []string          `json:"-"` // origins that may be reached, hop by hop
	Local  []string          `json:"-"` // exact origins on loopback or private addresses that may be reached
	Attach map[string][]byte `json:"-"`
}

// FetchResponse is the head of an answer.
type FetchResponse struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"` // after redirects
	Headers map[string]string `json:"headers"`
	Body    io.ReadCloser     `json:"-"`
}
