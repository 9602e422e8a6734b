package portstest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// NameScore is how a page script does on the Web Platform Tests for names and roles: accname, HTML-AAM, SVG-AAM,
// Graphics-AAM and WAI-ARIA, which nobody here wrote.
type NameScore struct {
	Labels, OfLabels, Roles, OfRoles int
	Missed                           []string
}

// ScoreNames measures a driver on the tests in dir. The tab is navigated through all of them.
func ScoreNames(ctx context.Context, tab ports.Tab, dir string) (s NameScore, err error) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/resources/") || strings.HasPrefix(r.URL.Path, "/wai-aria/scripts/") {
			w.Header().Set("Content-Type", "text/javascript") // the harness itself is not needed
			return
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	defer srv.Close()
	return s, fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".html") {
			return err
		}
		return s.file(ctx, tab, srv.URL, p)
	})
}

// Names holds a driver to floors of the score. It skips where dir is absent.
func Names(t *testing.T, tab ports.Tab, dir string, labels, roles int) {
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the tests are not here:", err)
	}
	s, err := ScoreNames(t.Context(), tab, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("labels %d of %d, roles %d of %d, %d of %d in all", s.Labels, s.OfLabels, s.Roles, s.OfRoles, s.Labels+s.Roles, s.OfLabels+s.OfRoles)
	if s.Labels < labels || s.Roles < roles {
		t.Errorf("below the floor of %d labels and %d roles; missed:\n%s", labels, roles, strings.Join(s.Missed, "\n"))
	} else if testing.Verbose() {
		t.Logf("missed:\n%s", strings.Join(s.Missed, "\n"))
	}
}

func (s *NameScore) file(ctx context.Context, tab ports.Tab, base, path string) error {
	if _, err := tab.Nav(ctx, ports.Nav{URL: base + "/" + path}); err != nil {
		return err
	}
	attrs := []string{"data-expectedlabel", "data-expectedrole", "data-testname"}
	raw, err := tab.Read(ctx, "f0", "names", ports.JSON(map[string]any{"css": "[data-expectedlabel],[data-expectedrole]", "attrs": attrs}))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var got struct {
		Items []struct {
			Role, Name string
			Attrs      map[string]string
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		return err
	}
	for _, i := range got.Items {
		name := i.Attrs["data-testname"]
		if want, ok := i.Attrs["data-expectedlabel"]; ok {
			s.OfLabels++
			if folded(i.Name) == folded(want) {
				s.Labels++
			} else {
				s.Missed = append(s.Missed, fmt.Sprintf("%s: %q: label %q, want %q", path, name, i.Name, want))
			}
		}
		if want, ok := i.Attrs["data-expectedrole"]; ok {
			s.OfRoles++
			if sameRole(i.Role) == sameRole(want) {
				s.Roles++
			} else {
				s.Missed = append(s.Missed, fmt.Sprintf("%s: %q: role %q, want %q", path, name, i.Role, want))
			}
		}
	}
	return nil
}

func folded(s string) string { return strings.Join(strings.Fields(s), " ") }

func sameRole(r string) string {
	switch r {
	case "image":
		return "img"
	case "presentation":
		return "none"
	}
	return r
}
