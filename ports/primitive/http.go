package primitive

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/wb-agent/wb/ports"
)

// maxBody bounds a response that is not streamed, in bytes.
const maxBody = 8 << 20

// Reach says which origins a caller's requests may touch, hop by hop: public ones, and exact ones on
// this machine or its network.
type Reach func(c ports.Call) (allow, local []string)

// HTTP is http.fetch over a Fetcher.
func HTTP(f ports.Fetcher, reach Reach) ports.Tool {
	return primitive("http.fetch", ports.RiskAct, "Send an HTTP request.", fetchSchema, func(ctx context.Context, c ports.Call) (ports.Result, error) {
		var r ports.FetchRequest
		if err := json.Unmarshal(c.Args, &r); err != nil {
			return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "http.fetch: "+err.Error(), "")
		}
		r.Attach = c.Attach
		r.Allow, r.Local = reach(c)
		resp, err := f.Fetch(ctx, r)
		if err != nil {
			return ports.Result{}, err
		}
		res, _ := data(resp, nil)
		if r.Stream {
			res.Body = resp.Body
			return res, nil
		}
		defer func() { _ = resp.Body.Close() }() // read to its end, or given up
		b, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
		if err != nil {
			return ports.Result{}, err
		}
		if len(b) > maxBody {
			return ports.Result{}, ports.NewError(ports.CodeOversized, "the response is larger than 8 MiB", "ask for it with stream")
		}
		res.Content = []ports.Content{body(resp.Headers["Content-Type"], b)}
		return res, nil
	})
}

// body is text where it is valid UTF-8 without NUL, else a binary resource.
func body(mime string, b []byte) ports.Content {
	if s := string(b); utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return ports.Content{Type: "text", Text: s, MIME: mime}
	}
	return ports.Content{Type: "resource", MIME: mime, Data: b}
}
