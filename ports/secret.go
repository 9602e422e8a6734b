package ports

import "context"

// Secrets looks secrets up by name. Only ports/fetch asks; a value never enters a guest, a log, a
// journal, a model or a picture.
type Secrets interface {
	// Secret returns the value and the origins it may be sent to. CodeAuth with a fix if there is none.
	Secret(ctx context.Context, name string) (Secret, error)
}

// Secret is a value bound to origins (scheme://host[:port]). No origin means it may be sent nowhere.
type Secret struct {
	Value   string
	Origins []string
}

// String hides the value from careless printing.
func (Secret) String() string { return "[secret]" }

// GoString hides the value from %#v.
func (Secret) GoString() string { return "[secret]" }
