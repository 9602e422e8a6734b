package sdktest

import (
	"bytes"
	"strings"
)

// archive is a txtar file: a comment, then files behind lines like "-- name --".
type archive struct {
	comment string
	names   []string
	files   map[string]string
}

func parseArchive(b []byte) *archive {
	a := &archive{files: map[string]string{}}
	name, text := "", []string{}
	end := func() {
		if s := strings.Join(text, ""); name == "" {
			a.comment = s
		} else {
			a.set(name, s)
		}
		text = nil
	}
	for line := range strings.Lines(string(b)) {
		if s, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok {
			if s, ok := strings.CutSuffix(s, " --"); ok {
				end()
				name = s
				continue
			}
		}
		text = append(text, line)
	}
	end()
	return a
}

func (a *archive) get(name string) string { return a.files[name] }

func (a *archive) set(name, text string) {
	if _, ok := a.files[name]; !ok {
		a.names = append(a.names, name)
	}
	a.files[name] = text
}

func (a *archive) format() []byte {
	b := bytes.NewBufferString(a.comment)
	for _, n := range a.names {
		b.WriteString("-- " + n + " --\n" + a.files[n])
	}
	return b.Bytes()
}
