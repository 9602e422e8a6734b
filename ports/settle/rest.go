package settle

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/wb-agent/wb/ports"
)

// Settled is the answer of the settle operation: the page script's, and what only the driver sees.
type Settled struct {
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

// Settle waits until the documents and the network have come to rest, or for what is expected.
func (w *Watch) Settle(ctx context.Context, raw json.RawMessage) (json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	var since string
	if json.Unmarshal(raw, &args) != nil || json.Unmarshal(args["since"], &since) != nil {
		return nil, ports.NewError(ports.CodeInvalidArgs, "settle needs since", "give the token of a baseline")
	}
	k, err := w.mark(since)
	if err != nil {
		return nil, err
	}
	s := settling{w: w, k: k, args: args, begun: time.Now(), quiet: millis(args["quietMs"], 100), limit: millis(args["capMs"], 5000)}
	for {
		res, err := s.look(ctx)
		if err != nil {
			return nil, err
		}
		if res.Again == 0 {
			said, _ := w.page.Noticed(k.notice)
			res.Effects = append(said, res.Effects...)
			res.Requests = w.Net.caused(k.begun)
			res.Changed = res.Changed || len(res.Effects) > 0
			w.watchOn(k)
			return json.Marshal(res)
		}
		if err := pause(ctx, w.poll); err != nil {
			return nil, err
		}
	}
}

func millis(raw json.RawMessage, otherwise float64) time.Duration {
	n := otherwise
	if len(raw) > 0 && json.Unmarshal(raw, &n) != nil {
		n = otherwise // the page script says what is wrong with it
	}
	return time.Duration(n * float64(time.Millisecond))
}

// settling is one wait.
type settling struct {
	w     *Watch
	k     mark
	args  map[string]json.RawMessage
	begun time.Time
	quiet time.Duration
	limit time.Duration
}

// network is the traffic at a moment, as the action that is waited for sees it.
type network struct {
	pending int           // requests under way that it began
	any     bool          // it began some
	quiet   time.Duration // since the last one ended
}

// look looks once. The answer's Again is not 0 while it is not over.
func (s settling) look(ctx context.Context) (Settled, error) {
	if err := s.w.page.Trouble(); err != nil {
		return Settled{}, err
	}
	net := s.w.Net.since(s.k.begun, s.k.at, time.Now())
	if frame := s.w.replaced(s.k); frame != "" {
		return s.moved(ctx, frame, net)
	}
	var out Settled
	for i, n := range both(s.k.frame) {
		r, err := s.ask(ctx, n, i == 0, net)
		if c := ports.CodeOf(err); c == ports.CodeInvalidArgs || c == ports.CodeStaleRef {
			return Settled{Again: 1}, nil // the document went away between the two looks
		}
		if err != nil {
			return Settled{}, err
		}
		if i == 0 {
			out = r
			continue
		}
		out.Again, out.Settled, out.Changed, out.URL = max(out.Again, r.Again), out.Settled && r.Settled, out.Changed || r.Changed, r.URL
		out.Aside, out.Shown = append(out.Aside, r.Aside...), append(out.Shown, r.Shown...)
		for _, e := range r.Effects {
			out.Effects = append(out.Effects, "around the frame: "+e)
		}
	}
	return out, nil
}

func (s settling) ask(ctx context.Context, frame string, own bool, net network) (r Settled, err error) {
	a := map[string]any{"pending": net.pending, "netSeen": net.any, "netQuietMs": net.quiet.Milliseconds()}
	for key, v := range s.args {
		if own || key != "expect" {
			a[key] = v
		}
	}
	a["since"] = s.k.tokens[frame]
	err = s.w.ask(ctx, frame, "settle", a, &r)
	return r, err
}

// moved waits for the document that replaced one of the baseline, and says what it is.
func (s settling) moved(ctx context.Context, frame string, net network) (Settled, error) {
	over := time.Since(s.begun) >= s.limit
	d, there := s.w.page.Document(frame)
	top, _ := s.w.page.Document("f0")
	rest := (!there || d.Loaded) && net.pending == 0 && net.quiet >= s.quiet
	out := Settled{Millis: int(time.Since(s.begun).Milliseconds()), URL: top.URL, Changed: true, Navigated: true, Pending: net.pending, Settled: rest}
	if !rest && !over {
		out.Again = 1
		return out, nil
	}
	where := "f0"
	if !there {
		out.Effects = append(out.Effects, "frame "+frame+" is gone")
	} else {
		where = frame
		out.Effects = append(out.Effects, s.arrived(ctx, frame)...)
	}
	if len(s.args["expect"]) == 0 {
		return out, nil
	}
	var c struct {
		Checked json.RawMessage `json:"checked"`
		Passed  bool            `json:"passed"`
	}
	err := s.w.ask(ctx, where, "check", map[string]any{"conditions": s.args["expect"], "measures": orNone(s.k.measures)}, &c)
	if err != nil {
		return out, err
	}
	if out.Checked = c.Checked; !c.Passed && !over {
		out.Again = 1
	}
	return out, nil
}

// arrived says what a new document shows.
func (s settling) arrived(ctx context.Context, frame string) []string {
	var st struct {
		URL, Title              string
		Dialogs, Toasts, Errors []string
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if err := s.w.ask(ctx, frame, "state", struct{}{}, &st); err != nil {
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
