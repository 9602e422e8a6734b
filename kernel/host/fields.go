package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

var manifestFields = []string{"id", "version", "abi", "runtime", "entry", "sha256", "summary", "grants", "instances", "limits"}

// knownFields refuses a field that is not in known and names the nearest one.
func knownFields(b []byte, known []string) error {
	var top map[string]json.RawMessage
	if err := json.Unmarshal(b, &top); err != nil {
		return badManifest("not a JSON object: "+err.Error(), "")
	}
	for name := range top {
		if !slices.Contains(known, name) {
			return badManifest(fmt.Sprintf("unknown field %q", name), fmt.Sprintf("did you mean %q?", nearest(name, known)))
		}
	}
	return nil
}

func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return edits(strings.ToLower(name), a) - edits(strings.ToLower(name), b) })
}

// edits counts the insertions, deletions and replacements that make a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
