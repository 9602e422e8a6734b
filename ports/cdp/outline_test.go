package cdp

import (
	"context"
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

var update = flag.Bool("update", false, "rewrite the golden outlines")

// outline takes a snapshot as text.
func outline(t *testing.T, tb ports.Tab, args string) string {
	t.Helper()
	b, err := tb.Read(t.Context(), "f0", "snapshot", json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Lines []struct {
			D   int
			T   string
			Ref string
		}
		Partial string
		Hidden  int
	}
	if err := json.Unmarshal(b, &s); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, l := range s.Lines {
		out.WriteString(strings.Repeat("  ", l.D) + l.T + "\n")
		if l.Ref != "" && !strings.Contains(l.T, "["+l.Ref+"]") {
			t.Errorf("line %q does not show its ref %s", l.T, l.Ref)
		}
	}
	if s.Partial != "" {
		out.WriteString("partial: " + s.Partial + "\n")
	}
	return out.String()
}

// TestOutlines compares the outline of each page in testdata/outline with what it was when somebody looked.
func TestOutlines(t *testing.T) {
	b := launch(t)
	srv := httptest.NewServer(http.FileServer(http.Dir("testdata/outline")))
	defer srv.Close()
	pages, err := filepath.Glob("testdata/outline/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		t.Run(name, func(t *testing.T) {
			tb, err := b.Open(t.Context(), srv.URL+"/"+name+".html")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tb.Nav(t.Context(), ports.Nav{Reload: true}); err != nil { // to the end of it
				t.Fatal(err)
			}
			golden(t, "testdata/outline/"+name+".txt", outline(t, tb, `{}`))
			if name == "hidden" && strings.Contains(outline(t, tb, `{}`), "NO") {
				t.Error("hidden text is shown")
			}
		})
	}
}

var refNumber = regexp.MustCompile(`\[e\d+\]`)

// golden compares without ref numbers.
func golden(t *testing.T, file, got string) {
	t.Helper()
	got = refNumber.ReplaceAllString(got, "[e]")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
	}
}

// TestBombs opens pages that are made to explode in naive walkers.
func TestBombs(t *testing.T) {
	b := launch(t)
	for name, script := range map[string]string{
		"depth":      `let e = document.body; for (let i = 0; i < 400; i++) { const d = document.createElement('div'); e.append(d); e = d; } e.textContent = 'bottom';`,
		"attributes": `for (let i = 0; i < 20000; i++) document.body.setAttribute('a' + i, i); document.body.append('bottom');`,
		"names":      `const s = []; for (let i = 0; i < 300; i++) s.push('<b id=x' + i + ' aria-labelledby="x' + ((i + 1) % 300) + ' x' + ((i + 2) % 300) + '">n</b>'); document.body.innerHTML = s.join('') + '<p>bottom</p>';`,
		"long":       `document.body.innerHTML = '<button aria-label="' + 'y'.repeat(5e6) + '">b</button><p>bottom</p>';`,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			tb, err := b.Open(ctx, "about:blank")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tb.(ports.Evaluator).Eval(ctx, "f0", "{"+script+"}"); err != nil {
				t.Fatal(err)
			}
			if o := outline(t, tb, `{}`); !strings.Contains(o, "bottom") {
				t.Errorf("%d bytes without the bottom: %.300s", len(o), o)
			}
		})
	}
}
