package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Limits of ports.KV, in bytes.
const maxKey, maxValue, maxSpace = 256, 64 << 10, 1 << 20

// Get returns a value.
func (s *Store) Get(_ context.Context, space, key string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.kv[space][key]
	return slices.Clone(v), ok, nil
}

// Put stores a value.
func (s *Store) Put(_ context.Context, space, key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := len(key) + len(value)
	for k, v := range s.kv[space] {
		if k != key {
			total += len(k) + len(v)
		}
	}
	if key == "" || len(key) > maxKey || len(value) > maxValue || total > maxSpace {
		return ports.NewError(ports.CodeOversized, fmt.Sprintf("kv %s: a key has 1 to %d bytes, a value at most %d, all of them together %d",
			space, maxKey, maxValue, maxSpace), "store less, or delete old keys")
	}
	if s.kv[space] == nil {
		s.kv[space] = map[string][]byte{}
	}
	s.kv[space][key] = append([]byte{}, value...)
	return nil
}

// Delete removes a key, if it is there.
func (s *Store) Delete(_ context.Context, space, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kv[space], key)
	return nil
}

// Keys lists the keys that begin with prefix, sorted.
func (s *Store) Keys(_ context.Context, space, prefix string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := slices.Sorted(maps.Keys(s.kv[space]))
	return slices.DeleteFunc(keys, func(k string) bool { return !strings.HasPrefix(k, prefix) }), nil
}
