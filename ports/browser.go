package ports

import (
	"context"
	"encoding/json"
	"strings"
)

// Browser is one running browser that wb drives. All methods may be used from many goroutines and answer
// within a second of the browser's death with CodeBrowserGone. Whoever made it closes it.
type Browser interface {
	// Tabs lists the open tabs, oldest first.
	Tabs(ctx context.Context) ([]TabInfo, error)
	// Open makes a tab and, where url is not empty, starts to load it.
	Open(ctx context.Context, url string) (Tab, error)
	// Tab returns an open tab; CodeTabGone if there is none of that id.
	Tab(ctx context.Context, id string) (Tab, error)
	// Notices returns what happened since a sequence number, oldest first, at most the last 256: popups,
	// dialogs, downloads, navigations that the fence blocked, crashes. 0 asks for all.
	Notices(since int64) []Notice
	// Close ends the browser and everything it started. A browser that wb did not start is only left.
	Close() error
}

// Fenced is a Browser that judges where pages go. Judge decides on every document request and every
// redirect hop of it, popups and frames included; it must not block. nil lets everything through.
type Fenced interface {
	Fence(judge func(Navigation) error)
}

// Navigation is one document request, before it is sent.
type Navigation struct {
	Tab    string
	Opener string // tab that opened Tab, or that opened its opener, and so on to the first; "" if none did
	URL    string
	From   string // URL of the document or hop that asked for it, "" for an empty tab
	Method string
	Frame  bool // into an iframe
	User   bool // asked for by browser.nav, not by the page
}

// TabInfo is a tab at a moment.
type TabInfo struct {
	ID     string `json:"id"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Active bool   `json:"active,omitempty"`
	Opener string `json:"opener,omitempty"` // tab whose page opened it
	State  string `json:"state,omitempty"`  // "" or crashed
}

// Tab is one tab. Its methods fail with CodeTabGone once it is closed, CodeTabCrashed once its renderer
// died, and CodeDialogOpen while a JavaScript dialog waits, but for Dialog, Info and Close.
type Tab interface {
	Page
	Info(ctx context.Context) (TabInfo, error)
	Nav(ctx context.Context, n Nav) (NavResult, error)
	Capture(ctx context.Context, c Capture) (Image, error)
	TabControl
}

// TabControl is what is done to a tab as a whole.
type TabControl interface {
	Activate(ctx context.Context) error
	Close(ctx context.Context) error
	// Dialog answers the open JavaScript dialog; CodeUsage if there is none.
	Dialog(ctx context.Context, accept bool, text string) error
}

// Page is the documents in a tab, reached through the page script (extension/src/page).
//
// Frames are named f0 (the top document), f1, f2 … by the driver; a frame keeps its name while it is
// attached. Element refs are e12 in the top frame and f2e7 in frame f2; the number is never used twice in
// a tab, so a ref of one document cannot mean an element of another.
type Page interface {
	// Frames lists the tab's frames, the top one first, parents before children.
	Frames(ctx context.Context) ([]Frame, error)
	// Read runs a looking operation of the page script in one frame; Act one that changes the page by
	// script (the script channel). Operations, arguments and answers are listed in
	// extension/src/page/ops.ts. A page that is busy is interrupted at ctx's deadline (CodeTimeout).
	Read(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error)
	Act(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error)
	// Input sends trusted input. A driver without it answers CodeNoInput, and the script channel is left.
	Input(ctx context.Context, in Input) (InputResult, error)
}

// Evaluator is a Page that can run code of the caller in the page's own world.
type Evaluator interface {
	Eval(ctx context.Context, frame, code string) (json.RawMessage, error)
}

// Frame is one document's place in a tab.
type Frame struct {
	ID     string `json:"id"`               // f0, f1 …
	Parent string `json:"parent,omitempty"` // "" for f0
	URL    string `json:"url"`
	Origin string `json:"origin"`          // scheme://host[:port], or "null"
	Owner  string `json:"owner,omitempty"` // ref of the iframe element in the parent, once it has been given one
}

// Input is one trusted gesture. With Ref the element is scrolled into view and hit-tested in its own
// frame just before; a cover answers CodeNotActionable unless Force.
type Input struct {
	Kind  string   `json:"kind"`            // click, hover, drag, text, keys or wheel
	Ref   string   `json:"ref,omitempty"`   // target
	X     float64  `json:"x,omitempty"`     // without Ref: CSS px in the top viewport
	Y     float64  `json:"y,omitempty"`     //
	To    string   `json:"to,omitempty"`    // drag: target ref
	ToX   float64  `json:"to_x,omitempty"`  // drag without To
	ToY   float64  `json:"to_y,omitempty"`  //
	Steps int      `json:"steps,omitempty"` // drag: moves on the way [10]
	Text  string   `json:"text,omitempty"`  // text: inserted at the caret as one input event
	Keys  []string `json:"keys,omitempty"`  // keys: DOM key names, "Control+a" for a chord, pressed in order
	Count int      `json:"count,omitempty"` // clicks [1]
	Btn   string   `json:"button,omitempty"`
	DX    float64  `json:"dx,omitempty"` // wheel, CSS px
	DY    float64  `json:"dy,omitempty"`
	Force bool     `json:"force,omitempty"` // click what is there
}

// InputResult says what the gesture met.
type InputResult struct {
	X   float64 `json:"x"` // where, CSS px in the top viewport
	Y   float64 `json:"y"`
	Hit Hit     `json:"hit"`
}

// Hit is what lies at a point.
type Hit struct {
	Ref     string `json:"ref,omitempty"`
	Role    string `json:"role,omitempty"`
	Name    string `json:"name,omitempty"`
	Covered bool   `json:"covered,omitempty"` // by something other than the target
}

// Nav moves a tab through history or to a URL.
type Nav struct {
	URL   string `json:"url,omitempty"`
	Delta int    `json:"delta,omitempty"` // history steps, negative is back; without URL
	// Reload loads the document again; without URL and Delta.
	Reload bool `json:"reload,omitempty"`
	// Force leaves a page that asks to stay (beforeunload); without it that is CodeUnsaved.
	Force bool `json:"force,omitempty"`
}

// NavResult is where a navigation ended, once the document's DOM is there.
type NavResult struct {
	URL    string `json:"url"`
	Title  string `json:"title,omitempty"`
	Status int    `json:"status,omitempty"` // HTTP status, 0 if there was none
	// Same is true when the document is still the one before (a fragment, pushState, or a download).
	Same bool `json:"same,omitempty"`
}

// Capture asks for a picture. Password fields are covered before it is taken.
type Capture struct {
	Full    bool   `json:"full,omitempty"`    // the whole page rather than the viewport
	Ref     string `json:"ref,omitempty"`     // that element only
	Format  string `json:"format,omitempty"`  // png or jpeg [jpeg]
	Quality int    `json:"quality,omitempty"` // of jpeg, 1 to 100 [75]
}

// Image is an encoded picture with its size in CSS px.
type Image struct {
	MIME   string
	Data   []byte
	Width  int
	Height int
}

// Notice is something the browser did that no call asked for.
type Notice struct {
	Seq  int64  `json:"seq"`
	Kind string `json:"kind"` // popup, dialog, dialog_closed, download, blocked, crashed, file_chooser, print, gone
	Tab  string `json:"tab,omitempty"`
	Text string `json:"text,omitempty"` // in words
	URL  string `json:"url,omitempty"`
}

// FrameOf returns the frame that gave a ref out: f2 for f2e7, f0 for e12.
func FrameOf(ref string) string {
	if i := strings.IndexByte(ref, 'e'); i > 0 && ref[0] == 'f' {
		return ref[:i]
	}
	return "f0"
}
