package mcp

import (
	"crypto/subtle"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessionIdle is how long a session may say nothing before its run ends.
const sessionIdle = time.Hour

// HTTP is the Streamable HTTP endpoint at /mcp. host is the exact address it is reached by (127.0.0.1:PORT):
// a request with another Host (DNS rebinding) or with the Origin of any page is refused. token comes as
// "Authorization: Bearer", or for clients that cannot send headers as /mcp/TOKEN.
//
// A client whose connection breaks in the middle of a call gets the answer when it comes back with the
// Last-Event-ID: the last 10 MiB of what was said are kept in memory.
func (s *Server) HTTP(host, token string) http.Handler {
	inner := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		srv, err := s.session(r.Context())
		if err != nil {
			return nil // the SDK answers 400
		}
		return srv
	}, &mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle, EventStore: mcp.NewMemoryEventStore(nil)})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Host != host:
			http.Error(w, "forbidden: this is reached as "+host, http.StatusForbidden)
		case r.Header.Get("Origin") != "" && r.Header.Get("Origin") != "http://"+host:
			http.Error(w, "forbidden: pages may not talk to wb", http.StatusForbidden)
		case !pathAndToken(r, token):
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "unauthorized: send the token that wb printed", http.StatusUnauthorized)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// pathAndToken compares in constant time.
func pathAndToken(r *http.Request, token string) bool {
	given, inPath := strings.CutPrefix(r.URL.Path, "/mcp/")
	if !inPath {
		if r.URL.Path != "/mcp" {
			return false
		}
		given = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}
