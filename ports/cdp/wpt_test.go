package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// Floors of the score on the Web Platform Tests for names and roles. They only go up.
const (
	wptLabels = 605
	wptRoles  = 302
)

// TestNamesAndRoles measures the page script on tests that nobody here wrote: accname, HTML-AAM, SVG-AAM,
// Graphics-AAM and WAI-ARIA of the Web Platform Tests.
func TestNamesAndRoles(t *testing.T) {
	dir, err := filepath.Abs("../../../shared/cases/wpt-a11y")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the test suite is not here:", err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/resources/") || strings.HasPrefix(r.URL.Path, "/wai-aria/scripts/") {
			w.Header().Set("Content-Type", "text/javascript") // the harness itself is not needed
			return
		}
		http.FileServer(http.Dir(dir)).ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	tab, err := launch(t).Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var s wptScore
	err = fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(p, ".html") {
			return err
		}
		return s.file(t.Context(), tab, srv.URL, p)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("labels %d of %d, roles %d of %d, %d of %d in all", s.labels, s.ofLabels, s.roles, s.ofRoles, s.labels+s.roles, s.ofLabels+s.ofRoles)
	if s.labels < wptLabels || s.roles < wptRoles {
		t.Errorf("below the floor of %d labels and %d roles; missed:\n%s", wptLabels, wptRoles, strings.Join(s.missed, "\n"))
	} else if testing.Verbose() {
		t.Logf("missed:\n%s", strings.Join(s.missed, "\n"))
	}
}

type wptScore struct {
	labels, ofLabels, roles, ofRoles int
	missed                           []string
}

func (s *wptScore) file(ctx context.Context, tab ports.Tab, base, path string) error {
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
			s.ofLabels++
			if folded(i.Name) == folded(want) {
				s.labels++
			} else {
				s.missed = append(s.missed, fmt.Sprintf("%s: %q: label %q, want %q", path, name, i.Name, want))
			}
		}
		if want, ok := i.Attrs["data-expectedrole"]; ok {
			s.ofRoles++
			if sameRole(i.Role) == sameRole(want) {
				s.roles++
			} else {
				s.missed = append(s.missed, fmt.Sprintf("%s: %q: role %q, want %q", path, name, i.Role, want))
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
