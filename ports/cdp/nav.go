package cdp

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/wb-agent/wb/ports"
)

const (
	// navTime bounds a navigation, whatever time its caller has: a run's deadline is not one of a page.
	navTime = 30 * time.Second
	// loadTime is how long a navigation waits for the DOM of a document that has begun to arrive. Some
	// never end.
	loadTime = 15 * time.Second
)

// Nav implements ports.Tab.
func (t *Tab) Nav(ctx context.Context, n ports.Nav) (ports.NavResult, error) {
	return t.navigate(ctx, n, true)
}

// navigate goes somewhere; with whole it waits for the DOM, else for the commit only.
func (t *Tab) navigate(ctx context.Context, n ports.Nav, whole bool) (ports.NavResult, error) {
	ctx, cancel := context.WithTimeout(ctx, navTime)
	defer cancel()
	if err := t.ready(ctx); err != nil {
		return ports.NavResult{}, err
	}
	t.watch.Forget()
	before, err := t.depart(&n)
	if err != nil {
		return ports.NavResult{}, err
	}
	defer t.arrive()
	switch {
	case n.URL != "":
		err = t.goTo(ctx, n)
	case n.Delta != 0:
		err = t.goBy(ctx, n.Delta)
	case n.Reload:
		err = t.send(ctx, page.CommandReload, page.ReloadParams{}, nil)
	default:
		err = ports.NewError(ports.CodeInvalidArgs, "nowhere to go", "give url, delta or reload")
	}
	if err == nil {
		err = t.landed(ctx, before, whole)
	}
	if err != nil {
		t.aftermath(ctx, before, err)
		return ports.NavResult{}, t.navError(ctx, before, err)
	}
	return t.where(ctx, before), nil
}

// journey is how the tab stood before a navigation.
type journey struct {
	loader          cdp.LoaderID
	documents, same int
	downloads       int
	crashed         bool
}

func (t *Tab) depart(n *ports.Nav) (journey, error) {
	if err := t.b.alive(); err != nil {
		return journey{}, err
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if t.closed || t.dialog != nil {
		return journey{}, t.trouble()
	}
	crashed := t.crashed
	if crashed { // a new renderer answers
		t.stopped, t.halted = false, make(chan struct{})
	}
	if t.going != nil {
		return journey{}, ports.NewError(ports.CodeBusy, "the tab is navigating already", "wait for it")
	}
	t.going, t.asked, t.blocked = n, false, nil
	return journey{t.top().loader, t.documents, t.top().same, t.downloads, crashed}, nil
}

func (t *Tab) arrive() {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	t.going = nil
	if t.crashed {
		t.halt()
	}
}

// send is call, but it also works on a tab that has crashed, and ends when the page asks to stay.
func (t *Tab) send(ctx context.Context, method string, params, result any) error {
	return t.call(ctx, t.session, method, params, result)
}

func (t *Tab) goTo(ctx context.Context, n ports.Nav) error {
	u, err := url.Parse(n.URL)
	if err != nil || u.Scheme == "" {
		return ports.NewError(ports.CodeInvalidArgs, "not a URL: "+cut(n.URL, 200), "write it whole, such as https://example.org/")
	}
	if u.Scheme == "javascript" {
		return ports.NewError(ports.CodeInvalidArgs, "javascript: is no place to go", "use the page's own controls")
	}
	if err := t.judgeLocal(u); err != nil {
		return err
	}
	var r page.NavigateResult
	if err := t.send(ctx, page.CommandNavigate, page.NavigateParams{URL: n.URL}, &r); err != nil {
		return err
	}
	if r.ErrorText != "" && !r.IsDownload {
		return netError{r.ErrorText, n.URL}
	}
	return nil
}

func (t *Tab) goBy(ctx context.Context, delta int) error {
	var h page.GetNavigationHistoryResult
	if err := t.send(ctx, page.CommandGetNavigationHistory, nil, &h); err != nil {
		return err
	}
	i := int(h.CurrentIndex) + delta
	if i < 0 || i >= len(h.Entries) {
		return ports.NewError(ports.CodeNavFailed, "there is no page to go to in that direction", "navigate by URL")
	}
	return t.send(ctx, page.CommandNavigateToHistoryEntry, page.NavigateToHistoryEntryParams{EntryID: h.Entries[i].ID}, nil)
}

// landed waits until the navigation has an outcome.
func (t *Tab) landed(ctx context.Context, before journey, whole bool) error {
	if err := t.reached(ctx, before, false); err != nil || !whole {
		return err
	}
	loading, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	if err := t.reached(loading, before, true); ports.CodeOf(err) != ports.CodeTimeout || ctx.Err() != nil {
		return err
	}
	return nil // what is there can be looked at
}

// reached waits until the new document has been committed and, with whole, has its DOM.
func (t *Tab) reached(ctx context.Context, before journey, whole bool) error {
	return t.b.wait(ctx, func() (bool, error) {
		f := t.top()
		switch {
		case t.closed || t.dialog != nil:
			return false, t.trouble()
		case t.asked:
			return false, errUnsaved()
		case t.blocked != nil && f.loader == before.loader:
			return false, t.blocked
		case t.downloads > before.downloads:
			return true, nil
		case f.same > before.same && f.loader == before.loader:
			return true, nil
		case t.crashed:
			return false, t.afterCrash(before)
		}
		return f.loader != before.loader && (!whole || f.ready == f.loader), nil
	})
}

// afterCrash is nil while a tab that had crashed before is being started again.
func (t *Tab) afterCrash(before journey) error {
	if before.crashed {
		return nil
	}
	return t.trouble()
}

// aftermath waits a moment for what follows a failed load: the error page, a download, or a crash. The
// commands that come before the error page is there are lost.
func (t *Tab) aftermath(ctx context.Context, before journey, err error) {
	ne, ok := err.(netError)
	if !ok {
		return
	}
	limit := 2 * time.Second
	if ne.key() == "ABORTED" {
		limit = 500 * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = t.b.wait(ctx, func() (bool, error) {
		f := t.top()
		return t.closed || t.asked || t.crashed && !before.crashed || t.downloads > before.downloads || f.loader != before.loader && f.ready == f.loader, nil
	})
}

func errUnsaved() error {
	return ports.NewError(ports.CodeUnsaved, "the page asks to stay: it has unsaved changes", "save or discard them first, or navigate with force to lose them")
}

// navError tells why a navigation failed.
func (t *Tab) navError(ctx context.Context, before journey, err error) error {
	t.b.mu.Lock()
	asked, blocked, downloaded := t.asked, t.blocked, t.downloads > before.downloads
	crash := error(nil)
	if t.crashed && !before.crashed || t.closed {
		crash = t.trouble()
	}
	t.b.mu.Unlock()
	ne, isNet := err.(netError)
	switch {
	case crash != nil:
		return crash
	case asked:
		return errUnsaved()
	case blocked != nil && (isNet || ports.CodeOf(err) == ""):
		return blocked
	case isNet && downloaded:
		return ports.NewError(ports.CodeNavFailed, cut(ne.url, 200)+" is a file to download, not a page", "see the download notice")
	case isNet:
		return ports.NewError(ports.CodeNavFailed, cut(ne.url, 200)+": "+ne.words(), ne.fix())
	case ports.CodeOf(err) != "":
		return err
	case ctx.Err() != nil:
		return late(ctx, "the page")
	}
	return t.b.wrong(ctx, err)
}

// where reads off where the tab is now.
func (t *Tab) where(ctx context.Context, before journey) ports.NavResult {
	info, err := t.Info(ctx)
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	r := ports.NavResult{URL: t.top().url, Same: t.top().loader == before.loader}
	if !r.Same {
		r.Status = t.status[string(t.top().loader)]
	}
	if err == nil {
		r.Title = info.Title
	}
	return r
}

// netError is Chromium's reason for a failed load, such as net::ERR_NAME_NOT_RESOLVED.
type netError struct{ text, url string }

func (e netError) Error() string { return e.text }

var netWords = map[string][2]string{
	"NAME_NOT_RESOLVED":          {"no such host", "check the address"},
	"CONNECTION_REFUSED":         {"the connection was refused: nothing listens there", "check the address and port, or start the server"},
	"CONNECTION_TIMED_OUT":       {"the server did not answer", "try again later"},
	"TIMED_OUT":                  {"the server did not answer", "try again later"},
	"INTERNET_DISCONNECTED":      {"there is no network", "connect and try again"},
	"ADDRESS_UNREACHABLE":        {"the address cannot be reached", "check the address and the network"},
	"CONNECTION_RESET":           {"the server broke the connection off", "try again"},
	"CONNECTION_CLOSED":          {"the server closed the connection", "try again"},
	"EMPTY_RESPONSE":             {"the server sent nothing", "try again later"},
	"TOO_MANY_REDIRECTS":         {"it redirects without end", "try another address"},
	"INVALID_URL":                {"not a valid URL", "check the address"},
	"UNKNOWN_URL_SCHEME":         {"the browser does not know this kind of URL", "use http or https"},
	"UNSAFE_PORT":                {"the browser refuses this port", "use another port"},
	"FILE_NOT_FOUND":             {"no such file", "check the path"},
	"INVALID_RESPONSE":           {"the answer is not HTTP", "check the address and port"},
	"INVALID_HTTP_RESPONSE":      {"the answer is not HTTP", "check the address and port"},
	"SSL_PROTOCOL_ERROR":         {"the server does not speak TLS", "try http:// instead of https://"},
	"BLOCKED_BY_CLIENT":          {"it was blocked", "choose another address"},
	"ABORTED":                    {"the load was broken off (a download, an empty answer, or another navigation)", "look at the page"},
	"HTTP_RESPONSE_CODE_FAILURE": {"the server answered with an error and no page", "try another address"},
}

func (e netError) key() string { return strings.TrimPrefix(e.text, "net::ERR_") }

func (e netError) words() string {
	if w, ok := netWords[e.key()]; ok {
		return w[0]
	}
	if strings.HasPrefix(e.key(), "CERT_") {
		return "its certificate is not valid (" + strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(e.key(), "CERT_"), "_", " ")) + ")"
	}
	return e.text
}

func (e netError) fix() string {
	if w, ok := netWords[e.key()]; ok {
		return w[1]
	}
	return "check the address"
}

// normal writes a URL as the browser does, as far as comparing needs it.
func normal(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	if u.Path == "" && u.Host != "" {
		u.Path = "/"
	}
	u.Host = strings.ToLower(u.Host)
	u.Fragment = ""
	return u.String()
}
