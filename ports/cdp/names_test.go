package cdp

import (
	"path/filepath"
	"testing"

	"github.com/wb-agent/wb/ports/portstest"
)

// Floors of the score on the Web Platform Tests for names and roles. They only go up.
const (
	floorLabels = 605
	floorRoles  = 302
)

func TestNamesAndRoles(t *testing.T) {
	tab, err := launch(t).Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	portstest.Names(t, tab, filepath.Join("..", "..", "..", "shared", "cases", "wpt-a11y"), floorLabels, floorRoles)
}
