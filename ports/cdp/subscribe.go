package cdp

import (
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// subscription hands events to one slow reader without losing any: they wait in a list.
type subscription struct {
	mu    sync.Mutex
	list  []jsonv2.Value
	ended bool
	wake  chan struct{}
	out   chan jsonv2.Value
	quit  chan struct{}
	once  sync.Once
}

func (s *subscription) put(v jsonv2.Value) {
	s.mu.Lock()
	s.list = append(s.list, v)
	s.mu.Unlock()
	s.poke()
}

// end closes the channel after what is in the list.
func (s *subscription) end() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.poke()
}

func (s *subscription) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *subscription) run() {
	defer close(s.out)
	for {
		s.mu.Lock()
		list, ended := s.list, s.ended
		s.list = nil
		s.mu.Unlock()
		for _, v := range list {
			select {
			case s.out <- v:
			case <-s.quit:
				return
			}
		}
		if len(list) > 0 {
			continue
		}
		if ended {
			return
		}
		select {
		case <-s.wake:
		case <-s.quit:
			return
		}
	}
}

// Subscribe implements cdp.Session. The channel is closed after cancel or when the connection is lost.
func (s session) Subscribe(method string) (<-chan jsonv2.Value, func()) {
	sub := &subscription{wake: make(chan struct{}, 1), out: make(chan jsonv2.Value), quit: make(chan struct{})}
	key := s.id + " " + method
	s.c.mu.Lock()
	if s.c.err != nil {
		sub.ended = true
	} else {
		s.c.subs[key] = append(s.c.subs[key], sub)
	}
	s.c.mu.Unlock()
	go sub.run()
	return sub.out, func() {
		sub.once.Do(func() { close(sub.quit) })
		s.c.mu.Lock()
		s.c.subs[key] = slices.DeleteFunc(s.c.subs[key], func(x *subscription) bool { return x == sub })
		s.c.mu.Unlock()
	}
}
