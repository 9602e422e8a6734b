package panel

import (
	"context"
	"encoding/json"

	"github.com/wb-agent/wb/ports"
)

// Question is a ports.Question as panels see it.
type Question struct {
	ID string `json:"id"`
	ports.Question
	Run string `json:"run,omitempty"`
}

var _ ports.Asker = (*Panel)(nil)

// Ask puts a question into the conversation of its run and waits until a panel answers or ctx ends. A panel that
// is opened later still finds it. A question of a run that no conversation knows is CodeNeedsUser.
func (p *Panel) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	p.mu.Lock()
	s := p.byRun[q.Run]
	if s == nil {
		p.mu.Unlock()
		return ports.Answer{}, ports.NewError(ports.CodeNeedsUser, "nobody is here to answer: "+q.Text, "answer it in the task's text")
	}
	id := p.o.NewID()
	got := make(chan ports.Answer, 1)
	p.asked[id] = got
	s.put(Event{Kind: EventAsk, Run: q.Run, Text: q.Text, Data: ports.JSON(Question{ID: id, Question: q, Run: q.Run})})
	p.mu.Unlock()
	select {
	case a := <-got:
		return a, nil
	case <-ctx.Done():
		p.settle(id, s, ports.Answer{Choice: "cancel"})
		return ports.Answer{}, context.Cause(ctx)
	}
}

// settle closes a question; false if it was closed already.
func (p *Panel) settle(id string, s *session, a ports.Answer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	got, open := p.asked[id]
	if !open {
		return false
	}
	delete(p.asked, id)
	got <- a
	s.put(Event{Kind: EventAnswered, Data: ports.JSON(map[string]any{"id": id, "answer": a})})
	return true
}

func (v *viewer) answer(_ context.Context, a struct {
	ID     string       `json:"id"`
	Answer ports.Answer `json:"answer"`
}) (any, error) {
	s := v.p.askedIn(a.ID)
	if s == nil || !v.p.settle(a.ID, s, a.Answer) {
		return nil, ports.NewError(ports.CodeUsage, "this question has been answered already", "")
	}
	return none{}, nil
}

// askedIn finds the conversation of an open question.
func (p *Panel) askedIn(id string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sessions {
		for i := len(s.events) - 1; i >= 0; i-- {
			var q Question
			if s.events[i].Kind == EventAsk && json.Unmarshal(s.events[i].Data, &q) == nil && q.ID == id {
				return s
			}
		}
	}
	return nil
}
