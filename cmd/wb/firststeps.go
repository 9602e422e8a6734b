package main

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"time"

	"github.com/wb-agent/wb/ports/local"
	"github.com/wb-agent/wb/testdata/shop"
)

// findLocal looks for model servers on this computer. The daemon asks, never a browser: what a page may reach on
// loopback is nobody's business, and an answer is checked here.
func (d *daemon) findLocal(ctx context.Context, _ struct{}) (any, error) {
	var all []local.Candidate
	for _, kind := range local.Kinds() {
		at, err := netip.ParseAddrPort(d.config().LocalServers[kind])
		if err == nil && at.String() != d.address {
			all = append(all, local.Candidate{Kind: kind, Addr: at})
		}
	}
	return map[string]any{"servers": local.Find(ctx, all)}, nil
}

// findWindow asks a provider's server for the context window that a model has.
func (d *daemon) findWindow(ctx context.Context, a struct {
	BaseURL string `json:"base_url"`
	Model   string `json:"model"`
}) (any, error) {
	n, err := local.Window(ctx, a.BaseURL, a.Model)
	if err != nil {
		return nil, err
	}
	return map[string]int{"context": n}, nil
}

// sample is the shop that somebody can try wb on: it sells nothing, and forgets its orders with the daemon.
type sample struct {
	mu  sync.Mutex
	srv *http.Server
	url string
}

// open starts it at its first use, on loopback, and returns its address.
func (s *sample) open() (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.srv != nil {
		return s.url, nil
	}
	l, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return "", err
	}
	s.srv = &http.Server{Handler: shop.New(), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10}
	s.url = "http://" + l.Addr().String() + "/"
	go func(srv *http.Server) { _ = srv.Serve(l) }(s.srv) // until close
	return s.url, nil
}

func (s *sample) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.srv == nil {
		return nil
	}
	if err := s.srv.Close(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (d *daemon) openSample(context.Context, struct{}) (any, error) {
	url, err := d.sample.open()
	if err != nil {
		return nil, err
	}
	return map[string]string{"url": url}, nil
}

// about says what runs here and where its files are.
func (d *daemon) about(context.Context, struct{}) (any, error) {
	c := d.config()
	return map[string]any{"version": version, "address": d.address, "paths": map[string]string{
		"data": c.DataDir, "settings": c.settingsFile(), "cache": c.CacheDir, "log": logFile(c), "plugins": filepath.Join(c.DataDir, "plugins")}}, nil
}

// doctor says what `wb doctor` does; the browser that it starts is its own.
func (d *daemon) doctor(ctx context.Context, _ struct{}) (any, error) {
	return map[string]any{"checks": examine(ctx, d.config())}, nil
}
