//go:build !linux

package mmapmem

import "github.com/tetratelabs/wazero/experimental"

// Without Linux's mmap memories are ordinary slices, with the same limit.

// Allocator makes memories of at most Limit bytes.
type Allocator struct{ Limit uint64 }

type memory struct {
	b     []byte
	limit uint64
}

// Allocate makes an empty memory.
func (a Allocator) Allocate(capacity, max uint64) experimental.LinearMemory {
	return &memory{b: make([]byte, 0, min(capacity, max, a.Limit)), limit: min(max, a.Limit)}
}

// Reallocate grows by copying; nil means over the limit.
func (m *memory) Reallocate(n uint64) []byte {
	if n > m.limit {
		return nil
	}
	if n > uint64(cap(m.b)) {
		m.b = append(make([]byte, 0, min(n+n/4, m.limit)), m.b...)
	}
	m.b = m.b[:n]
	return m.b
}

// Free drops the slice.
func (m *memory) Free() { m.b = nil }
