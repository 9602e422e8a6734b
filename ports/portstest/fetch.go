package portstest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// oneSecret is a source that holds the secret KEY.
type oneSecret ports.Secret

func (s oneSecret) Secret(_ context.Context, name string) (ports.Secret, error) {
	if name != "KEY" {
		return ports.Secret{}, ports.NewError(ports.CodeAuth, "secret "+name+" is not set", "set it")
	}
	return ports.Secret(s), nil
}

// Fetcher tests what every fetcher promises. open returns one that gets its secrets from s.
func Fetcher(t *testing.T, open func(t *testing.T, s ports.Secrets) ports.Fetcher) {
	const value = "s3cr3t/value+1"
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "key:", r.Header.Get("X-Key"))
	}))
	t.Cleanup(elsewhere.Close)
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Echo", r.Header.Get("X-Key"))
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, r.Method, " ", r.Header.Get("X-Key"), " ", string(b))
	})
	mux.Handle("/away", http.RedirectHandler(elsewhere.URL, http.StatusFound))
	f := open(t, oneSecret{Value: value, Origins: []string{srv.URL}})
	get := func(r ports.FetchRequest) (ports.FetchResponse, string, error) {
		res, err := f.Fetch(t.Context(), r)
		if err != nil {
			return res, "", err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return res, string(b), err
	}
	key := map[string]string{"X-Key": "{{secret:KEY}}"}

	res, body, err := get(ports.FetchRequest{URL: srv.URL + "/echo", Method: "POST", Body: "pic {{attach:a}}", Headers: key,
		Local: []string{srv.URL}, Attach: map[string][]byte{"a": []byte("hi")}})
	if err != nil || res.Status != http.StatusTeapot || strings.Contains(body+res.Headers["X-Echo"], value) || !strings.HasSuffix(body, "pic aGk=") {
		t.Errorf("echo: %d %q %q %v", res.Status, body, res.Headers["X-Echo"], err)
	}
	for name, tt := range map[string]struct {
		r    ports.FetchRequest
		code string
	}{
		"origin not allowed":    {ports.FetchRequest{URL: srv.URL}, ports.CodeRefused},
		"local, only allowed":   {ports.FetchRequest{URL: srv.URL, Allow: []string{srv.URL}}, ports.CodeRefused},
		"secret not bound":      {ports.FetchRequest{URL: elsewhere.URL, Headers: key, Local: []string{elsewhere.URL}}, ports.CodeRefused},
		"secret not there":      {ports.FetchRequest{URL: srv.URL, Headers: map[string]string{"A": "{{secret:NO}}"}, Local: []string{srv.URL}}, ports.CodeAuth},
		"redirect not allowed":  {ports.FetchRequest{URL: srv.URL + "/away", Local: []string{srv.URL}}, ports.CodeRefused},
		"scheme":                {ports.FetchRequest{URL: "file:///etc/passwd"}, ports.CodeRefused},
		"nobody there":          {ports.FetchRequest{URL: "http://127.0.0.1:1", Local: []string{"http://127.0.0.1:1"}}, ports.CodeUnreachable},
		"header that is no one": {ports.FetchRequest{URL: srv.URL, Headers: map[string]string{"A": "b\r\nC: d"}, Local: []string{srv.URL}}, ports.CodeInvalidArgs},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := get(tt.r)
			code(t, err, tt.code)
		})
	}
	_, body, err = get(ports.FetchRequest{URL: srv.URL + "/away", Headers: key, Local: []string{srv.URL, elsewhere.URL}})
	if err != nil || body != "key:" {
		t.Errorf("a redirect carried the secret along: %q, %v", body, err)
	}
}
