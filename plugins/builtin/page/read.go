package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

type treeIn struct {
	Filter   string `json:"filter,omitempty" enum:"all,visible,interactive" doc:"default all; visible: in the viewport; interactive: targets only"`
	MaxDepth int    `json:"maxDepth,omitempty" min:"1" max:"200"`
	Budget   int    `json:"budget,omitempty" min:"140" max:"4000" doc:"tokens of a page; default 2000"`
	MaxChars int    `json:"maxChars,omitempty" min:"500" max:"14000" doc:"the same in characters"`
	Find     string `json:"find,omitempty" max:"200" doc:"only lines with this text"`
	Ref      string `json:"ref_id,omitempty" doc:"only what is inside of this element; opens a folded group"`
	Page     int    `json:"page,omitempty" min:"1" doc:"which page; default 1. What is in view comes first"`
	Revision string `json:"revision,omitempty" doc:"of the page before, to be told if the page has changed since"`
	Hidden   bool   `json:"include_hidden,omitempty" doc:"hidden text too, marked"`
}

type proseIn struct {
	Offset int    `json:"offset,omitempty" min:"0" doc:"characters to skip"`
	Limit  int    `json:"limit,omitempty" min:"500" max:"6000" doc:"default 4000"`
	Ref    string `json:"ref_id,omitempty" doc:"only what is inside of this element"`
}

type findIn struct {
	Text      string `json:"text" min:"1" max:"500"`
	MatchCase bool   `json:"matchCase,omitempty"`
	Backwards bool   `json:"backwards,omitempty"`
	Wrap      *bool  `json:"wrap,omitempty" doc:"go on from the other end; default true"`
}

type extractIn struct {
	Type  string `json:"type" enum:"tables,headings,images,links"`
	Limit int    `json:"limit,omitempty" min:"1" max:"200"`
}

type scrollIn struct {
	Direction string   `json:"direction" enum:"up,down,left,right,top,bottom,into_view"`
	Amount    float64  `json:"amount,omitempty" doc:"viewports; default 0.8"`
	Ref       string   `json:"ref_id,omitempty" doc:"scroll what this element is in, or it into view"`
	X         *float64 `json:"x,omitempty" doc:"scroll what lies at this point"`
	Y         *float64 `json:"y,omitempty"`
}

type waitIn struct {
	Selector string `json:"selector,omitempty" doc:"CSS selector"`
	Text     string `json:"text,omitempty" doc:"visible text"`
	Gone     bool   `json:"gone,omitempty" doc:"wait until it is gone"`
	Timeout  int    `json:"timeout,omitempty" min:"1" max:"60000" doc:"ms; default 5000"`
}

type stableIn struct {
	Timeout int `json:"timeout,omitempty" min:"1" max:"20000" doc:"ms; default 5000"`
	QuietMS int `json:"quietMs,omitempty" min:"50" max:"3000" doc:"default 500"`
}

type formIn struct {
	Selector string `json:"selector,omitempty" doc:"CSS selector of the form; without it all fields of the page"`
}

// reading are the tools that look and change nothing.
func reading() []sdk.AnyTool {
	return []sdk.AnyTool{
		sdk.Tool[treeIn, sdk.Result]{Name: "get_accessibility_tree", About: "The page as an outline, one element a line, with a ref for each target: role \"name\" [e12]. Look here before you act.",
			Risk: "read", Modes: anyMode, Budget: 14000, Run: toldFirst(tree)},
		sdk.Tool[proseIn, string]{Name: "read_page", About: "The page's text, main content first, in windows.", Risk: "read", Modes: anyMode, Run: told(prose)},
		sdk.Tool[findIn, string]{Name: "find_text", About: "Find the next place of a literal text, scroll there and show what is around it.", Risk: "read", Modes: anyMode, Run: told(findText)},
		sdk.Tool[struct{}, string]{Name: "get_window_info", About: "Size of the viewport and the page, and the scroll position.", Risk: "read", Modes: anyMode,
			Run: func(h *sdk.Host, _ struct{}) (string, error) { return raw(h, "window", struct{}{}) }},
		sdk.Tool[extractIn, string]{Name: "extract_data", About: "Tables, headings, images or links as structured data.", Risk: "read", Modes: anyMode,
			Run: func(h *sdk.Host, in extractIn) (string, error) { return raw(h, "extract", in) }},
		sdk.Tool[struct{}, string]{Name: "get_selection", About: "The selected text.", Risk: "read", Modes: anyMode,
			Run: func(h *sdk.Host, _ struct{}) (string, error) { return raw(h, "selection", struct{}{}) }},
		sdk.Tool[scrollIn, string]{Name: "scroll", About: "Scroll the page, or the pane that an element is in.", Risk: "read", Modes: anyMode, Run: told(scroll)},
		sdk.Tool[waitIn, string]{Name: "wait_for_element", About: "Wait until an element or a text is there, or gone.", Risk: "read", Modes: anyMode, Run: told(waitFor)},
		sdk.Tool[stableIn, string]{Name: "wait_for_stable", About: "Wait until the page and its requests are quiet.", Risk: "read", Modes: anyMode, Tiers: midUp, Run: told(waitStable)},
		sdk.Tool[struct{}, sdk.Result]{Name: "inspect_viewport", About: "A picture of the viewport, for models that see.", Risk: "read", Modes: anyMode, Run: toldFirst(viewport)},
		sdk.Tool[formIn, string]{Name: "verify_form", About: "Labels and present values of a form's fields, and its errors.", Risk: "read", Modes: actMode, Tiers: midUp, Run: told(verifyForm)},
	}
}

// tree passes the outline on; the host has stitched and cut it.
func tree(h *sdk.Host, in treeIn) (sdk.Result, error) {
	args := map[string]any{}
	if in.Filter != "" {
		args["filter"] = in.Filter
	}
	if in.MaxDepth > 0 {
		args["maxDepth"] = in.MaxDepth
	}
	if in.Ref != "" {
		args["root"] = bare(in.Ref)
	}
	if in.Hidden {
		args["include_hidden"] = true
	}
	args["budget"], args["maxChars"], args["page"], args["find"], args["revision"] = in.Budget, in.MaxChars, in.Page, in.Find, in.Revision
	look := func() (sdk.Result, error) {
		return h.CallResult("browser.read", map[string]any{"op": "snapshot", "args": args})
	}
	blank := func(r sdk.Result) bool {
		var p struct {
			Chars *int `json:"total_chars"`
		}
		return r.Decode(&p) == nil && p.Chars != nil && *p.Chars == 0
	}
	res, err := patiently(h, look, blank)
	if err == nil && blank(res) {
		res.Content = []sdk.Content{sdk.Text("(the page shows nothing that fits)")}
	}
	return res, err
}

// window is a piece of a page's text.
type window struct {
	Text    string `json:"text"`
	Offset  int    `json:"offset"`
	Total   int    `json:"total"`
	Next    int    `json:"next"`
	Title   string `json:"title"`
	URL     string `json:"url"`
	Partial string `json:"partial"`
}

func prose(h *sdk.Host, in proseIn) (string, error) {
	limit := in.Limit
	if limit == 0 {
		limit = 4000
	}
	args := map[string]any{"offset": in.Offset, "limit": limit}
	if in.Ref != "" {
		args["root"] = bare(in.Ref)
	}
	p, err := patiently(h, func() (w window, err error) {
		return w, h.Call("browser.read", map[string]any{"op": "text", "frame": frameOf(bare(in.Ref)), "args": args}, &w)
	}, func(w window) bool { return w.Total == 0 })
	if err != nil {
		return "", err
	}
	foot := fmt.Sprintf("(characters %d to %d of %d)", p.Offset, p.Offset+len([]rune(p.Text)), p.Total)
	if p.Next > 0 {
		foot = fmt.Sprintf("(characters %d to %d of %d; go on with offset %d, or use find_text)", p.Offset, p.Next, p.Total, p.Next)
	}
	if p.Partial != "" {
		foot += " (partial: " + p.Partial + ")"
	}
	return fmt.Sprintf("%s\n%s\n\n%s\n%s", p.Title, p.URL, p.Text, foot), nil
}

func findText(h *sdk.Host, in findIn) (string, error) {
	var r struct {
		Found   bool   `json:"found"`
		Index   int    `json:"index"`
		Total   int    `json:"total"`
		Context string `json:"context"`
		Ref     string `json:"ref"`
	}
	args := map[string]any{"text": in.Text, "matchCase": in.MatchCase, "backwards": in.Backwards, "wrap": in.Wrap == nil || *in.Wrap}
	if err := act(h, "findText", args, &r); err != nil {
		return "", err
	}
	if !r.Found {
		return fmt.Sprintf("%q is not on the page (%d places)", in.Text, r.Total), nil
	}
	where := ""
	if r.Ref != "" {
		where = " in [" + r.Ref + "]"
	}
	return fmt.Sprintf("place %d of %d%s:\n%s", r.Index+1, r.Total, where, r.Context), nil
}

// raw is a question whose JSON answer is fit for a model as it is.
func raw(h *sdk.Host, op string, args any) (string, error) {
	var out json.RawMessage
	err := read(h, op, args, &out)
	return string(out), err
}

func scroll(h *sdk.Host, in scrollIn) (string, error) {
	args := map[string]any{"direction": in.Direction}
	if in.Amount != 0 {
		args["amount"] = amount(in.Amount)
	}
	if in.Ref != "" {
		args["ref"] = bare(in.Ref)
	}
	if in.X != nil && in.Y != nil {
		args["x"], args["y"] = *in.X, *in.Y
	}
	var r struct {
		Moved   bool    `json:"moved"`
		ScrollY float64 `json:"scrollY"`
		AtEnd   bool    `json:"atEnd"`
		What    string  `json:"what"`
	}
	if err := act(h, "scroll", args, &r); err != nil {
		return "", err
	}
	switch {
	case !r.Moved:
		return fmt.Sprintf("%s did not move: it is at its end already", r.What), nil
	case r.AtEnd:
		return fmt.Sprintf("%s scrolled to %.0f, its end", r.What, r.ScrollY), nil
	}
	return fmt.Sprintf("%s scrolled to %.0f", r.What, r.ScrollY), nil
}

// amount takes pixels for viewports where a model gives a number that can only be pixels.
func amount(a float64) float64 {
	if a > 20 {
		return a / 800
	}
	return a
}

func waitFor(h *sdk.Host, in waitIn) (string, error) {
	if in.Selector == "" && in.Text == "" {
		return "", &sdk.Error{Code: "invalid_args", Msg: "nothing to wait for", Fix: "give selector or text"}
	}
	args := map[string]any{"timeout": 5000}
	if in.Timeout > 0 {
		args["timeout"] = in.Timeout
	}
	if in.Selector != "" {
		args["selector"] = in.Selector
	}
	if in.Text != "" {
		args["text"] = in.Text
	}
	if in.Gone {
		args["gone"] = true
	}
	var r struct {
		Found     bool       `json:"found"`
		MS        int        `json:"ms"`
		Candidate *candidate `json:"candidate"`
	}
	if err := read(h, "waitFor", args, &r); err != nil {
		return "", err
	}
	switch {
	case r.Found && r.Candidate != nil:
		return fmt.Sprintf("there after %d ms: %s", r.MS, r.Candidate), nil
	case r.Found:
		return fmt.Sprintf("so after %d ms", r.MS), nil
	}
	return fmt.Sprintf("not within %v ms; look at the page", args["timeout"]), nil
}

func waitStable(h *sdk.Host, in stableIn) (string, error) {
	pause, limit := 500, 5000
	if in.QuietMS > 0 {
		pause = in.QuietMS
	}
	if in.Timeout > 0 {
		limit = in.Timeout
	}
	s, err := quiet(h, pause, limit)
	if err != nil {
		return "", err
	}
	if !s.Settled {
		return fmt.Sprintf("still changing after %d ms", s.MS), nil
	}
	return fmt.Sprintf("quiet after %d ms%s", s.MS, bulleted(s.Effects)), nil
}

func viewport(h *sdk.Host, _ struct{}) (sdk.Result, error) {
	return h.CallResult("browser.capture", map[string]any{"format": "jpeg", "quality": 75})
}

func bulleted(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("\n- " + l)
	}
	return b.String()
}

// verifyForm reads a form back: its fields with what they hold now.
func verifyForm(h *sdk.Host, in formIn) (string, error) {
	css := "input, select, textarea, [contenteditable=true], [role=checkbox], [role=switch], [role=radio], [role=combobox], [role=textbox]"
	if in.Selector != "" {
		parts := strings.Split(css, ", ")
		for i, p := range parts {
			parts[i] = in.Selector + " " + p
		}
		css = strings.Join(parts, ", ")
	}
	var found struct {
		Candidates []candidate `json:"candidates"`
		Total      int         `json:"total"`
	}
	if err := read(h, "selector", map[string]any{"css": css, "visible": true, "limit": 50}, &found); err != nil {
		return "", err
	}
	var lines []string
	for _, c := range found.Candidates {
		f, err := element(h, c.Ref)
		if err != nil {
			return "", err
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %q [%s] %s value=%q", f.Role, cut(f.Name, 60), f.Ref, strings.Join(f.States, " "), cut(f.Value, shownMax))))
	}
	if len(lines) == 0 {
		return "no fields found", nil
	}
	var st struct {
		Errors []string `json:"errors"`
	}
	if err := read(h, "state", struct{}{}, &st); err != nil {
		return "", err
	}
	for _, e := range st.Errors {
		lines = append(lines, "error shown: "+cut(e, 160))
	}
	if more := found.Total - len(found.Candidates); more > 0 {
		lines = append(lines, fmt.Sprintf("(%d more fields)", more))
	}
	return strings.Join(lines, "\n"), nil
}
