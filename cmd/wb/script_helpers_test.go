package main

import (
	"io"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// registry keeps what a script's commands share, by the script's folder.
type registry[T any] struct {
	mu sync.Mutex
	m  map[string]T
}

func (r *registry[T]) put(ts *testscript.TestScript, s T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[ts.Getenv("WORK")] = s
}

func (r *registry[T]) get(ts *testscript.TestScript) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[ts.Getenv("WORK")]
}

func fileReader(ts *testscript.TestScript, name string) io.Reader {
	return strings.NewReader(ts.ReadFile(name))
}
