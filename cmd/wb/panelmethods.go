package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/wb-agent/wb/extension"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
)

// providerInfo is a model endpoint as the panel's picker shows it.
type providerInfo struct {
	ID     string `json:"id"`
	Model  string `json:"model"`
	Family string `json:"family"`
	Vision bool   `json:"vision,omitempty"`
	Local  bool   `json:"local,omitempty"`
	Ready  bool   `json:"ready"`
	Why    string `json:"why,omitempty"`
}

// methods are what panels may ask beside conversations and runs.
func (d *daemon) methods() map[string]func(context.Context, json.RawMessage) (any, error) {
	m := map[string]func(context.Context, json.RawMessage) (any, error){
		"state":          asked(d.state),
		"models":         asked(d.listModels),
		"payload":        asked(d.payload),
		"pair.answer":    asked(d.answerPairing),
		"status":         asked(d.status),
		"clients.list":   asked(d.listClients),
		"clients.revoke": asked(d.revoke),
	}
	maps.Copy(m, d.settingsMethods())
	return m
}

// asked decodes a method's parameters strictly.
func asked[T any](f func(context.Context, T) (any, error)) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		var v T
		dec := json.NewDecoder(bytes.NewReader(params))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&v); err != nil {
			return nil, ports.NewError(ports.CodeInvalidArgs, err.Error(), "")
		}
		return f(ctx, v)
	}
}

func (d *daemon) state(ctx context.Context, _ struct{}) (any, error) {
	c := d.config()
	infos := []providerInfo{}
	for _, e := range c.chosen(d.keys(ctx)) {
		infos = append(infos, d.shown(ctx, e))
	}
	ready := slices.ContainsFunc(infos, func(i providerInfo) bool { return i.Ready })
	return map[string]any{"version": version, "providers": infos, "provider": c.Provider, "mode": cmp.Or(c.Mode, "act"), "locale": cmp.Or(c.Panel.Locale, c.Locale),
		"theme": c.Panel.Theme, "verbose": c.Panel.Verbose, "welcome": !ready && !c.Panel.Welcomed, "paired": true}, nil
}

func (d *daemon) shown(ctx context.Context, e ports.Endpoint) providerInfo {
	i := providerInfo{ID: e.ID, Model: e.Model, Family: e.Family, Vision: e.Vision, Local: guard.Private(guard.OriginOf(e.BaseURL)), Ready: true}
	if e.Secret != "" {
		if _, err := d.secrets.Secret(ctx, e.Secret); err != nil {
			i.Ready, i.Why = false, err.Error()
		}
	}
	if e.Model == "" {
		i.Ready, i.Why = false, "no model is set"
	}
	return i
}

// payload is exactly what a model was sent and answered in one call, as the journal kept it.
func (d *daemon) payload(ctx context.Context, a struct {
	Run  string `json:"run"`
	Call string `json:"call"`
}) (any, error) {
	var found *ports.Record
	err := journal.Each(ctx, d.store, a.Run, 0, func(r ports.Record) error {
		if r.ID == a.Call || a.Call == "" && r.Tool == "model.chat" {
			found = &r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, ports.NewError(ports.CodeUsage, "the journal holds no such call", "")
	}
	args, err := journal.ArgsOf(ctx, d.store, *found)
	if err != nil {
		return nil, err
	}
	res, err := journal.ResultOf(ctx, d.store, *found)
	return map[string]any{"request": args, "reply": res}, err
}

func (d *daemon) status(context.Context, struct{}) (any, error) {
	return status{Running: true, Version: version, Address: d.address, Browsers: d.lent.status(), Runs: d.panel.Busy()}, nil
}

func (d *daemon) answerPairing(_ context.Context, a struct {
	Code string `json:"code"`
	Yes  bool   `json:"yes"`
}) (any, error) {
	return struct{}{}, d.pairings.decide(a.Code, a.Yes)
}

func (d *daemon) revoke(ctx context.Context, a struct {
	ID string `json:"id"`
}) (any, error) {
	return struct{}{}, d.relay.Revoke(ctx, a.ID)
}

// pages are the files of the panel that the daemon serves to a browser without the extension, by type.
var pages = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

// policyOfPages keeps a page to its own files and its own socket.
const policyOfPages = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// routes are all that the daemon serves. There is nothing without a token behind them but fixed files.
func (d *daemon) routes(host string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /ws", d.relay)
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		if name == "" {
			name = "panel.html"
		}
		dot := strings.LastIndexByte(name, '.')
		kind := ""
		if dot > 0 {
			kind = pages[name[dot:]]
		}
		b, err := extension.File(name)
		if err != nil || kind == "" || name == "background.js" || name == "page.js" || name == "hook.js" {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", strings.Replace(policyOfPages, "connect-src 'self'", "connect-src ws://"+host+" 'self'", 1))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		_, _ = w.Write(b) // a reader that has gone needs no answer
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !relay.Local(r, d.hosts) {
			http.Error(w, "this is not the address of wb", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}
