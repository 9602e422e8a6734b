// Package practice is a set of practice pages for actions in a page: a customer form, custom controls, a
// list without an end, a wizard, a form in a frame, a long form. What was saved is the server's to say, so
// that tests judge by it rather than by what a page or a model claims.
//
// Pages take ?inject=: slow (the server takes 1.4 s), late (it answers at once and shows the row 9 s later),
// flaky (every odd request is refused with 503), fake (the page says saved and sends nothing), double (the
// button sends twice).
package practice

import (
	"embed"
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

//go:embed site
var site embed.FS

// Record is what a form sent, by field.
type Record map[string]any

// Site is the server's state. It is an http.Handler, safe for concurrent use.
type Site struct {
	mux *http.ServeMux

	mu       sync.Mutex
	saved    map[string][]Record // by form
	requests map[string]int      // to save, by form, refused ones too
}

// New makes a site with two customers.
func New() *Site {
	s := &Site{mux: http.NewServeMux(), requests: map[string]int{}, saved: map[string][]Record{"customer": {
		{"name": "Grace Hopper", "phone": "555-0100", "region": "North"}, {"name": "Alan Kay", "phone": "555-0101", "region": "South"}}}}
	pages, err := fs.Sub(site, "site")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	s.mux.Handle("GET /", http.FileServerFS(pages))
	s.mux.HandleFunc("GET /api/{form}", s.list)
	s.mux.HandleFunc("POST /api/{form}", s.save)
	return s
}

func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Saved returns what a form has stored, oldest first.
func (s *Site) Saved(form string) []Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.saved[form])
}

// Requests returns how often a form was sent, refused ones too.
func (s *Site) Requests(form string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[form]
}

func (s *Site) list(w http.ResponseWriter, r *http.Request) {
	form := r.PathValue("form")
	if form == "items" {
		reply(w, http.StatusOK, items(r.URL.Query().Get("page")))
		return
	}
	rows := s.Saved(form)
	if rows == nil {
		rows = []Record{}
	}
	reply(w, http.StatusOK, rows)
}

func (s *Site) save(w http.ResponseWriter, r *http.Request) {
	form, inject := r.PathValue("form"), r.URL.Query().Get("inject")
	var rec Record
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&rec); err != nil {
		reply(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	s.mu.Lock()
	s.requests[form]++
	n := s.requests[form]
	s.mu.Unlock()
	if inject == "flaky" && n%2 == 1 {
		reply(w, http.StatusServiceUnavailable, map[string]string{"error": "busy, nothing was saved"})
		return
	}
	if inject == "slow" {
		select {
		case <-time.After(1400 * time.Millisecond):
		case <-r.Context().Done():
			return
		}
	}
	if form == "customer" && (rec["name"] == "" || rec["phone"] == "") {
		reply(w, http.StatusUnprocessableEntity, map[string]string{"error": "name and phone are required"})
		return
	}
	s.mu.Lock()
	s.saved[form] = append(s.saved[form], maps.Clone(rec))
	s.mu.Unlock()
	reply(w, http.StatusCreated, rec)
}

// items is a page of a list of 32.
func items(page string) []Record {
	out := []Record{}
	first := map[string]int{"1": 1, "2": 9, "3": 17, "4": 25}[page]
	for i := first; first > 0 && i < first+8; i++ {
		out = append(out, Record{"id": i, "name": "Item " + string(rune('A'+(i-1)/8)) + string(rune('0'+(i-1)%8))})
	}
	return out
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that went away needs no answer
}
