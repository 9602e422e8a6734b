package bidi

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/wb-agent/wb/ports"
)

// mark is a baseline: the script's in the frame and in the top document, and what the browser had done.
type mark struct {
	frame     string
	tokens    map[string]string
	documents map[string]int
	measures  json.RawMessage
	begun     int
	notice    int64
	watch     bool
}

// marks keeps the last baselines of a tab.
type marks struct {
	last  int
	list  map[string]mark
	after *mark // the last action, from its receipt on
}

const (
	maxMarks = 8
	poll     = 15 * time.Millisecond
)

func (m *marks) add(k mark) string {
	if m.list == nil {
		m.list = map[string]mark{}
	}
	m.last++
	m.list[strconv.Itoa(m.last)] = k
	delete(m.list, strconv.Itoa(m.last-maxMarks))
	return strconv.Itoa(m.last)
}

// both is a frame and the top one.
func both(name string) []string {
	if name == "f0" {
		return []string{name}
	}
	return []string{name, "f0"}
}

// baseline begins to watch a frame, the top document and the network.
func (t *Tab) baseline(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	if name == "" {
		name = "f0"
	}
	k := mark{frame: name, tokens: map[string]string{}, documents: map[string]int{}, watch: watched(args)}
	since := []string{}
	if k.watch {
		since = t.gone()
	}
	for _, n := range both(name) {
		own := args
		if n != name {
			own = json.RawMessage("{}")
		}
		raw, err := t.script(ctx, n, "read", "baseline", own)
		if err != nil {
			return nil, err
		}
		var r struct {
			Token    string          `json:"token"`
			Measures json.RawMessage `json:"measures"`
			Since    []string        `json:"since"`
		}
		if err := json.Unmarshal(raw, &r); err != nil {
			return nil, err
		}
		k.tokens[n] = r.Token
		if n == name {
			k.measures, since = r.Measures, append(since, r.Since...)
		}
	}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for n := range k.tokens {
		if f := t.named(n); f != nil {
			k.documents[n] = f.document
		}
	}
	k.begun, k.notice = t.net.begun, t.b.seq
	return json.Marshal(obj{"token": t.marks.add(k), "measures": k.measures, "since": since})
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
	Requests  []ports.Request `json:"requests,omitempty"`
	Aside     []string        `json:"aside,omitempty"`
	Shown     []string        `json:"shown,omitempty"`
	Delivery  string          `json:"delivery,omitempty"`
	Landed    string          `json:"landed,omitempty"`
}

// settling is one wait for the documents and the network to come to rest.
type settling struct {
	t     *Tab
	k     mark
	args  map[string]json.RawMessage
	begun time.Time
	limit time.Duration
}

func (t *Tab) settle(ctx context.Context, _ string, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	var since string
	if json.Unmarshal(raw, &args) != nil || json.Unmarshal(args["since"], &since) != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "settle needs since", "give the token of a baseline")
	}
	k, err := t.markOf(since)
	if err != nil {
		return nil, err
	}
	limit := 5000.0
	_ = json.Unmarshal(args["capMs"], &limit) // the page script says what is wrong with it
	s := settling{t: t, k: k, args: args, begun: time.Now(), limit: time.Duration(limit) * time.Millisecond}
	for {
		res, err := s.step(ctx)
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
		timer := time.NewTimer(poll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, late(ctx, "the page")
		}
	}
}

func (t *Tab) markOf(token string) (mark, error) {
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	if k, ok := t.marks.list[token]; ok {
		return k, nil
	}
	return mark{}, ports.NewError(ports.CodeInvalidArgs, "no baseline "+cut(token, 20), "take a baseline before acting")
}

// step looks once. The answer's Again is not 0 while it is not over.
func (s settling) step(ctx context.Context) (settled, error) {
	t := s.t
	t.b.mu.Lock()
	pending, seen := t.net.since(s.k.begun)
	quiet := time.Since(t.net.ended)
	moved := ""
	for _, n := range both(s.k.frame) {
		if f := t.named(n); f == nil || f.document != s.k.documents[n] {
			moved = n
		}
	}
	err := t.trouble()
	t.b.mu.Unlock()
	switch {
	case err != nil:
		return settled{}, err
	case moved != "":
		return s.moved(ctx, moved, pending)
	}
	var out settled
	for i, n := range both(s.k.frame) {
		a := obj{"pending": pending, "netSeen": seen, "netQuietMs": quiet.Milliseconds()}
		for key, v := range s.args {
			if i == 0 || key != "expect" {
				a[key] = v
			}
		}
		a["since"] = s.k.tokens[n]
		var r settled
		if err := t.ask(ctx, n, "settle", a, &r); err != nil {
			if c := ports.CodeOf(err); c == ports.CodeInvalidArgs || c == ports.CodeStaleRef {
				return settled{Again: 1}, nil // the document went away between the two looks
			}
			return settled{}, err
		}
		if i == 0 {
			out = r
			continue
		}
		out.Again, out.Settled, out.Changed, out.URL = max(out.Again, r.Again), out.Settled && r.Settled, out.Changed || r.Changed, r.URL
		for _, e := range r.Effects {
			out.Effects = append(out.Effects, "around the frame: "+e)
		}
	}
	return out, nil
}

// moved waits for the document that replaced one of the baseline, and says what it is.
func (s settling) moved(ctx context.Context, name string, pending int) (settled, error) {
	t := s.t
	t.b.mu.Lock()
	f := t.named(name)
	loaded, url := f == nil || f.ready, t.top().url
	t.b.mu.Unlock()
	over := time.Since(s.begun) >= s.limit
	out := settled{Millis: int(time.Since(s.begun).Milliseconds()), URL: url, Changed: true, Navigated: true, Pending: pending, Settled: loaded && pending == 0}
	if !out.Settled && !over {
		out.Again = 1
		return out, nil
	}
	where := "f0"
	if f == nil {
		out.Effects = append(out.Effects, "frame "+name+" is gone")
	} else {
		where = name
		var st struct{ URL, Title string }
		if err := t.ask(ctx, name, "state", obj{}, &st); err == nil {
			out.Effects = append(out.Effects, "page loaded: "+strconv.Quote(st.Title)+" "+st.URL)
		}
	}
	if len(s.args["expect"]) == 0 {
		return out, nil
	}
	var c struct {
		Checked json.RawMessage `json:"checked"`
		Passed  bool            `json:"passed"`
	}
	if err := t.ask(ctx, where, "check", obj{"conditions": s.args["expect"], "measures": orNone(s.k.measures)}, &c); err != nil {
		return out, err
	}
	if out.Checked = c.Checked; !c.Passed && !over {
		out.Again = 1
	}
	return out, nil
}

// noticed says what the browser did for this tab since a notice.
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
		k, err := t.markOf(token)
		if err != nil {
			return nil, err
		}
		delete(args, "baseline")
		args["measures"] = orNone(k.measures)
	}
	out, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	return t.script(ctx, name, "read", "check", out)
}

// ask runs a reading operation and decodes its answer.
func (t *Tab) ask(ctx context.Context, name, op string, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := t.script(ctx, name, "read", op, raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, out)
}

func orNone(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("[]")
	}
	return raw
}
