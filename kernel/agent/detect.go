package agent

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/wb-agent/wb/ports"
)

// Bounds of the detectors.
const (
	repeatWindow = 6  // calls looked at
	repeatSame   = 3  // identical ones in the window that nudge
	repeatStop   = 8  // nudges without two healthy calls in a row
	clickBucket  = 5  // px
	clickWindow  = 12 // coordinate clicks looked at
	clickNudge   = 5  // in one bucket
	clickStop    = 8
	stillNudge   = 2 // navigations in a row that left the URL as it was
	stillStop    = 5
)

// detector notices that a run turns in circles. It says so first, and stops what does not listen.
type detector struct {
	recent []string // last calls: tool, arguments, ok or not
	nudges int      // given without two healthy calls since
	calm   int      // healthy calls in a row
	clicks []string // buckets of coordinate clicks
	still  int      // navigations in a row that went nowhere
	url    string   // before the last navigation
}

// saw takes in a finished call. A nudge is for the model; stop means that it has had enough of them.
func (d *detector) saw(tc ports.ToolCall, ok bool, url string) (nudge string, stop bool) {
	d.recent = last(append(d.recent, fmt.Sprintf("%s %s %t", tc.Name, withoutExpect(json.RawMessage(tc.Args)), ok)), repeatWindow)
	switch {
	case d.repeats():
		d.calm = 0
		if d.nudges++; d.nudges >= repeatStop {
			return fmt.Sprintf("%d warnings about repeated calls were not heeded", d.nudges), true
		}
		nudge = "You repeat yourself: the same call gives the same result. Look at the page, then try something else, or finish as partial."
	default:
		if d.calm++; d.calm >= 2 {
			d.nudges = 0
		}
	}
	if n, s := d.clicked(tc); n != "" {
		return n, s
	}
	if n, s := d.moved(tc, url); n != "" {
		return n, s
	}
	return nudge, false
}

// repeats reports three identical calls in the window, or A B A B at its end.
func (d *detector) repeats() bool {
	n := len(d.recent)
	if n == 0 {
		return false
	}
	latest, same := d.recent[n-1], 0
	for _, r := range d.recent {
		if r == latest {
			same++
		}
	}
	if same >= repeatSame {
		return true
	}
	return n >= 4 && d.recent[n-1] == d.recent[n-3] && d.recent[n-2] == d.recent[n-4] && d.recent[n-1] != d.recent[n-2]
}

// clicked counts clicks by coordinates that hit the same few pixels.
func (d *detector) clicked(tc ports.ToolCall) (string, bool) {
	var a struct{ X, Y *float64 }
	if tc.Name != "click" || json.Unmarshal([]byte(tc.Args), &a) != nil || a.X == nil || a.Y == nil {
		return "", false
	}
	bucket := fmt.Sprint(math.Floor(*a.X/clickBucket), math.Floor(*a.Y/clickBucket))
	d.clicks = last(append(d.clicks, bucket), clickWindow)
	same := 0
	for _, c := range d.clicks {
		if c == bucket {
			same++
		}
	}
	if same >= clickStop {
		return fmt.Sprintf("the same point was clicked %d times", same), true
	}
	if same >= clickNudge {
		return fmt.Sprintf("You have clicked this point %d times. Find the target by its ref instead.", same), false
	}
	return "", false
}

// moved counts navigations after which the tab is where it was.
func (d *detector) moved(tc ports.ToolCall, url string) (string, bool) {
	if !slices.Contains([]string{"navigate", "go_back", "go_forward"}, tc.Name) {
		if url != d.url {
			d.still = 0
		}
		d.url = url
		return "", false
	}
	if url != d.url {
		d.still, d.url = 0, url
		return "", false
	}
	d.still++
	if d.still >= stillStop {
		return fmt.Sprintf("%d navigations in a row went nowhere", d.still), true
	}
	if d.still >= stillNudge {
		return "Navigation leaves you where you are. Read the page for another way.", false
	}
	return "", false
}
