package cdp

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/wb-agent/wb/ports"
)

// mark is a baseline of ours: one of the script in the frame, one in the top frame, and the network.
type mark struct {
	frame    string // that the action is in
	tokens   map[string]string
	loaders  map[string]cdp.LoaderID
	measures json.RawMessage
	begun    int   // requests so far
	notice   int64 // the last one
	at       time.Time
	watch    bool // an action follows
}

// marks keeps the last baselines of a tab.
type marks struct {
	last  int
	list  map[string]mark
	after *mark // the last action, from its receipt on
}

const maxMarks = 8

func (m *marks) add(k mark) string {
	if m.list == nil {
		m.list = map[string]mark{}
	}
	m.last++
	m.list[strconv.Itoa(m.last)] = k
	delete(m.list, strconv.Itoa(m.last-maxMarks))
	return strconv.Itoa(m.last)
}

// baseline begins to watch a frame, the top document and the network.
func (t *Tab) baseline(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if name == "" {
		name = "f0"
	}
	since := []string{}
	if watched(args) {
		since = t.gone()
	}
	k := mark{frame: name, tokens: map[string]string{}, loaders: map[string]cdp.LoaderID{}, watch: watched(args)}
	for _, n := range both(name) {
		a := args
		if n != name {
			a = json.RawMessage("{}")
		}
		b, err := t.script(ctx, n, "read", "baseline", a)
		if err != nil {
			return nil, err
		}
		var r struct {
			Token    string          `json:"token"`
			Measures json.RawMessage `json:"measures"`
			Since    []string        `json:"since"`
		}
		if err := json.Unmarshal(b, &r); err != nil {
			return nil, err
		}
		k.tokens[n] = r.Token
		if n == name {
			k.measures = r.Measures
			since = append(since, r.Since...)
		}
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for n := range k.tokens {
		if f := t.named(n); f != nil {
			k.loaders[n] = f.loader
		}
	}
	k.begun, k.notice, k.at = t.net.begun, t.b.seq, time.Now()
	return json.Marshal(map[string]any{"token": t.marks.add(k), "measures": k.measures, "since": since})
}

// both is a frame and the top one.
func both(name string) []string {
	if name == "f0" {
		return []string{name}
	}
	return []string{name, "f0"}
}

// settled is the answer of the settle operation.
type settled struct {
	Settled   bool            `json:"settled"`
	Millis    int             `json:"ms"`
	Effects   []string        `json:"effects"`
	URL       string          `json:"url"`
	Changed   bool            `json:"changed"`
	Checked   json.RawMessage `json:"checked,omitempty"`
	Pending   int             `json:"pending"`
	Navigated bool            `json:"navigated,omitempty"`
	Again     int             `json:"again,omitempty"`

	Requests []ports.Request `json:"requests,omitempty"` // that began since the baseline
	Aside    []string        `json:"aside,omitempty"`    // what the page did by itself
	Shown    []string        `json:"shown,omitempty"`    // outline lines of targets that were not there before
	Delivery string          `json:"delivery,omitempty"` // of a click that did not fully reach its target
	Landed   string          `json:"landed,omitempty"`
}

// poll is how often a page that has not come to rest is asked again.
const poll = 15 * time.Millisecond

// settle waits until the documents and the network have come to rest.
func (t *Tab) settle(ctx context.Context, name string, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	var since string
	if json.Unmarshal(raw, &args) != nil || json.Unmarshal(args["since"], &since) != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "settle needs since", "give the token of a baseline")
	}
	t.b.mu.Lock()
	k, ok := t.marks.list[since]
	t.b.mu.Unlock()
	if !ok {
		return nil, noBaseline(since)
	}
	wait := settling{t: t, k: k, args: args, begun: time.Now(), quiet: millis(args["quietMs"], 100), limit: millis(args["capMs"], 5000)}
	for {
		res, err := wait.step(ctx)
		if err != nil {
			return nil, err
		}
		if res.Again == 0 {
			res.Effects = append(t.noticed(k.notice), res.Effects...)
			t.b.mu.Lock()
			res.Requests = t.net.caused(k.begun)
			t.b.mu.Unlock()
			res.Changed = res.Changed || len(res.Effects) > 0
			t.watchOn(k)
			return json.Marshal(res)
		}
		if err := pause(ctx, poll); err != nil {
			return nil, err
		}
	}
}

// noticed says what the browser did for this tab since a notice: popups, downloads, dialogs, blocked loads.
func (t *Tab) noticed(since int64) []string {
	out := []string{}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, n := range t.b.notices {
		p := t.b.tabs[n.Tab]
		switch {
		case n.Seq <= since:
		case n.Kind == "popup" && p != nil && p.opener == t.id:
			out = append(out, "new tab opened: "+n.Tab+" "+p.top().url)
		case n.Tab == t.id && n.Kind != "popup" && n.Kind != "dialog_closed":
			out = append(out, n.Text)
		}
	}
	return out
}

// check looks at expectations; a baseline of a document that is gone goes by what it measured.
func (t *Tab) check(ctx context.Context, name string, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "arguments must be an object", "give conditions")
	}
	if b, ok := args["baseline"]; ok {
		var token string
		_ = json.Unmarshal(b, &token) // not a string: no such baseline
		t.b.mu.Lock()
		k, ok := t.marks.list[token]
		t.b.mu.Unlock()
		if !ok {
			return nil, noBaseline(token)
		}
		delete(args, "baseline")
		args["measures"] = orEmpty(k.measures)
	}
	out, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return t.script(ctx, name, "read", "check", out)
}

func noBaseline(token string) error {
	return ports.NewError(ports.CodeInvalidArgs, "no baseline "+cut(token, 20), "take a baseline before acting")
}

func millis(raw json.RawMessage, otherwise int) time.Duration {
	n := otherwise
	if len(raw) > 0 && json.Unmarshal(raw, &n) != nil {
		n = otherwise
	}
	return time.Duration(n) * time.Millisecond
}

// pause waits for a tick or the end of ctx.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return late(ctx, "the page")
	}
}

type settling struct {
	t     *Tab
	k     mark
	args  map[string]json.RawMessage
	begun time.Time
	quiet time.Duration
	limit time.Duration
}

// step looks once. The answer's Again is not 0 while it is not over.
func (s settling) step(ctx context.Context) (settled, error) {
	t := s.t
	t.b.mu.Lock()
	now := time.Now()
	pending, seen := t.net.since(s.k.begun, s.k.at, now)
	netQuiet := now.Sub(t.net.ended)
	moved := ""
	for _, n := range both(s.k.frame) {
		if f := t.named(n); f == nil || f.loader != s.k.loaders[n] {
			moved = n
		}
	}
	err := t.trouble()
	t.b.mu.Unlock()
	if err != nil {
		return settled{}, err
	}
	if moved != "" {
		return s.moved(ctx, moved, pending, netQuiet)
	}
	var out settled
	for i, n := range both(s.k.frame) {
		r, err := s.ask(ctx, n, i == 0, pending, seen, netQuiet)
		if ports.CodeOf(err) == ports.CodeInvalidArgs || ports.CodeOf(err) == ports.CodeStaleRef {
			return settled{Again: 1}, nil // the document went away between the two looks
		}
		if err != nil {
			return settled{}, err
		}
		if i == 0 {
			out = r
			continue
		}
		out.Again = max(out.Again, r.Again)
		out.Settled = out.Settled && r.Settled
		out.Changed = out.Changed || r.Changed
		out.URL = r.URL
		out.Aside = append(out.Aside, r.Aside...)
		out.Shown = append(out.Shown, r.Shown...)
		for _, e := range r.Effects {
			out.Effects = append(out.Effects, "around the frame: "+e)
		}
	}
	return out, nil
}

func (s settling) ask(ctx context.Context, name string, own bool, pending int, seen bool, netQuiet time.Duration) (r settled, err error) {
	a := map[string]any{"pending": pending, "netSeen": seen, "netQuietMs": netQuiet.Milliseconds()}
	for key, v := range s.args {
		if own || key != "expect" {
			a[key] = v
		}
	}
	a["since"] = s.k.tokens[name]
	err = s.t.ask(ctx, name, "read", "settle", a, &r)
	return r, err
}

// moved waits for the document that replaced one of the baseline, and says what it is.
func (s settling) moved(ctx context.Context, name string, pending int, netQuiet time.Duration) (settled, error) {
	over := time.Since(s.begun) >= s.limit
	t := s.t
	t.b.mu.Lock()
	f := t.named(name)
	loaded := f == nil || f.ready == f.loader && f.isolated != ""
	url := t.top().url
	t.b.mu.Unlock()
	rest := loaded && pending == 0 && netQuiet >= s.quiet
	out := settled{Millis: int(time.Since(s.begun).Milliseconds()), URL: url, Changed: true, Navigated: true, Pending: pending, Settled: rest}
	if !rest && !over {
		out.Again = 1
		return out, nil
	}
	where := "f0"
	if f == nil {
		out.Effects = append(out.Effects, "frame "+name+" is gone")
	} else {
		where = name
		out.Effects = append(out.Effects, s.arrived(ctx, name)...)
	}
	if len(s.args["expect"]) == 0 {
		return out, nil
	}
	var c struct {
		Checked json.RawMessage `json:"checked"`
		Passed  bool            `json:"passed"`
	}
	err := t.ask(ctx, where, "read", "check", map[string]any{"conditions": s.args["expect"], "measures": orEmpty(s.k.measures)}, &c)
	if err != nil {
		return out, err
	}
	out.Checked = c.Checked
	if !c.Passed && !over {
		out.Again = 1
	}
	return out, nil
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("[]")
	}
	return raw
}

// arrived says what a new document shows.
func (s settling) arrived(ctx context.Context, name string) []string {
	var st struct {
		URL, Title              string
		Dialogs, Toasts, Errors []string
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.t.ask(ctx, name, "read", "state", nil, &st); err != nil {
		return []string{"a new document is loading"}
	}
	out := []string{"page loaded: " + strconv.Quote(st.Title) + " " + st.URL}
	for _, e := range st.Errors {
		out = append(out, "error shown: "+strconv.Quote(e))
	}
	for _, m := range st.Toasts {
		out = append(out, "message shown: "+strconv.Quote(m))
	}
	for _, d := range st.Dialogs {
		out = append(out, d+" opened")
	}
	return out
}
