package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/ports"
)

// receiptRuns repeats the table, to count false alarms.
var receiptRuns = flag.Int("receipts", 1, "how often the table of receipts runs")

// inFirefox runs the table in Firefox too.
var inFirefox = flag.Bool("firefox", false, "run the table of receipts in Firefox")

// row is one thing done to one page, and the truth about it.
type row struct {
	name string
	page string // file in testdata/receipts, with query
	prep string // run in the page after the ref was given out
	tool string
	on   string // CSS of the target; "frame css" for one in the page's frame
	args string // further arguments, JSON
	want string // the true verdict
	says string // words of the receipt, separated by "; "
	not  string // words that must not be in it
	is   string // true in the page afterwards
	only string // the channel, where there is but one
	// late runs in the page after the receipt and must come true; then must lead the next result.
	late, then string
}

// The table of receipts. A false success is a row that wants something else than done and got it; an effect
// that a person could not have caused shows in `is`.
func TestReceipts(t *testing.T) {
	t.Parallel()
	b, port := chromium(t), fixtures(t)
	for _, channel := range []string{"trusted", "script"} {
		checkAll(t, b, "Chromium", channel, port)
	}
}

// The same table in Firefox, where wb started it: by the browser's own input, and by script where repeated.
func TestReceiptsFirefox(t *testing.T) {
	if !*inFirefox {
		t.Skip("takes minutes: run it with -firefox")
	}
	t.Parallel()
	b, port := firefox(t), fixtures(t)
	for _, channel := range []string{"trusted", "script"} {
		checkAll(t, b, "Firefox", channel, port)
	}
}

// checkAll runs the rows of a channel, as often as asked, and prints what they came to.
func checkAll(t *testing.T, b ports.Browser, browser, channel, port string) {
	var y tally
	for run := range *receiptRuns {
		for _, r := range receipts() {
			if r.only == "" || r.only == channel {
				t.Run(fmt.Sprintf("%s/%s/%d", channel, r.name, run), func(t *testing.T) { r.checked(t, b, channel, port, &y) })
			}
		}
	}
	y.print(t, browser, channel)
}

// checked holds the browser to a row. A machine that is busy may be too late to see what an action did: a row
// whose truth is done and was answered otherwise gets two more tries, which must both be right. Nothing else is
// forgiven, a false success least of all.
func (r row) checked(t *testing.T, b ports.Browser, channel, port string, y *tally) {
	got, wrong := r.check(t, b, channel, port)
	y.add(r, got)
	if len(wrong) > 0 && r.want == "done" && got.Verdict != sdk.Done {
		t.Logf("once:\n%s", strings.Join(wrong, "\n"))
		wrong = nil
		for range 2 {
			got, more := r.check(t, b, channel, port)
			y.add(r, got)
			wrong = append(wrong, more...)
		}
	}
	if len(wrong) > 0 {
		t.Error(strings.Join(wrong, "\n"))
	}
}

func receipts() (all []row) {
	for _, part := range [][]row{clickRows, fieldRows, widgetRows, effectRows, expectRows, frameRows()} {
		all = append(all, part...)
	}
	return all
}

// check plays a row and says what is not as it must be.
func (r row) check(t *testing.T, b ports.Browser, channel, port string) (got sdk.Receipt, wrong []string) {
	bad := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	k := newBench(t, b, channel == "trusted", "http://a.test"+port+"/"+r.page)
	frame, css := "f0", r.on
	if in, ok := strings.CutPrefix(r.on, "frame "); ok {
		frame, css = k.frame(), in
	}
	args := map[string]any{}
	if r.args != "" {
		if err := json.Unmarshal([]byte(r.args), &args); err != nil {
			t.Fatal(err)
		}
	}
	if css != "" {
		args["ref_id"] = k.ref(frame, css)
	}
	if r.prep != "" {
		k.eval(frame, r.prep)
	}
	args = k.filled(frame, args)
	got, text := k.do(r.tool, maps.Clone(args))
	if string(got.Verdict) != r.want {
		bad("verdict %s, want %s:\n%s", got.Verdict, r.want, text)
	}
	for s := range strings.SplitSeq(r.says, "; ") {
		if !strings.Contains(text, s) {
			bad("no %q in\n%s", s, text)
		}
	}
	if r.not != "" && strings.Contains(text, r.not) {
		bad("%q in\n%s", r.not, text)
	}
	if r.is != "" {
		if v := k.eval(frame, "String("+r.is+")"); v != `"true"` {
			bad("%s is not so: state %s, receipt\n%s", r.is, k.eval(frame, "JSON.stringify(window.state)"), text)
		}
	}
	if r.late == "" {
		return got, wrong
	}
	k.eval(frame, "await new Promise(ok=>{const t=setInterval(()=>{if("+r.late+"){clearInterval(t);ok(1)}},20)})")
	if _, text := k.do("get_accessibility_tree", nil); !strings.HasPrefix(text, "since then") || !strings.Contains(text, r.then) {
		bad("the next result does not begin with %q:\n%.600s", r.then, text)
	}
	return got, wrong
}

// filled puts refs where arguments say {"ref":"css …"}.
func (k *bench) filled(frame string, args map[string]any) map[string]any {
	list, _ := args["expect"].([]any)
	for _, c := range list {
		m, _ := c.(map[string]any)
		if css, ok := m["ref"].(string); ok {
			m["ref"] = k.ref(frame, css)
		}
	}
	return args
}
