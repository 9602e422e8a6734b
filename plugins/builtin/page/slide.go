package page

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// maxBatches bounds how often a slider is moved and looked at.
const maxBatches = 12

// isSlider reports whether a field is a slider that is moved by keys: one that the page made itself, or a native
// one that nobody sees.
func isSlider(f facts) bool { return f.Role == "slider" && (f.Type != "range" || !f.Visible) }

// slide moves a slider to a number by arrow keys, as far as its steps allow, and reads it back.
func slide(h *sdk.Host, f facts, text string, expect []json.RawMessage) (*sdk.Receipt, error) {
	want, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return nil, &sdk.Error{Code: "invalid_args", Msg: fmt.Sprintf("a slider takes a number, not %q", cut(text, 40))}
	}
	a, err := begin(h, "slide", f, expect)
	if err != nil {
		return nil, err
	}
	if f.is("disabled") {
		return a.notDone("it is disabled"), nil
	}
	at, ok := number(f)
	if !ok {
		return a.notDone("it does not say what its value is"), nil
	}
	step := 0.0
	for range maxBatches {
		if at == want {
			break
		}
		n := 1
		if step > 0 {
			n = int(min(80, math.Floor(math.Abs(want-at)/step+1e-9)))
		}
		if n == 0 {
			break // between two steps
		}
		key := "ArrowRight"
		if want < at {
			key = "ArrowLeft"
		}
		if r, err := a.input(map[string]any{"kind": "keys", "keys": slices.Repeat([]string{key}, n), "ref": f.Ref}); r != nil || err != nil {
			return r, err
		}
		if _, err := quiet(h, 60, 1500); err != nil {
			return nil, err
		}
		now, err := element(h, f.Ref)
		if err != nil {
			return nil, err
		}
		next, ok := number(now)
		if !ok || next == at {
			break
		}
		if step == 0 {
			step = math.Abs(next - at)
		}
		at = next
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	a.after()
	if len(a.expect) > 0 {
		return a.conclude(s, ""), nil
	}
	if at != want {
		return a.notDone(fmt.Sprintf("it stands at %g; its steps do not reach %g", at, want)), nil
	}
	a.receipt.Verdict = sdk.Done
	return &a.receipt, nil
}

// number is a slider's value.
func number(f facts) (float64, bool) {
	v, err := strconv.ParseFloat(strings.TrimSpace(f.Value), 64)
	return v, err == nil
}
