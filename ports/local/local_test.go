package local

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

// answers is a server that says what is listed, by path, and 404 to all else.
func answers(t *testing.T, kind string, paths map[string]string) Candidate {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := paths[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if to, redirect := strings.CutPrefix(body, "-> "); redirect {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(s.Close)
	return candidate(t, kind, s.URL)
}

func candidate(t *testing.T, kind, at string) Candidate {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	return Candidate{kind, netip.MustParseAddrPort(u.Host)}
}

var (
	ollamaSays = map[string]string{"/api/version": `{"version":"0.12.3"}`, "/api/tags": `{"models":[{"name":"qwen3:8b"},{"name":"gemma3:4b"}]}`,
		"/api/ps": `{"models":[{"name":"qwen3:8b","context_length":8192}]}`}
	studioSays = map[string]string{"/api/v0/models": `{"object":"list","data":[{"id":"qwen2-vl","type":"vlm","state":"loaded","max_context_length":32768,"loaded_context_length":4096},{"id":"nomic","type":"embeddings"}]}`}
	llamaSays  = map[string]string{"/props": `{"default_generation_settings":{"n_ctx":16384},"modalities":{"vision":true}}`, "/v1/models": `{"object":"list","data":[{"id":"model.gguf","object":"model"}]}`}
	vllmSays   = map[string]string{"/version": `{"version":"0.11"}`, "/v1/models": `{"object":"list","data":[{"id":"Qwen/Qwen3-8B","object":"model","max_model_len":40960}]}`}
	janSays    = map[string]string{"/v1/models": `{"object":"list","data":[{"id":"jan-nano"}]}`}
)

func TestFind(t *testing.T) {
	cases := []struct {
		kind string
		says map[string]string
		want []Model
	}{
		{KindOllama, ollamaSays, []Model{{ID: "qwen3:8b", Context: 8192}, {ID: "gemma3:4b"}}},
		{KindLMStudio, studioSays, []Model{{ID: "qwen2-vl", Context: 4096, Vision: true}}},
		{KindLlamaCPP, llamaSays, []Model{{ID: "model.gguf", Context: 16384, Vision: true}}},
		{KindVLLM, vllmSays, []Model{{ID: "Qwen/Qwen3-8B", Context: 40960}}},
		{KindJan, janSays, []Model{{ID: "jan-nano"}}},
	}
	var all []Candidate
	var want []Server
	for _, c := range cases {
		at := answers(t, c.kind, c.says)
		all = append(all, at)
		want = append(want, Server{Kind: c.kind, BaseURL: "http://" + at.Addr.String() + "/v1", Models: c.want})
	}
	if diff := cmp.Diff(want, Find(t.Context(), all)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is no model server, or answers like one only in part, is not taken for one; nothing but loopback is asked.
func TestFindRefuses(t *testing.T) {
	asked := 0
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	t.Cleanup(elsewhere.Close)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<!doctype html><title>Dashboard</title>")) // every path of a single-page app
	}))
	t.Cleanup(page.Close)
	cases := map[string]Candidate{
		"a web server":           candidate(t, KindOllama, page.URL),
		"another program's port": answers(t, KindOllama, janSays),
		"json of another shape":  answers(t, KindJan, map[string]string{"/v1/models": `{"object":"list","data":{"id":"x"}}`}),
		"a list without names":   answers(t, KindJan, map[string]string{"/v1/models": `{"object":"list","data":[{}]}`}),
		"redirects":              answers(t, KindJan, map[string]string{"/v1/models": "-> " + elsewhere.URL}),
		"too much":               answers(t, KindJan, map[string]string{"/v1/models": `{"object":"list","data":[],"x":"` + strings.Repeat("x", maxAnswer) + `"}`}),
		"not loopback":           {KindOllama, netip.MustParseAddrPort("192.0.2.1:11434")},
		"nobody":                 {KindOllama, netip.MustParseAddrPort("127.0.0.1:1")},
		"no such kind":           {"x", candidate(t, "x", page.URL).Addr},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Find(t.Context(), []Candidate{c}); len(got) != 0 {
				t.Errorf("%+v", got)
			}
		})
	}
	if asked != 0 {
		t.Error("a redirect was followed")
	}
}

// Names that are none are dropped.
func TestFindTidies(t *testing.T) {
	c := answers(t, KindJan, map[string]string{"/v1/models": `{"object":"list","data":[{"id":"good"},{"id":"two\nlines"},{"id":"` + strings.Repeat("x", 201) + `"}]}`})
	got := Find(t.Context(), []Candidate{c})
	if len(got) != 1 || cmp.Diff([]Model{{ID: "good"}}, got[0].Models) != "" {
		t.Errorf("%+v", got)
	}
}

func TestWindow(t *testing.T) {
	cases := map[string]struct {
		says  map[string]string
		model string
		want  int
	}{
		"ollama, loaded":      {ollamaSays, "qwen3:8b", 8192},
		"ollama, not loaded":  {ollamaSays, "gemma3:4b", 0},
		"lm studio":           {studioSays, "qwen2-vl", 4096},
		"llama.cpp, any name": {llamaSays, "anything", 16384},
		"vllm":                {vllmSays, "Qwen/Qwen3-8B", 40960},
		"jan":                 {janSays, "jan-nano", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Window(t.Context(), "http://"+answers(t, "", c.says).Addr.String()+"/v1", c.model)
			if got != c.want || (err == nil) != (c.want > 0) || err != nil && ports.FixOf(err) == "" {
				t.Errorf("%d %v", got, err)
			}
		})
	}
	for _, elsewhere := range []string{"https://api.example/v1", "http://192.168.1.2:11434/v1", "http://localhost.evil.example/v1", "::"} {
		if _, err := Window(t.Context(), elsewhere, "m"); ports.CodeOf(err) != ports.CodeUsage {
			t.Errorf("%s: %v", elsewhere, err)
		}
	}
}
