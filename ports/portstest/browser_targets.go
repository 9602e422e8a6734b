package portstest

import (
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// mostRefs is how many refs a page may give out for each of its targets.
const mostRefs = 1.3

// targetsCase: on a page of each kind every target has a ref, and not much else has. Fixtures mark their
// targets with data-target, which the page script does not read.
func targetsCase(t *testing.T, s *browserSuite) {
	pages, err := fs.Glob(site, "site/targets/*.html")
	if err != nil || len(pages) < 12 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	all, refs, missed := 0, 0, 0
	for _, p := range pages {
		name := strings.TrimSuffix(path.Base(p), ".html")
		tb := s.open(t, "a.test", "/targets/"+path.Base(p))
		outline := tb.outline("f0", nil)
		shown := map[string]bool{}
		for _, m := range regexp.MustCompile(`\[(e\d+)\]`).FindAllStringSubmatch(outline, -1) {
			shown[m[1]] = true
		}
		var found struct {
			Candidates []struct{ Ref, Role, Name string }
			Total      int
		}
		for n := 0; ; n += len(found.Candidates) { // at most 50 an answer
			tb.read("f0", "selector", args{"css": "[data-target]", "limit": 50, "offset": n}, &found)
			for _, c := range found.Candidates {
				all++
				if !shown[c.Ref] {
					missed++
					t.Errorf("%s: %s %q has no ref in\n%s", name, c.Role, c.Name, outline)
				}
				if c.Name == "" {
					t.Errorf("%s: a target without a name", name)
				}
			}
			if len(found.Candidates) == 0 || n+len(found.Candidates) >= found.Total {
				break
			}
		}
		refs += len(shown)
		if r := float64(len(shown)) / float64(max(found.Total, 1)); r > mostRefs {
			t.Errorf("%s: %d refs for %d targets:\n%s", name, len(shown), found.Total, outline)
		}
	}
	t.Logf("%d of %d targets have refs, %.2f refs a target", all-missed, all, float64(refs)/float64(all))
}

// rootsCase: what is in open and closed shadow roots is seen, and pressed where it is.
func rootsCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/targets/roots.html")
	o := tb.outline("f0", nil)
	wantLines(t, o, `button "Press open-box" [e`, `button "Press closed-box" [e`, `button "Press host" [e`, "In closed-box")
	for _, want := range []string{"open-box", "host"} {
		m := regexp.MustCompile(`"Press ` + want + `" \[(e\d+)\]`).FindStringSubmatch(o)
		if m == nil {
			t.Fatalf("no button in %s:\n%s", want, o)
		}
		tb.click(m[1])
	}
	word := regexp.MustCompile(`clickable ~"word" \[(e\d+)\]`).FindAllStringSubmatch(o, -1)
	if len(word) != 2 {
		t.Fatalf("%d words that listen in\n%s", len(word), o)
	}
	var st struct{ Title string }
	tb.read("f0", "state", nil, &st)
	if st.Title != "host clicked" {
		t.Errorf("the title is %q", st.Title)
	}
}
