package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

const (
	outerPage = `<!doctype html><title>Outer</title><p>Around.</p><iframe title="Other site" src="http://c.test:PORT/inner"></iframe><div id="host"></div>
<script>document.getElementById('host').attachShadow({mode: 'closed'}).innerHTML = '<iframe title="Shut" src="/inner?shut"></iframe>'</script>`
	innerPage = `<!doctype html><title>Inner</title><button onclick="document.querySelector('p').textContent = 'pressed'">Press</button><input aria-label="Name"><p></p>`
)

// Frames of another site, and in closed shadow roots, are worked in by script, each under a name of its own.
func TestLentFirefoxFrames(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		_, port, _ := strings.Cut(q.Host, ":")
		page := strings.ReplaceAll(outerPage, "PORT", port)
		if q.URL.Path == "/inner" {
			page = innerPage
		}
		_, _ = w.Write([]byte(page))
	}))
	defer srv.Close()
	b := lendFirefox(t).(byScript).Browser
	tab, err := b.Open(t.Context(), strings.Replace(srv.URL, "127.0.0.1", "a.test", 1)+"/")
	if err != nil {
		t.Fatal(err)
	}
	read := func(frame, op string, args, out any) {
		t.Helper()
		raw, err := tab.Read(t.Context(), frame, op, ports.JSON(args))
		if err == nil {
			err = json.Unmarshal(raw, out)
		}
		if err != nil {
			t.Fatalf("%s %s: %v", frame, op, err)
		}
	}
	frames := framesOf(t, tab, 3)
	for _, f := range frames[1:] {
		if f.Parent != "f0" || !strings.HasPrefix(f.Owner, "e") {
			t.Errorf("%+v is not owned by the top frame", f)
		}
		press, name := "", ""
		for css, ref := range map[string]*string{"button": &press, "input": &name} {
			var c struct{ Candidates []struct{ Ref string } }
			read(f.ID, "selector", obj{"css": css}, &c)
			if len(c.Candidates) != 1 || ports.FrameOf(c.Candidates[0].Ref) != f.ID {
				t.Fatalf("%s in %s: %+v", css, f.ID, c)
			}
			*ref = c.Candidates[0].Ref
		}
		if _, err := tab.Act(t.Context(), f.ID, "click", ports.JSON(obj{"ref": press})); err != nil {
			t.Error(err)
		}
		if _, err := tab.Act(t.Context(), f.ID, "fill", ports.JSON(obj{"ref": name, "text": "deep"})); err != nil {
			t.Error(err)
		}
		var text struct{ Text string }
		read(f.ID, "text", obj{}, &text)
		var facts struct{ Value string }
		read(f.ID, "element", obj{"ref": name}, &facts)
		if !strings.Contains(text.Text, "pressed") || facts.Value != "deep" {
			t.Errorf("%s: %q, %q", f.ID, text.Text, facts.Value)
		}
	}
}

// framesOf waits until a tab has so many frames.
func framesOf(t *testing.T, tab ports.Tab, n int) []ports.Frame {
	t.Helper()
	for {
		frames, err := tab.Frames(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(frames) == n {
			return frames
		}
		_, _ = tab.Read(t.Context(), "f0", "waitFor", ports.JSON(obj{"text": "never there", "timeout": 100}))
	}
}
