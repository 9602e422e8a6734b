package host

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/wb-agent/wb/ports"
)

// pool counts a plugin's instances. Idle ones are either free to all (Pool) or bound to a key.
type pool struct {
	mu     sync.Mutex
	free   []*instance      // last in, first out: warm memory first
	bound  map[string]*seat // PerRun: by run; Single: by ""
	live   int
	clock  int64 // counts uses of seats, to know the one least recently used
	closed bool
}

// seat is the place of the one instance that a run may use. Whoever has put a token into taken owns in.
type seat struct {
	taken chan struct{}
	in    *instance
	used  int64 // under pool.mu
	ended bool  // under pool.mu: nobody will come again
}

// acquire returns an instance for the caller's sole use and the function that gives it back.
// It never waits, with one exception: a call that no plugin made (Depth 0) waits for a bound instance
// that is busy. Nested calls do not, since the holder might be waiting for them.
func (p *Plugin) acquire(ctx context.Context, c ports.Call) (*instance, func(), error) {
	if p.mode == PerRun || p.mode == Single {
		return p.acquireSeat(ctx, c)
	}
	p.pool.mu.Lock()
	var in *instance
	if n := len(p.pool.free); n > 0 {
		in, p.pool.free = p.pool.free[n-1], p.pool.free[:n-1]
	}
	p.pool.mu.Unlock()
	if in == nil {
		var err error
		if in, err = p.start(ctx); err != nil {
			return nil, nil, err
		}
	}
	return in, func() { p.putFree(in) }, nil
}

func (p *Plugin) putFree(in *instance) {
	p.pool.mu.Lock()
	keep := in.healthy() && len(p.pool.free) < p.limits.Idle && !p.pool.closed
	if keep {
		p.pool.free = append(p.pool.free, in)
	}
	p.pool.mu.Unlock()
	if !keep {
		in.stop(p.fail(ports.CodeCancelled, "instance no longer needed"))
	}
}

func (p *Plugin) acquireSeat(ctx context.Context, c ports.Call) (*instance, func(), error) {
	s := p.seat(c.Run)
	select {
	case s.taken <- struct{}{}:
	default:
		if c.Depth > 0 {
			return nil, nil, p.fail(ports.CodeBusy, "its only instance is in use and a nested call never waits")
		}
		select {
		case s.taken <- struct{}{}:
		case <-ctx.Done():
			return nil, nil, p.fail(ports.CodeCancelled, context.Cause(ctx).Error())
		}
	}
	if s.in == nil || !s.in.healthy() {
		in, err := p.start(ctx)
		if err != nil {
			p.leave(s)
			return nil, nil, err
		}
		s.in = in
	}
	return s.in, func() { p.leave(s) }, nil
}

// leave gives a seat back; one whose run has ended meanwhile takes its instance along.
func (p *Plugin) leave(s *seat) {
	p.pool.mu.Lock()
	p.pool.clock++
	s.used = p.pool.clock
	ended := s.ended || p.pool.closed
	p.pool.mu.Unlock()
	if ended && s.in != nil {
		s.in.stop(p.fail(ports.CodeCancelled, "run ended"))
		s.in = nil
	}
	<-s.taken
}

func (p *Plugin) seat(run string) *seat {
	if p.mode == Single {
		run = ""
	}
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.pool.bound == nil {
		p.pool.bound = map[string]*seat{}
	}
	s := p.pool.bound[run]
	if s == nil {
		s = &seat{taken: make(chan struct{}, 1)}
		p.pool.bound[run] = s
	}
	return s
}

// start makes an instance and shakes hands. At the cap the idle instance that was used least recently
// makes room; if there is none, it fails at once.
func (p *Plugin) start(ctx context.Context) (*instance, error) {
	for !p.reserve() {
		if !p.evict() {
			return nil, p.fail(ports.CodeExhausted, fmt.Sprintf("%d instances are live", p.limits.Live))
		}
	}
	in, err := p.instantiate()
	if err != nil {
		p.gone()
		return nil, err
	}
	if err := in.handshake(ctx); err != nil {
		in.stop(err)
		return nil, err
	}
	return in, nil
}

func (p *Plugin) reserve() bool {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.pool.live >= p.limits.Live {
		return false
	}
	p.pool.live++
	return true
}

// evict stops one idle bound instance and reports whether there was one.
func (p *Plugin) evict() bool {
	p.pool.mu.Lock()
	var all []*seat
	for _, s := range p.pool.bound {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *seat) int { return int(a.used - b.used) })
	p.pool.mu.Unlock()
	for _, s := range all {
		select {
		case s.taken <- struct{}{}:
		default:
			continue // in use
		}
		in := s.in
		s.in = nil
		if in != nil {
			in.stop(p.fail(ports.CodeCancelled, "made room for another run"))
		}
		<-s.taken
		if in != nil {
			return true
		}
	}
	return false
}

// gone uncounts an instance whose guest code has returned.
func (p *Plugin) gone() {
	p.pool.mu.Lock()
	p.pool.live--
	p.pool.mu.Unlock()
}

// Live returns the instances that hold memory now.
func (p *Plugin) Live() int {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	return p.pool.live
}

// EndRun drops the state a run left in the plugin: at once, or when its last call has ended.
func (p *Plugin) EndRun(run string) {
	if p.mode != PerRun {
		return
	}
	p.pool.mu.Lock()
	s := p.pool.bound[run]
	delete(p.pool.bound, run)
	if s != nil {
		s.ended = true
	}
	p.pool.mu.Unlock()
	p.empty(s)
}

// empty stops the instance of a seat that nobody uses; leave does it for one in use.
func (p *Plugin) empty(s *seat) {
	if s == nil {
		return
	}
	select {
	case s.taken <- struct{}{}:
		p.leave(s)
	default:
	}
}

// Close drops all instances, those in use when their calls have ended. No call may follow.
func (p *Plugin) Close() {
	p.pool.mu.Lock()
	p.pool.closed = true
	free, bound := p.pool.free, p.pool.bound
	p.pool.free, p.pool.bound = nil, nil
	p.pool.mu.Unlock()
	for _, in := range free {
		in.stop(p.fail(ports.CodeCancelled, "plugin closed"))
	}
	for _, s := range bound {
		p.empty(s)
	}
}
