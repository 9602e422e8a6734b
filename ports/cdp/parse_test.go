package cdp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestParseKey(t *testing.T) {
	for _, c := range []struct {
		in, name, code, text string
		held                 int64
		ok                   bool
	}{
		{"Enter", "Enter", "Enter", "\r", 0, true},
		{"a", "a", "KeyA", "a", 0, true},
		{"A", "A", "KeyA", "A", 0, true},
		{"Control+a", "a", "KeyA", "", 2, true},
		{"ctrl+shift+ArrowLeft", "ArrowLeft", "ArrowLeft", "", 10, true},
		{"Shift+a", "A", "KeyA", "A", 8, true},
		{"+", "+", "Equal", "+", 0, true},
		{"Control++", "+", "Equal", "", 2, true},
		{"F5", "F5", "F5", "", 0, true},
		{"Shift", "Shift", "ShiftLeft", "", 0, true},
		{"ä", "ä", "", "ä", 0, true},
		{"F13", "", "", "", 0, false},
		{"Hyper+a", "", "", "", 0, false},
		{"", "", "", "", 0, false},
		{"ab", "", "", "", 0, false},
	} {
		t.Run(c.in, func(t *testing.T) {
			k, ok := parseKey(c.in)
			var held int64
			for _, m := range k.modifiers {
				held |= m.bit
			}
			if ok != c.ok || ok && (k.key.name != c.name || k.key.code != c.code || k.key.text != c.text || held != c.held) {
				t.Errorf("%+v held %d %v", k.key, held, ok)
			}
		})
	}
}

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{"Enter", "Control+a", "Shift+Control+", "+++", "F0", "ä+x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if k, ok := parseKey(s); ok && k.key.name == "" {
			t.Errorf("%q is a key without a name", s)
		}
	})
}

func TestFind(t *testing.T) {
	none := func(string) (string, error) { return "", errors.New("not found") }
	for _, c := range []struct{ goos, there, want string }{
		{"linux", "/usr/lib/chromium/chromium", "/usr/lib/chromium/chromium"},
		{"darwin", "/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Chromium.app/Contents/MacOS/Chromium"},
		{"windows", filepath.Join("P", `Microsoft\Edge\Application\msedge.exe`), filepath.Join("P", `Microsoft\Edge\Application\msedge.exe`)},
		{"linux", "", ""},
	} {
		t.Run(c.goos+" "+c.there, func(t *testing.T) {
			got, err := find(c.goos, func(string) string { return "P" }, func(p string) bool { return p == c.there && p != "" }, none)
			if got != c.want || (c.want == "") != (ports.CodeOf(err) == ports.CodeNoBrowser) {
				t.Errorf("%q %v", got, err)
			}
		})
	}
	got, err := find("linux", func(string) string { return "" }, func(string) bool { return false }, func(n string) (string, error) { return "/snap/bin/" + n, nil })
	if err != nil || !strings.HasPrefix(got, "/snap/bin/") {
		t.Errorf("by PATH: %q %v", got, err)
	}
}

func TestStartErrors(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	_, err := Launch(t.Context(), Options{Path: filepath.Join(tmp, "none")})
	if ports.CodeOf(err) != ports.CodeNoBrowser || ports.FixOf(err) == "" {
		t.Errorf("missing binary: %v", err)
	}
	_, err = Launch(t.Context(), Options{Path: "/bin/false"})
	if ports.CodeOf(err) != ports.CodeNoBrowser {
		t.Errorf("a program that ends: %v", err)
	}
	_, err = Attach(t.Context(), "http://127.0.0.1:1")
	if ports.CodeOf(err) != ports.CodeNoBrowser {
		t.Errorf("nobody listens: %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(tmp, "wb-profile-*"))
	if len(left) != 0 {
		t.Errorf("profiles left: %v", left)
	}
}

func TestHops(t *testing.T) {
	var h hops
	for i := range 40 {
		h.put("id", strings.Repeat("x", i+1))
	}
	h.put("other", "u")
	if got := h.get("id"); len(got) != 40 {
		t.Errorf("latest hop has %d letters", len(got))
	}
	if h.get("none") != "" || h.get("") != "" {
		t.Error("unknown ids have hops")
	}
}

func TestQuad(t *testing.T) {
	q := quad{{10, 10}, {110, 10}, {110, 60}, {10, 60}}
	if p := q.at(0.5, 0.5); !near(p, xy{60, 35}) {
		t.Errorf("middle %v", p)
	}
	turned := quad{{60, 10}, {60, 110}, {10, 110}, {10, 10}} // by a quarter
	if p := turned.at(1, 0); !near(p, xy{60, 110}) {
		t.Errorf("turned corner %v", p)
	}
}

func TestSameURL(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"http://A.test", "http://a.test/", true}, {"http://a.test/x#y", "http://a.test/x", true}, {"http://a.test/x", "http://a.test/y", false}, {"http://a.test", "https://a.test", false}} {
		if sameURL(c.a, c.b) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}

func TestNotices(t *testing.T) {
	b := quietBrowser()
	defer b.Close()
	for range maxNotices + 10 {
		b.note(ports.Notice{Kind: "popup"})
	}
	all := b.Notices(0)
	if len(all) != maxNotices || all[len(all)-1].Seq != maxNotices+10 {
		t.Errorf("%d notices, last %d", len(all), all[len(all)-1].Seq)
	}
	if n := b.Notices(maxNotices + 8); len(n) != 2 || !slices.IsSortedFunc(n, func(a, b ports.Notice) int { return int(a.Seq - b.Seq) }) {
		t.Errorf("since: %+v", n)
	}
}

// FuzzAnswer feeds answers of a page script that a page has taken over.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{`{"ok":{},"maxRef":3}`, `{"error":{"code":"stale_ref","message":"m","near":[{"ref":"e1"}]},"maxRef":1}`, `{`, `null`, `{"maxRef":1e99}`, `{"error":{}}`} {
		f.Add(s)
	}
	tab := &Tab{b: &Browser{}}
	f.Fuzz(func(t *testing.T, s string) {
		ok, err := tab.answer(s)
		if err == nil && ok == nil && s != "null" && strings.Contains(s, `"error"`) && strings.Contains(s, `"code":"x"`) {
			t.Error("an error was lost")
		}
	})
}

func TestSweep(t *testing.T) {
	dir := t.TempDir()
	mine, dead := filepath.Join(dir, fmt.Sprintf("wb-profile-%d-x", os.Getpid())), filepath.Join(dir, "wb-profile-2147483600-x")
	for _, p := range []string{mine, dead} {
		if err := os.MkdirAll(filepath.Join(p, "Default"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	sweep(dir)
	if isThere(dead) || !isThere(mine) {
		t.Errorf("dead there: %v, mine there: %v", isThere(dead), isThere(mine))
	}
}

func isThere(p string) bool { _, err := os.Stat(p); return err == nil }

// A request in a receipt shows where it went and what came of it, and no value of its query.
