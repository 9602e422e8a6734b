// Package shop is the sample shop: a small site of native and custom controls with a log of what it was
// sent. The demo runs in it, and tests judge runs by its orders rather than by what a model says.
package shop

import (
	"embed"
	"encoding/json"
	"io/fs"
	"net/http"
	"sync"
)

//go:embed site
var site embed.FS

// Order is one row of the shop.
type Order struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Product  string `json:"product"`
	Delivery string `json:"delivery"`
	Date     string `json:"date"`
	Quantity int    `json:"quantity"`
	Gift     bool   `json:"gift"`
	Express  bool   `json:"express"`
	Note     string `json:"note"`
}

// Shop is the server's state. It is an http.Handler, safe for concurrent use.
type Shop struct {
	mux *http.ServeMux

	mu     sync.Mutex
	orders []Order
	posts  int
}

// New makes a shop with one order in it.
func New() *Shop {
	s := &Shop{mux: http.NewServeMux(), orders: []Order{{ID: 1, Name: "Grace Hopper", Email: "grace@navy.example",
		Product: "Sugar bowl", Delivery: "Pickup", Date: "2026-11-01", Quantity: 1}}}
	pages, err := fs.Sub(site, "site")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	s.mux.Handle("GET /", http.FileServerFS(pages))
	s.mux.HandleFunc("GET /api/orders", s.list)
	s.mux.HandleFunc("POST /api/orders", s.create)
	return s
}

func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Orders returns what the shop holds.
func (s *Shop) Orders() []Order {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Order(nil), s.orders...)
}

// Posts returns how many orders were sent, valid or not.
func (s *Shop) Posts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts
}

func (s *Shop) list(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, s.Orders()) }

func (s *Shop) create(w http.ResponseWriter, r *http.Request) {
	var o Order
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts++
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&o); err != nil {
		reply(w, http.StatusBadRequest, map[string]string{"error": err.Error()})
		return
	}
	if o.Name == "" || o.Email == "" || o.Product == "" || o.Quantity < 1 {
		reply(w, http.StatusUnprocessableEntity, map[string]string{"error": "name, email, product and quantity are needed"})
		return
	}
	o.ID = len(s.orders) + 1
	s.orders = append(s.orders, o)
	reply(w, http.StatusCreated, o)
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client has gone
}
