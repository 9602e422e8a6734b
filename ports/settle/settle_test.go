package settle

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wb-agent/wb/ports"
)

// told is a page that answers as it is told, by frame and operation.
type told struct {
	answers   map[string]func(args string) (string, error)
	documents map[string]Document
	notices   []string
	trouble   error
	mu        sync.Mutex // of documents
}

func (p *told) Script(_ context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error) {
	f := p.answers[frame+" "+op]
	if f == nil {
		return nil, ports.NewError(ports.CodeStaleRef, "no document", "look again")
	}
	text, err := f(string(args))
	return json.RawMessage(text), err
}

func (p *told) Document(frame string) (Document, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d, ok := p.documents[frame]
	return d, ok
}

func (p *told) show(frame string, d Document) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.documents[frame] = d
}

func (p *told) Trouble() error { return p.trouble }

func (p *told) Noticed(since int64) ([]string, int64) {
	return slices.Clone(p.notices[min(int(since), len(p.notices)):]), int64(len(p.notices))
}

func says(text string) func(string) (string, error) {
	return func(string) (string, error) { return text, nil }
}

// shop is a page with a frame that has come to rest.
func shop() *told {
	p := &told{documents: map[string]Document{"f0": {"d0", "http://a.test/", true}, "f1": {"d1", "http://b.test/", true}}}
	p.answers = map[string]func(string) (string, error){
		"f0 baseline": says(`{"token":"b1","measures":[],"since":["not of the frame"]}`),
		"f1 baseline": says(`{"token":"b7","measures":[3],"since":["late in the frame"]}`),
		"f0 settle":   says(`{"settled":true,"effects":["a toast"],"url":"http://a.test/","changed":true,"shown":["button [e9]"]}`),
		"f1 settle":   says(`{"settled":true,"effects":[],"url":"http://b.test/","changed":false}`),
		"f0 late":     says(`{"since":[]}`),
		"f1 late":     says(`{"since":["e3 was reverted"]}`),
	}
	return p
}

// mark takes a baseline of an action in a frame and returns its token and what was late.
func (p *told) mark(t *testing.T, w *Watch, frame string) (token string, since []string) {
	t.Helper()
	raw, err := w.Baseline(t.Context(), frame, json.RawMessage(`{"watch":true}`))
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Token string
		Since []string
	}
	if err := json.Unmarshal(raw, &b); err != nil {
		t.Fatal(err)
	}
	return b.Token, b.Since
}

func settled(t *testing.T, w *Watch, args map[string]any) Settled {
	t.Helper()
	raw, err := w.Settle(t.Context(), ports.JSON(args))
	if err != nil {
		t.Fatal(err)
	}
	var s Settled
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFrameAndWhatIsAroundIt(t *testing.T) {
	p := shop()
	w := New(p, time.Millisecond)
	token, since := p.mark(t, w, "f1")
	if strings.Join(since, ";") != "late in the frame" {
		t.Errorf("since: %q", since)
	}
	p.notices = append(p.notices, "download offered: a.csv")
	w.Net.Begun("1", "POST", "http://b.test/save", true)
	w.Net.Ended("1", "")
	s := settled(t, w, map[string]any{"since": token})
	if got := strings.Join(s.Effects, "; "); got != "download offered: a.csv; around the frame: a toast" {
		t.Errorf("effects: %s", got)
	}
	if !s.Changed || !s.Settled || len(s.Shown) != 1 || s.URL != "http://a.test/" || len(s.Requests) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestAskedUntilItHasComeToRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, looks := shop(), 0
		p.answers["f0 settle"] = func(args string) (string, error) {
			if looks++; looks < 4 {
				return `{"again":15}`, nil
			}
			var a struct {
				Pending  int
				NetSeen  bool
				NetQuiet float64 `json:"netQuietMs"`
			}
			if json.Unmarshal([]byte(args), &a) != nil || a.Pending != 1 || !a.NetSeen {
				t.Errorf("the script hears of the network: %s", args)
			}
			return `{"settled":true,"effects":["saved"]}`, nil
		}
		w := New(p, 15*time.Millisecond)
		token, _ := p.mark(t, w, "")
		w.Net.Begun("1", "GET", "http://a.test/data", true)
		begun := time.Now()
		if s := settled(t, w, map[string]any{"since": token}); len(s.Effects) != 1 || time.Since(begun) != 45*time.Millisecond {
			t.Errorf("%+v after %v", s, time.Since(begun))
		}
	})
}

func TestAnotherDocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := shop()
		w := New(p, 15*time.Millisecond)
		token, _ := p.mark(t, w, "f0")
		p.show("f0", Document{"d9", "http://a.test/done", false})
		p.answers["f0 state"] = says(`{"URL":"http://a.test/done","Title":"Done","Errors":["Too late"]}`)
		p.answers["f0 check"] = func(args string) (string, error) {
			if !strings.Contains(args, `"measures":[]`) {
				t.Errorf("the baseline's measures are not passed on: %s", args)
			}
			return `{"checked":[{"passed":true}],"passed":true}`, nil
		}
		go func() {
			time.Sleep(time.Second)
			p.show("f0", Document{"d9", "http://a.test/done", true})
		}()
		begun := time.Now()
		s := settled(t, w, map[string]any{"since": token, "capMs": 5000, "expect": []any{map[string]any{"kind": "text_present"}}})
		if d := time.Since(begun); d < time.Second || d > 1100*time.Millisecond {
			t.Errorf("waited %v for the document", d)
		}
		if got := strings.Join(s.Effects, "; "); !s.Navigated || got != `page loaded: "Done" http://a.test/done; error shown: "Too late"` || len(s.Checked) == 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestWhatComesLateIsToldOnce(t *testing.T) {
	p := shop()
	w := New(p, time.Millisecond)
	token, _ := p.mark(t, w, "f1")
	settled(t, w, map[string]any{"since": token})
	late := func() string {
		raw, err := w.Late(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if got := late(); got != `{"since":["e3 was reverted"]}` {
		t.Errorf("the script's: %s", got)
	}
	p.show("f1", Document{"d2", "http://b.test/2", true})
	p.notices = append(p.notices, "a dialog was closed")
	if got := late(); got != `{"since":["a dialog was closed","another document was loaded: http://a.test/"]}` {
		t.Errorf("the browser's: %s", got)
	}
	if got := late(); got != `{"since":[]}` {
		t.Errorf("told twice: %s", got)
	}
	token, _ = p.mark(t, w, "f1")
	settled(t, w, map[string]any{"since": token})
	w.Forget()
	if got := late(); got != `{"since":[]}` {
		t.Errorf("after what was asked for: %s", got)
	}
}

func TestWhatCannotBeTold(t *testing.T) {
	p := shop()
	w := New(p, time.Millisecond)
	for name, args := range map[string]string{"no token": `{}`, "not an object": `[]`, "unknown": `{"since":"77"}`} {
		if _, err := w.Settle(t.Context(), json.RawMessage(args)); ports.CodeOf(err) != ports.CodeInvalidArgs {
			t.Errorf("%s: %v", name, err)
		}
	}
	first, _ := p.mark(t, w, "f0")
	for range maxMarks {
		p.mark(t, w, "f0")
	}
	if _, err := w.Check(t.Context(), "f0", ports.JSON(map[string]any{"baseline": first})); ports.CodeOf(err) != ports.CodeInvalidArgs {
		t.Errorf("a baseline that was forgotten: %v", err)
	}
	token, _ := p.mark(t, w, "f0")
	p.trouble = ports.NewError(ports.CodeDialogOpen, "a dialog is open", "close it")
	if _, err := w.Settle(t.Context(), ports.JSON(map[string]any{"since": token})); ports.CodeOf(err) != ports.CodeDialogOpen {
		t.Errorf("with a dialog: %v", err)
	}
	p.trouble, p.answers["f0 settle"] = nil, says(`{"again":1}`)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.Settle(ctx, ports.JSON(map[string]any{"since": token})); ports.CodeOf(err) != ports.CodeCancelled {
		t.Errorf("given up: %v", err)
	}
}
