package panel

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// Panel holds the conversations of this daemon. Safe for concurrent use.
type Panel struct {
	o    Options
	ctx  context.Context // of runs
	stop context.CancelCauseFunc
	runs sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session
	byRun    map[string]*session
	byTab    map[string]string // conversation last used beside a tab
	asked    map[string]chan ports.Answer
}

// New makes a Panel. Close stops its runs.
func New(o Options) *Panel {
	p := &Panel{o: o, sessions: map[string]*session{}, byRun: map[string]*session{}, byTab: map[string]string{}, asked: map[string]chan ports.Answer{}}
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	return p
}

// ErrClosing is the cause that runs end with when the daemon does.
var ErrClosing = errors.New("wb is stopping")

// Close stops every run and waits for it. Their context's cause is ErrClosing.
func (p *Panel) Close() error {
	p.stop(ErrClosing)
	p.runs.Wait()
	return nil
}

// Busy is how many runs are under way.
func (p *Panel) Busy() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, s := range p.sessions {
		if s.cancel != nil {
			n++
		}
	}
	return n
}

// Forget drops every conversation that this daemon knows, for what it was read from is about to go. While a run is
// under way it is CodeBusy, and nothing is dropped. forget runs with no run able to begin.
func (p *Panel) Forget(forget func() error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		if s.cancel != nil {
			return ports.NewError(ports.CodeBusy, "a task is under way", "stop it first")
		}
	}
	if err := forget(); err != nil {
		return err
	}
	p.sessions, p.byRun, p.byTab = map[string]*session{}, map[string]*session{}, map[string]string{}
	return nil
}

// Handler answers one panel. notify sends it a notification and may block; gone must be called when the panel
// has left. client is the panel's pairing.
func (p *Panel) Handler(client string, notify func(method string, params any) error) (handle func(ctx context.Context, method string, params json.RawMessage) (any, error), gone func()) {
	v := &viewer{p: p, client: client, notify: notify, watching: map[string]context.CancelFunc{}}
	methods := map[string]func(context.Context, json.RawMessage) (any, error){
		"session.list": on(v.list), "session.open": on(v.open), "session.watch": on(v.watch), "session.leave": on(v.leave),
		"session.delete": on(v.remove), "run.start": on(v.start), "run.stop": on(v.halt), "run.unqueue": on(v.unqueue), "ask.answer": on(v.answer),
	}
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		f := methods[method]
		if f == nil {
			f = p.o.Methods[method]
		}
		if f == nil {
			return nil, ports.NewError(ports.CodeUnknownTool, "no method "+method, "")
		}
		return f(ctx, params)
	}, v.gone
}

// on decodes a method's parameters; an unknown field is an error, for it would be ignored in silence.
func on[T any](f func(context.Context, T) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var v T
		d := json.NewDecoder(bytes.NewReader(params))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			return nil, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
		}
		return f(ctx, v)
	}
}

// viewer is one panel.
type viewer struct {
	p      *Panel
	client string
	notify func(method string, params any) error

	mu       sync.Mutex
	watching map[string]context.CancelFunc
}

type named struct {
	ID string `json:"id"`
}

type none struct{}

func (v *viewer) list(ctx context.Context, a struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}) (any, error) {
	limit := min(cmp.Or(a.Limit, 100), 1000)
	infos, err := v.p.o.History.List(ctx, a.Query, limit)
	if err != nil {
		return nil, err
	}
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	for _, s := range v.p.sessions { // what runs now is newer than what is stored
		i := slices.IndexFunc(infos, func(i Info) bool { return i.ID == s.info.ID })
		switch {
		case s.info.Title == "" || !strings.Contains(strings.ToLower(s.info.Title), strings.ToLower(a.Query)):
		case i >= 0:
			infos[i] = s.info
		default:
			infos = append(infos, s.info)
		}
	}
	slices.SortFunc(infos, func(a, b Info) int { return cmp.Compare(b.At, a.At) })
	return map[string]any{"sessions": infos[:min(limit, len(infos))]}, nil
}

// open finds a conversation: by its id, or the one last used beside a tab, or a new one.
func (v *viewer) open(ctx context.Context, a struct {
	ID  string `json:"id"`
	Tab string `json:"tab"`
}) (any, error) {
	p := v.p
	if a.ID == "" && a.Tab != "" {
		p.mu.Lock()
		a.ID = p.byTab[v.client+" "+a.Tab]
		p.mu.Unlock()
	}
	s, err := p.session(ctx, cmp.Or(a.ID, p.o.NewID()))
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a.Tab != "" {
		p.byTab[v.client+" "+a.Tab] = s.info.ID
	}
	return map[string]any{"session": s.info, "seq": s.last()}, nil
}

// watch sends a conversation's events since a number, and goes on until the panel leaves.
func (v *viewer) watch(ctx context.Context, a struct {
	ID    string `json:"id"`
	Since int64  `json:"since"`
}) (any, error) {
	s, err := v.p.session(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	watch, cancel := context.WithCancel(v.p.ctx)
	v.mu.Lock()
	old := v.watching[a.ID]
	v.watching[a.ID] = cancel
	v.mu.Unlock()
	if old != nil {
		old()
	}
	v.p.mu.Lock()
	seq := s.last()
	v.p.mu.Unlock()
	go s.follow(watch, a.Since, v.notify)
	return map[string]int64{"seq": seq}, nil
}

func (v *viewer) leave(_ context.Context, a named) (any, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if cancel := v.watching[a.ID]; cancel != nil {
		cancel()
		delete(v.watching, a.ID)
	}
	return none{}, nil
}

func (v *viewer) gone() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, cancel := range v.watching {
		cancel()
	}
}

func (v *viewer) remove(ctx context.Context, a named) (any, error) {
	p := v.p
	p.mu.Lock()
	s := p.sessions[a.ID]
	if s != nil && s.cancel != nil {
		p.mu.Unlock()
		return nil, ports.NewError(ports.CodeBusy, "a run of this conversation is under way", "stop it first")
	}
	delete(p.sessions, a.ID)
	p.mu.Unlock()
	return none{}, p.o.History.Delete(ctx, a.ID)
}

func (v *viewer) start(ctx context.Context, a Start) (any, error) {
	if strings.TrimSpace(a.Text) == "" {
		return nil, ports.NewError(ports.CodeUsage, "the message is empty", "say what to do")
	}
	s, err := v.p.session(ctx, a.Session)
	if err != nil {
		return nil, err
	}
	a.Client = v.client
	return v.p.begin(s, a), nil
}

func (v *viewer) halt(ctx context.Context, a struct {
	Session string `json:"session"`
}) (any, error) {
	s, err := v.p.session(ctx, a.Session)
	if err != nil {
		return nil, err
	}
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	if s.cancel != nil {
		s.cancel()
	}
	return none{}, nil
}

func (v *viewer) unqueue(ctx context.Context, a struct {
	Session string `json:"session"`
	ID      string `json:"id"`
}) (any, error) {
	s, err := v.p.session(ctx, a.Session)
	if err != nil {
		return nil, err
	}
	v.p.mu.Lock()
	defer v.p.mu.Unlock()
	i := slices.IndexFunc(s.queue, func(q waiting) bool { return q.id == a.ID })
	if i >= 0 {
		s.queue = slices.Delete(s.queue, i, i+1)
		s.put(Event{Kind: EventUnqueued, Data: ports.JSON(named{a.ID})})
	}
	return none{}, nil
}
