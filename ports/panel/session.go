package panel

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// session is one conversation. Its fields are guarded by Panel.mu.
type session struct {
	p       *Panel
	info    Info
	events  []Event
	changed chan struct{} // closed and replaced at each event
	after   string        // the last run that ended
	queue   []waiting
	cancel  context.CancelFunc // of the run that is under way, else nil
}

// waiting is a message that waits for the run before it.
type waiting struct {
	id string
	Start
}

// session returns a conversation, read from the history if this daemon has not seen it yet.
func (p *Panel) session(ctx context.Context, id string) (*session, error) {
	if id == "" || len(id) > 64 {
		return nil, ports.NewError(ports.CodeInvalidArgs, "no conversation of that name", "")
	}
	p.mu.Lock()
	s := p.sessions[id]
	p.mu.Unlock()
	if s != nil {
		return s, nil
	}
	events, after, err := p.o.History.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s = p.sessions[id]; s != nil { // somebody else was quicker
		return s, nil
	}
	s = &session{p: p, info: Info{ID: id}, changed: make(chan struct{}), after: after}
	p.sessions[id] = s
	for _, e := range events {
		s.keep(e)
		s.describe(e)
	}
	return s, nil
}

func (s *session) last() int64 { return int64(len(s.events)) }

// keep numbers an event; with Panel.mu held.
func (s *session) keep(e Event) {
	e.Seq = s.last() + 1
	s.events = append(s.events, e)
}

// put adds what just happened and wakes who watches; with Panel.mu held.
func (s *session) put(e Event) {
	e.At = s.p.o.Now().UnixMilli()
	s.keep(e)
	s.describe(e)
	close(s.changed)
	s.changed = make(chan struct{})
}

// describe keeps the line in the list of conversations up to date.
func (s *session) describe(e Event) {
	s.info.At = e.At
	switch e.Kind {
	case EventUser:
		if s.info.Title == "" {
			s.info.Title = title(e.Text)
		}
	case ports.EventRunEnd:
		var o struct{ Status, URL string }
		if json.Unmarshal(e.Data, &o) == nil {
			s.info.Status, s.info.URL = o.Status, o.URL
		}
	}
}

func title(text string) string {
	t := strings.Join(strings.Fields(text), " ")
	if r := []rune(t); len(r) > 80 {
		t = string(r[:79]) + "…"
	}
	return t
}

// begin runs a message, or puts it behind the one that is under way.
func (p *Panel) begin(s *session, a Start) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.cancel != nil {
		id := p.o.NewID()
		s.queue = append(s.queue, waiting{id, a})
		s.put(Event{Kind: EventQueued, Text: a.Text, Data: ports.JSON(named{id})})
		return map[string]string{"queued": id}
	}
	p.launch(s, a)
	return map[string]string{}
}

// Resume picks up a run that an earlier daemon left.
func (p *Panel) Resume(ctx context.Context, a Start) error {
	s, err := p.session(ctx, a.Session)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.cancel == nil {
		p.launch(s, a)
	}
	return nil
}

// launch starts a run; with p.mu held.
func (p *Panel) launch(s *session, a Start) {
	ctx, cancel := context.WithCancel(p.ctx)
	s.cancel, s.info.Busy = cancel, true
	a.After = s.after
	if a.Resume == "" {
		s.put(Event{Kind: EventUser, Text: a.Text, Data: ports.JSON(names(a.Files))})
	}
	p.runs.Add(1)
	go func() {
		defer p.runs.Done()
		defer cancel()
		err := p.o.Run(ctx, a, func(e ports.Event) { p.emit(s, e) })
		p.ended(s, err)
	}()
}

func names(files []Attachment) map[string]any {
	out := []string{}
	for _, f := range files {
		out = append(out, f.Name)
	}
	return map[string]any{"files": out}
}

// emit adds an event of a run.
func (p *Panel) emit(s *session, e ports.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Run != "" {
		p.byRun[e.Run] = s
	}
	if e.Kind == ports.EventRunEnd {
		s.after = e.Run
	}
	s.put(Event{Kind: e.Kind, Run: e.Run, Call: e.Call, Tool: e.Tool, Text: e.Text, Data: e.Data})
}

// ended begins the next message in the queue. A run that could not even begin says why.
func (p *Panel) ended(s *session, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s.cancel, s.info.Busy = nil, false
	if err != nil {
		s.put(Event{Kind: ports.EventRunEnd, Text: "The run could not begin.", Data: ports.JSON(map[string]string{
			"status": "failed", "summary": "The run could not begin.", "reason": err.Error(), "code": ports.CodeOf(err), "fix": ports.FixOf(err)})})
	}
	if len(s.queue) == 0 || p.ctx.Err() != nil {
		return
	}
	next := s.queue[0]
	s.queue = s.queue[1:]
	s.put(Event{Kind: EventUnqueued, Data: ports.JSON(named{next.id})})
	p.launch(s, next.Start)
}

// maxBatch is how many events go in one notification.
const maxBatch = 500

// follow sends events to one panel until ctx ends or it cannot be reached. A panel that keeps up is told each
// delta at once; for one that lags, what it missed is put together.
func (s *session) follow(ctx context.Context, since int64, notify func(method string, params any) error) {
	for {
		s.p.mu.Lock()
		if since > s.last() || since < 0 {
			since = 0 // of another daemon: everything again
		}
		news := s.events[since:min(s.last(), since+maxBatch)]
		changed := s.changed
		s.p.mu.Unlock()
		if len(news) == 0 {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if ctx.Err() != nil || notify("events", map[string]any{"session": s.info.ID, "events": merged(news)}) != nil {
			return
		}
		since += int64(len(news))
	}
}

// merged joins pieces of one answer. The number of the last piece stands for all.
func merged(events []Event) []Event {
	out := make([]Event, 0, len(events))
	for _, e := range events {
		if n := len(out) - 1; n >= 0 && e.Kind == ports.EventDelta && out[n].Kind == ports.EventDelta && out[n].Run == e.Run {
			if data, ok := joined(out[n].Data, e.Data); ok {
				out[n].Seq, out[n].At, out[n].Data = e.Seq, e.At, data
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

// joined appends one delta's text to another's; ok is false where they hold anything else.
func joined(a, b json.RawMessage) (json.RawMessage, bool) {
	var x, y map[string]json.RawMessage
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || len(x) != 1 || len(y) != 1 {
		return nil, false
	}
	for _, key := range []string{"text", "reasoning"} {
		var s, t string
		if json.Unmarshal(x[key], &s) == nil && json.Unmarshal(y[key], &t) == nil {
			return ports.JSON(map[string]string{key: s + t}), true
		}
	}
	return nil, false
}
