package page

import "github.com/wb-agent/wb/plugins/sdk"

// Many pages draw themselves by script after their document is there, so the first look at one may see
// nothing. How long that is waited for, in ms: until it is quiet, and at most.
const (
	blankQuiet = 400
	blankCap   = 4000
)

// patiently looks, and looks again once the page is quiet where there was nothing to see.
func patiently[T any](h *sdk.Host, look func() (T, error), blank func(T) bool) (T, error) {
	v, err := look()
	if err != nil || !blank(v) {
		return v, err
	}
	if _, err := quiet(h, blankQuiet, blankCap); err != nil {
		return v, err
	}
	return look()
}

// quiet waits until the page and its requests have been quiet for so many ms.
func quiet(h *sdk.Host, forMS, capMS int) (s settled, err error) {
	var b struct {
		Token string `json:"token"`
	}
	if err := read(h, "baseline", struct{}{}, &b); err != nil {
		return s, err
	}
	return s, read(h, "settle", map[string]any{"since": b.Token, "quietMs": forMS, "idleMs": forMS, "capMs": capMS}, &s)
}
