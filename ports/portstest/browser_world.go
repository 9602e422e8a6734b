package portstest

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

func navCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/form.html")
	r, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/plain.html")})
	if err != nil || r.Status != 200 || r.Title != "Plain" || r.Same {
		t.Fatalf("%+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/plain.html#below")}); err != nil || !r.Same || !strings.HasSuffix(r.URL, "#below") {
		t.Errorf("fragment: %+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{Delta: -2}); err != nil || r.Title != "Form" {
		t.Errorf("back: %+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{Delta: 1}); err != nil || r.Title != "Plain" {
		t.Errorf("forward: %+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{Reload: true}); err != nil || r.Title != "Plain" {
		t.Errorf("reload: %+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("b.test", "/redirect?to=/plain.html")}); err != nil || r.URL != s.server.url("b.test", "/plain.html") {
		t.Errorf("redirect: %+v %v", r, err)
	}
	if r, err = tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/gone")}); err != nil || r.Status != 410 {
		t.Errorf("410: %+v %v", r, err)
	}
}

func navErrorCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/plain.html")
	for _, c := range []struct{ url, code string }{{"http://127.0.0.1:1/", ports.CodeNavFailed}, {"http://127.0.0.1:9/", ports.CodeNavFailed}, {"nonsense", ports.CodeInvalidArgs}, {"javascript:alert(1)", ports.CodeInvalidArgs}} {
		_, err := tb.Nav(tb.ctx, ports.Nav{URL: c.url})
		wantCode(t, err, c.code)
	}
	_, err := tb.Nav(tb.ctx, ports.Nav{Delta: 7})
	wantCode(t, err, ports.CodeNavFailed)
}

func tabsCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/plain.html")
	info, err := tb.Info(tb.ctx)
	for err == nil && info.Title != "Plain" { // it comes with the document
		info, err = tb.Info(tb.ctx)
	}
	if err != nil || !info.Active {
		t.Fatalf("%+v %v", info, err)
	}
	other := s.open(t, "a.test", "/form.html")
	if err := tb.Activate(tb.ctx); err != nil {
		t.Fatal(err)
	}
	list, err := s.browser.Tabs(tb.ctx)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, i := range list {
		o, err := other.Info(tb.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if i.ID == info.ID && i.Active || i.ID == o.ID && !i.Active {
			found++
		}
	}
	if found != 2 {
		t.Errorf("tabs %+v", list)
	}
	_, err = s.browser.Tab(tb.ctx, "none")
	wantCode(t, err, ports.CodeTabGone)
}

func alertCase(t *testing.T, s *browserSuite) {
	tb, since := s.open(t, "a.test", "/dialogs.html"), s.last()
	wantEffect(t, tb.doing("f0", tb.ref("f0", "#alert"), nil), `alert "hello" was accepted`)
	tb.waitText("f0", "alerted")
	if n := s.notice(t, since, "dialog"); !strings.Contains(n.Text, "hello") {
		t.Errorf("notice %+v", n)
	}
}

func confirmCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/dialogs.html")
	for _, accept := range []bool{true, false} {
		tb.click(tb.ref("f0", "#confirm"))
		_, err := tb.Read(tb.ctx, "f0", "state", nil)
		wantCode(t, err, ports.CodeDialogOpen)
		if !strings.Contains(err.Error(), "sure?") {
			t.Errorf("error %v does not name the question", err)
		}
		if _, err := tb.Info(tb.ctx); err != nil {
			t.Error("info:", err)
		}
		if err := tb.Dialog(tb.ctx, accept, ""); err != nil {
			t.Fatal(err)
		}
		tb.waitText("f0", map[bool]string{true: "confirmed true", false: "confirmed false"}[accept])
	}
	wantCode(t, tb.Dialog(tb.ctx, true, ""), ports.CodeUsage)
}

func promptCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/dialogs.html")
	tb.click(tb.ref("f0", "#prompt"))
	if err := tb.Dialog(tb.ctx, true, "Ada"); err != nil {
		t.Fatal(err)
	}
	tb.waitText("f0", "prompted Ada")
}

func manyDialogsCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/dialogs.html")
	tb.click(tb.ref("f0", "#many"))
	tb.waitText("f0", "done 50")
}

func unsavedCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/dialogs.html")
	tb.click(tb.ref("f0", "#stay"))
	tb.waitText("f0", "staying")
	_, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/plain.html")})
	wantCode(t, err, ports.CodeUnsaved)
	tb.waitText("f0", "staying")
	if r, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/plain.html"), Force: true}); err != nil || r.Title != "Plain" {
		t.Errorf("force: %+v %v", r, err)
	}
}

func popupCase(t *testing.T, s *browserSuite) {
	for _, css := range []string{"#open", "#blank"} {
		tb, since := s.open(t, "a.test", "/popup.html"), s.last()
		me, err := tb.Info(tb.ctx)
		if err != nil {
			t.Fatal(err)
		}
		r := tb.doing("f0", tb.ref("f0", css), nil)
		n := s.notice(t, since, "popup")
		if css == "#open" {
			wantEffect(t, r, "new tab opened: "+n.Tab)
		}
		p, err := s.browser.Tab(tb.ctx, n.Tab)
		if err != nil {
			t.Fatal(err)
		}
		pt := tab{p, t, tb.ctx}
		pt.waitText("f0", "Some words here.")
		if info, err := p.Info(tb.ctx); err != nil || css == "#open" && info.Opener != me.ID {
			t.Errorf("popup %+v %v, opener %s", info, err, me.ID)
		}
		if err := p.Close(tb.ctx); err != nil {
			t.Error("close:", err)
		}
	}
}

func fenceCase(t *testing.T, s *browserSuite) {
	f, ok := s.browser.(ports.Fenced)
	if !ok {
		t.Fatal("the browser has no fence")
	}
	opener := make(chan string, 1)
	f.Fence(func(n ports.Navigation) error {
		if strings.HasSuffix(n.URL, "/hit?popup") {
			opener <- n.Opener
		}
		if strings.Contains(n.URL, "//evil.test") || strings.HasPrefix(n.URL, "file:") {
			return ports.NewError(ports.CodeRefused, "evil.test is not allowed", "allow it")
		}
		return nil
	})
	defer f.Fence(nil)
	tb := s.open(t, "a.test", "/popup.html")
	for _, css := range []string{"#away", "#evil"} {
		since := s.last()
		if _, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/popup.html")}); err != nil {
			t.Fatal(err)
		}
		tb.click(tb.ref("f0", css))
		if n := s.notice(t, since, "blocked"); !strings.Contains(n.URL, "evil.test") {
			t.Errorf("%s: %+v", css, n)
		}
	}
	if me, err := tb.Info(tb.ctx); err != nil || <-opener != me.ID {
		t.Errorf("a popup does not say that it came from %s: %v", me.ID, err)
	}
	for _, url := range []string{s.server.url("evil.test", "/hit?nav"), s.server.url("evil.test", "/redirect?to=/hit?second"), "file:///etc/hostname"} {
		_, err := tb.Nav(tb.ctx, ports.Nav{URL: url})
		wantCode(t, err, ports.CodeBlocked)
	}
	_, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/redirect?to="+s.server.url("evil.test", "/hit?hop"))})
	wantCode(t, err, ports.CodeBlocked)
	if n := s.server.asked("evil.test"); n != 0 {
		t.Errorf("%d requests reached evil.test", n)
	}
}

func busyCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/busy.html")
	ref := tb.ref("f0", "#b")
	tb.click(ref)
	ctx, cancel := context.WithTimeout(tb.ctx, 700*time.Millisecond)
	defer cancel()
	// The loop may begin a moment after the click.
	var err error
	for err == nil {
		_, err = tb.Read(ctx, "f0", "state", nil)
	}
	wantCode(t, err, ports.CodeTimeout)
	tb.waitText("f0", "idle")
}

func captureCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/form.html")
	front := s.open(t, "a.test", "/plain.html")
	if err := front.Activate(tb.ctx); err != nil {
		t.Fatal(err)
	}
	for range 2 { // of a tab in the background
		img, err := tb.Capture(tb.ctx, ports.Capture{Format: "png"})
		if err != nil || img.MIME != "image/png" || img.Width < 500 || len(img.Data) < 1000 {
			t.Fatalf("%s %dx%d %d bytes: %v", img.MIME, img.Width, img.Height, len(img.Data), err)
		}
	}
	maskedCase(t, tb)
	one, err := tb.Capture(tb.ctx, ports.Capture{Ref: tb.ref("f0", "#go")})
	if err != nil || one.Width > 400 || one.Height > 100 || one.Width < 20 {
		t.Errorf("element: %dx%d %v", one.Width, one.Height, err)
	}
	full, err := front.Capture(tb.ctx, ports.Capture{Full: true})
	if err != nil || full.Height < 3000 {
		t.Errorf("full: %dx%d %v", full.Width, full.Height, err)
	}
}

// maskedCase looks for the black box over the password field, and that it is gone afterwards.
func maskedCase(t *testing.T, tb tab) {
	t.Helper()
	var f struct{ Rect struct{ X, Y, W, H int } }
	tb.read("f0", "element", args{"ref": tb.ref("f0", "#pw")}, &f)
	shot, err := tb.Capture(tb.ctx, ports.Capture{Format: "png"})
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		t.Fatal(err)
	}
	for _, dx := range []int{4, f.Rect.W / 2, f.Rect.W - 4} {
		if r, g, b, _ := img.At(f.Rect.X+dx, f.Rect.Y+f.Rect.H/2).RGBA(); r+g+b > 0x600 {
			t.Errorf("the password field shows at %d", dx)
		}
	}
	var c candidates
	tb.read("f0", "selector", args{"css": "html > div"}, &c)
	if c.Total != 0 {
		t.Errorf("%d boxes are left on the page", c.Total)
	}
}

func downloadCase(t *testing.T, s *browserSuite) {
	tb, since := s.open(t, "a.test", "/plain.html"), s.last()
	_, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/file")})
	if err != nil {
		wantCode(t, err, ports.CodeNavFailed)
	}
	if n := s.notice(t, since, "download"); !strings.Contains(n.Text, "report.bin") {
		t.Errorf("notice %+v", n)
	}
	tb.waitText("f0", "Some words")
}

func crashCase(t *testing.T, s *browserSuite) {
	tb, since := s.open(t, "a.test", "/plain.html"), s.last()
	if _, err := tb.Nav(tb.ctx, ports.Nav{Reload: true}); err != nil { // a page that loads still does not crash
		t.Fatal(err)
	}
	_, err := tb.Nav(tb.ctx, ports.Nav{URL: "chrome://crash"})
	wantCode(t, err, ports.CodeTabCrashed)
	s.notice(t, since, "crashed")
	_, err = tb.Read(tb.ctx, "f0", "state", nil)
	wantCode(t, err, ports.CodeTabCrashed)
	if info, err := tb.Info(tb.ctx); err != nil || info.State != "crashed" {
		t.Errorf("info %+v %v", info, err)
	}
	if r, err := tb.Nav(tb.ctx, ports.Nav{URL: s.server.url("a.test", "/plain.html")}); err != nil || r.Title != "Plain" {
		t.Fatalf("after the crash: %+v %v", r, err)
	}
	tb.waitText("f0", "Some words")
}

func closedTabCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/plain.html")
	failed := make(chan error, 1)
	go func() {
		_, err := tb.Read(tb.ctx, "f0", "waitFor", []byte(`{"text":"never there","timeout":20000}`))
		failed <- err
	}()
	if err := tb.Close(tb.ctx); err != nil {
		t.Fatal(err)
	}
	wantCode(t, within(t, failed), ports.CodeTabGone)
	_, err := tb.Read(tb.ctx, "f0", "state", nil)
	wantCode(t, err, ports.CodeTabGone)
}

func closedBrowserCase(t *testing.T, s *browserSuite) {
	tb := s.open(t, "a.test", "/plain.html")
	failed := make(chan error, 1)
	go func() {
		_, err := tb.Read(tb.ctx, "f0", "waitFor", []byte(`{"text":"never there","timeout":20000}`))
		failed <- err
	}()
	if err := s.browser.Close(); err != nil {
		t.Fatal(err)
	}
	err := within(t, failed)
	if c := ports.CodeOf(err); c != ports.CodeBrowserGone && c != ports.CodeTabGone {
		t.Errorf("error %v", err)
	}
	_, err = s.browser.Open(tb.ctx, "")
	wantCode(t, err, ports.CodeBrowserGone)
	_, err = s.browser.Tabs(tb.ctx)
	wantCode(t, err, ports.CodeBrowserGone)
}

// within takes an error that must come soon.
func within(t *testing.T, failed <-chan error) error {
	t.Helper()
	select {
	case err := <-failed:
		return err
	case <-time.After(10 * time.Second):
		return errors.New("no answer")
	}
}
