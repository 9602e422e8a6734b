package portstest

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// waysOutCase opens a page that tries to load evil.test by forms, frames, objects and redirects. Each try is
// judged, and none arrives.
func waysOutCase(t *testing.T, s *browserSuite) {
	f, ok := s.browser.(ports.Fenced)
	if !ok {
		t.Fatal("the browser has no fence")
	}
	var mu sync.Mutex
	tried, all := map[string]bool{}, make(chan struct{})
	want := []string{"iframe", "object", "307", "srcdoc", "refresh", "blob", "data", "frame", "embed", "objectdata"}
	f.Fence(func(n ports.Navigation) error {
		_, how, ok := strings.Cut(n.URL, "/hit?")
		if !ok || !strings.Contains(n.URL, "//evil.test") {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		tried[how] = true
		if !slices.ContainsFunc(want, func(w string) bool { return !tried[w] }) {
			select {
			case <-all:
			default:
				close(all)
			}
		}
		return ports.NewError(ports.CodeRefused, "evil.test is not allowed", "allow it")
	})
	defer f.Fence(nil)
	before := s.server.asked("evil.test:")
	tb := s.open(t, "a.test", "/ways.html")
	select {
	case <-all:
	case <-tb.ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	for _, how := range want {
		if !tried[how] {
			t.Errorf("%s was never judged", how)
		}
	}
	n := s.server.asked("evil.test:") - before
	if slices.Contains(s.without, "embedded documents") {
		n -= s.server.asked("/hit?embed") + s.server.asked("/hit?objectdata")
	}
	if n != 0 {
		s.server.mu.Lock()
		defer s.server.mu.Unlock()
		t.Errorf("%d requests reached evil.test: %q", n, s.server.seen[max(0, len(s.server.seen)-12):])
	}
}
