package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

func TestAnswerTo(t *testing.T) {
	q := ports.Question{Options: []string{"add it", "leave it"}}
	for line, want := range map[string]ports.Answer{
		"":         {Choice: "cancel"},
		"1":        {Choice: "add it"},
		"Leave it": {Choice: "leave it"},
		"3":        {Text: "3"},
		"y":        {Text: "y"},
	} {
		if d := cmp.Diff(want, answerTo(q, line)); d != "" {
			t.Errorf("%q: %s", line, d)
		}
	}
}
