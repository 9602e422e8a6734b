package primitive

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run that works for another one starts in its tab and leaves it what it opened.
func TestShare(t *testing.T) {
	b := NewBrowser(nil, Vault{})
	b.use("parent", "t1", true)
	b.Share("child", "parent")
	if got := b.run("child").current; got != "t1" {
		t.Fatalf("the child works in %q, want t1", got)
	}
	b.use("child", "t2", true)
	b.EndRun("child")
	if diff := cmp.Diff([]string{"t1", "t2"}, b.run("parent").own); diff != "" {
		t.Errorf("parent's tabs (-want +got):\n%s", diff)
	}
	if got := b.run("parent").current; got != "t2" {
		t.Errorf("the parent goes on in %q, want t2", got)
	}
	b.EndRun("parent")
	if len(b.runs) != 0 {
		t.Errorf("%d runs are remembered, want none", len(b.runs))
	}
}
