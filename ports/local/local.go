// Package local finds model servers on this computer: it asks the ports that the known programs listen on, on
// loopback only, and believes an answer only if it has the shape that the program gives. What answers there may be
// anything, a hostile page's development server included, so answers are small, checked and never followed elsewhere.
//
// It decides nothing: whoever asks shows a person what was found. Read kinds.go for what each program answers.
package local

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/wb-agent/wb/ports"
)

// Server is a model server that answers.
type Server struct {
	Kind    string  `json:"kind"` // one of the Kind constants
	BaseURL string  `json:"base_url"`
	Models  []Model `json:"models"`
}

// Model is something that a server can be asked for.
type Model struct {
	ID      string `json:"id"`
	Context int    `json:"context,omitempty"` // tokens of its window as it runs now, 0 where the server does not say
	Vision  bool   `json:"vision,omitempty"`
}

// Candidate is where to look for which kind.
type Candidate struct {
	Kind string
	Addr netip.AddrPort // loopback
}

// Kinds of servers.
const (
	KindOllama   = "ollama"
	KindLMStudio = "lmstudio"
	KindLlamaCPP = "llamacpp"
	KindVLLM     = "vllm"
	KindJan      = "jan"
)

// Kinds names them all.
func Kinds() []string { return []string{KindOllama, KindLMStudio, KindLlamaCPP, KindVLLM, KindJan} }

// Limits of a search: time of one server, bytes of an answer, models that are told of.
const (
	findTime   = 2 * time.Second
	maxAnswer  = 1 << 20
	maxModels  = 500
	maxModelID = 200
)

// Find asks all candidates at once and returns the servers that are what they should be, in the candidates' order.
// It takes two seconds at most, and no address but loopback is ever asked.
func Find(ctx context.Context, all []Candidate) []Server {
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	found := make([]*Server, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() { found[i] = look(ctx, c) })
	}
	wg.Wait()
	out := []Server{}
	for _, s := range found {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// look asks one candidate; nil if it is not what it should be.
func look(ctx context.Context, c Candidate) *Server {
	if !c.Addr.Addr().IsLoopback() {
		return nil
	}
	a := asker{ctx, "http://" + c.Addr.String(), client()}
	models, ok := a.models(c.Kind)
	if !ok {
		return nil
	}
	return &Server{Kind: c.Kind, BaseURL: a.base + "/v1", Models: tidy(models)}
}

// Window asks the server at a base URL for the context window that a model has now, in tokens.
func Window(ctx context.Context, baseURL, model string) (int, error) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" || !loopback(u.Hostname()) {
		return 0, ports.NewError(ports.CodeUsage, "only a server on this computer can be asked for its context window", "enter the figure that the service names")
	}
	ctx, cancel := context.WithTimeout(ctx, findTime)
	defer cancel()
	a := asker{ctx, "http://" + u.Host, client()}
	for _, kind := range []string{KindOllama, KindLMStudio, KindLlamaCPP, KindVLLM} {
		models, _ := a.models(kind)
		i := slices.IndexFunc(models, func(m Model) bool { return m.ID == model })
		if i < 0 && kind == KindLlamaCPP && len(models) == 1 {
			i = 0 // it serves one model under any name
		}
		if i >= 0 && models[i].Context > 0 {
			return models[i].Context, nil
		}
	}
	return 0, ports.NewError(ports.CodeUsage, "the server does not say how large the context window of "+clean(model)+" is", "load the model there and try again, or enter the figure")
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// client speaks to loopback and to nothing else, whatever an answer says.
func client() *http.Client {
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil {
			return nil, err
		}
		if !loopback(host) {
			return nil, &net.AddrError{Err: "not loopback", Addr: addr}
		}
		if host == "localhost" {
			host = "127.0.0.1"
		}
		return (&net.Dialer{}).DialContext(ctx, network, net.JoinHostPort(host, port))
	}
	return &http.Client{
		Transport:     &http.Transport{DialContext: dial, DisableKeepAlives: true, Proxy: nil},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// asker asks one server during one search.
type asker struct {
	ctx    context.Context
	base   string
	client *http.Client
}

// get reads a JSON answer; false for anything else.
func (a asker) get(path string, v any) bool {
	req, err := http.NewRequestWithContext(a.ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return false
	}
	res, err := a.client.Do(req)
	if err != nil {
		return false
	}
	defer func() { _ = res.Body.Close() }() // it was read, or is of no use
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
		return false
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	return err == nil && len(b) <= maxAnswer && json.Unmarshal(b, v) == nil
}

// tidy drops what cannot be a model's name.
func tidy(models []Model) []Model {
	out := []Model{}
	for _, m := range models {
		if m.ID != "" && len(m.ID) <= maxModelID && clean(m.ID) == m.ID && len(out) < maxModels {
			m.Context = max(0, m.Context)
			out = append(out, m)
		}
	}
	return out
}

// clean takes out what does not print.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, s)
}
