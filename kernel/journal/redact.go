package journal

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/wb-agent/wb/ports"
)

// Redacted stands where something was taken out.
const Redacted = "[redacted]"

// minValue is the length in bytes below which a value is not looked for: it would be found everywhere.
const minValue = 4

// Redactor takes secrets out of text: by the name they are kept under, by their look, and by value. It
// is the same for every tool, and may be used from many goroutines.
type Redactor struct {
	mu     sync.Mutex // guards known
	known  map[string]bool
	values atomic.Pointer[strings.Replacer] // nil while there are none
}

// NewRedactor returns a Redactor that knows no values yet.
func NewRedactor() *Redactor { return &Redactor{known: map[string]bool{}} }

// Add makes a secret value known: one that was resolved, or typed into a secret field. From now on it is
// taken out in every one of its forms (ports.SecretForms). Values under four bytes are ignored.
func (r *Redactor) Add(value string) {
	if len(value) < minValue {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[value] {
		return
	}
	r.known[value] = true
	var forms []string
	for v := range r.known {
		forms = append(forms, ports.SecretForms(v)...)
	}
	r.values.Store(longestFirst(forms))
}

// Text redacts plain text, or text in an unknown format.
func (r *Redactor) Text(s string) string {
	if s == "" {
		return s
	}
	return byLook(byName(r.byValue(s)))
}

func (r *Redactor) byValue(s string) string {
	if v := r.values.Load(); v != nil {
		return v.Replace(s)
	}
	return s
}
