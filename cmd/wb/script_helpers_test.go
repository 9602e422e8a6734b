package main

import (
	"io"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wb-agent/wb/testdata/shop"
)

// registry keeps what a script's commands share, by the script's folder.
type registry struct {
	mu sync.Mutex
	m  map[string]*shop.Shop
}

func (r *registry) put(ts *testscript.TestScript, s *shop.Shop) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.m[ts.Getenv("WORK")] = s
}

func (r *registry) get(ts *testscript.TestScript) *shop.Shop {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.m[ts.Getenv("WORK")]
}

func fileReader(ts *testscript.TestScript, name string) io.Reader {
	return strings.NewReader(ts.ReadFile(name))
}
