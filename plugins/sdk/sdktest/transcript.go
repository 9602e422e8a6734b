package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
)

// Transcripts plays recorded answers of a model endpoint to a provider plugin. Each file that matches
// is a txtar archive: "request" is a ChatRequest; "answer 1" and so on begin with a line "STATUS TYPE",
// with "cut" behind it where the connection breaks at the end; "want" is what the plugin made of it,
// and is rewritten if update is true. Each runs twice, the second time byte by byte.
func Transcripts(t *testing.T, p func() sdk.Plugin, pattern string, update bool) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatal("no transcripts:", pattern, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			a := parseArchive(raw)
			got := play(t, p(), a, 1<<20)
			if again := play(t, p(), a, 1); again != got {
				t.Errorf("byte by byte it is another one:\n%s", again)
			}
			if update {
				a.set("want", got)
				if err := os.WriteFile(name, a.format(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := a.get("want"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// play runs one transcript and writes down what happened.
func play(t *testing.T, p sdk.Plugin, a *archive, size int) string {
	t.Helper()
	var req sdk.ChatRequest
	if err := json.Unmarshal([]byte(a.get("request")), &req); err != nil {
		t.Fatal("request:", err)
	}
	var out strings.Builder
	n, kept := 0, map[string]string{}
	s := Run(t, p, Tools{
		"http.fetch": func(args json.RawMessage) (any, error) {
			n++
			write(&out, args)
			return answerOf(a.get("answer "+strconv.Itoa(n)), size)
		},
		"kv.get": func(args json.RawMessage) (any, error) {
			var k struct{ Key string }
			err := json.Unmarshal(args, &k)
			return map[string]any{"value": kept[k.Key]}, err
		},
		"kv.put": func(args json.RawMessage) (any, error) {
			var k struct{ Key, Value string }
			err := json.Unmarshal(args, &k)
			kept[k.Key] = k.Value
			fmt.Fprintf(&out, "kept %s = %s\n", k.Key, k.Value)
			return struct{}{}, err
		},
	})
	reply, deltas, err := s.Chat(req)
	for _, d := range deltas {
		fmt.Fprintf(&out, "delta %s\n", compact(d))
	}
	if err != nil {
		e, _ := err.(*sdk.Error)
		if e == nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "error %s: %s\nfix: %s\n", e.Code, e.Msg, e.Fix)
		return out.String()
	}
	fmt.Fprintf(&out, "reply %s\n", compact(reply))
	return out.String()
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(b.String())
}

// write notes a request of the plugin.
func write(out *strings.Builder, args json.RawMessage) {
	var r sdk.FetchRequest
	if err := json.Unmarshal(args, &r); err != nil {
		fmt.Fprintln(out, "http.fetch:", err)
		return
	}
	fmt.Fprintf(out, "%s %s stream=%t retry=%t\n", r.Method, r.URL, r.Stream, r.Retry)
	for _, k := range slices.Sorted(maps.Keys(r.Headers)) {
		fmt.Fprintf(out, "%s: %s\n", k, r.Headers[k])
	}
	fmt.Fprintln(out, r.Body)
}

func answerOf(s string, size int) (any, error) {
	head, body, _ := strings.Cut(s, "\n")
	f := strings.Fields(head)
	if len(f) < 2 {
		return nil, &sdk.Error{Code: "unreachable", Msg: "the transcript has no further answer"}
	}
	status, err := strconv.Atoi(f[0])
	if err != nil {
		return nil, err
	}
	st := Stream{Head: sdk.FetchHead{Status: status, Headers: map[string]string{"Content-Type": f[1]}}}
	for piece := range slices.Chunk([]byte(body), size) {
		st.Chunks = append(st.Chunks, string(piece))
	}
	if len(f) > 2 && f[2] == "cut" {
		st.Err = &sdk.Error{Code: "unreachable", Msg: "connection reset"}
	}
	return st, nil
}
