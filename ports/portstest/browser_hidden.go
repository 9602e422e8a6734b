package portstest

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// carriers are the words of a page that begin with a prefix.
func carriers(t *testing.T, page, prefix string) []string {
	t.Helper()
	b, err := fs.ReadFile(site, "site/"+page)
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(prefix+`[a-z0-9]+`).FindAllString(string(b), -1)
	slices.Sort(list)
	return slices.Compact(list)
}

// quarantineCase: what a person cannot see stays out of the outline and of the prose, is counted, and comes
// marked where it is asked for; what looks like it and is seen stays.
func quarantineCase(t *testing.T, s *browserSuite) {
	for _, page := range []string{"hidden.html", "hidden_names.html", "hidden_paint.html"} {
		tb := s.open(t, "a.test", "/"+page)
		keptApart(t, tb, page)
	}
	tb := s.open(t, "a.test", "/hidden.html")
	outline := tb.outline("f0", nil)
	want := `zero\u{200b}width a\u{202e}b tag\u{e0041}\u{e0042}x family ` + "\U0001f468\u200d\U0001f469\u200d\U0001f467 فارسی می\u200cخواهم"
	if !strings.Contains(outline, want) {
		t.Errorf("no %s in %s", want, lineWith(outline, "zero"))
	}
}

// keptApart holds one page of hidden and shown pieces to what must come out.
func keptApart(t *testing.T, tb tab, page string) {
	t.Helper()
	outline, text := tb.outline("f0", nil), proseOf(tb)
	bad, good := carriers(t, page, "bk-"), carriers(t, page, "gk-")
	if len(bad) < 8 || len(good) < 6 {
		t.Fatalf("%s: %d hidden and %d shown pieces", page, len(bad), len(good))
	}
	for _, w := range bad {
		if strings.Contains(outline, w) {
			t.Errorf("%s is in the outline: %s", w, lineWith(outline, w))
		}
		if strings.Contains(text, w) {
			t.Errorf("%s is in the prose: %s", w, lineWith(text, w))
		}
	}
	for _, w := range append(bad, "bad pseudo", "m-meta") {
		if strings.Contains(outline, w) {
			t.Errorf("%s is in the outline: %s", w, lineWith(outline, w))
		}
	}
	for _, w := range good {
		if !strings.Contains(outline, w) {
			t.Errorf("%s is not in the outline", w)
		}
	}
	var snap struct{ Hidden int }
	tb.read("f0", "snapshot", nil, &snap)
	if snap.Hidden < len(bad)/2 {
		t.Errorf("%d hidden pieces counted, want %d or more", snap.Hidden, len(bad)/2)
	}
	shown := tb.outline("f0", args{"include_hidden": true})
	for _, w := range bad {
		if slices.Contains(notExamined, w) {
			continue
		}
		line := lineWith(shown, w)
		if !strings.Contains(line, "(hidden: ") {
			t.Errorf("%s does not come marked: %q", w, line)
		}
	}
}

// secretsCase: what is typed into fields of codes and into masked ones is never shown, whatever they are called.
func secretsCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/hidden_secrets.html")
	outline := tb.outline("f0", nil)
	for _, all := range []string{outline, tb.outline("f0", args{"include_hidden": true}), proseOf(tb)} {
		for l := range strings.Lines(all) {
			if strings.Contains(l, `value="s`) || strings.Contains(l, "sssss") {
				t.Errorf("a secret is shown: %s", strings.TrimSpace(l))
			}
		}
	}
	if got := strings.Count(outline, "value=•••"); got != 17 {
		t.Errorf("%d values are masked, want 17:\n%s", got, outline)
	}
	if got := strings.Count(outline, `value="k`); got != 5 {
		t.Errorf("%d plain values are shown, want 5:\n%s", got, outline)
	}
}

// notExamined are pieces that are part of a target's own line, or of none: they are left out, not listed.
var notExamined = []string{"bk-pixel", "bk-longalt", "bk-placeholder", "bk-arialabel", "bk-inner", "bk-link",
	"bk-optionhidden", "bk-optiongone", "bk-optiongroup", "bk-valuewhite", "bk-valuetiny", "bk-areanolink", "bk-areaunused",
	"bk-beforeclip", "bk-beforeindent", "bk-beforefilter", "bk-svgdefs", "bk-svgsymbol", "bk-svgclip"}

func lineWith(outline, word string) string {
	for l := range strings.Lines(outline) {
		if strings.Contains(l, word) {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

func proseOf(tb tab) string {
	var page struct{ Text string }
	tb.read("f0", "text", args{"limit": 100000}, &page)
	return page.Text
}
