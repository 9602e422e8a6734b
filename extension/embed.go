// Package extension embeds what is built from extension/src: the page script that drivers inject, and later
// the unpacked extension. It holds no logic; read src/page/ops.ts for what the script answers.
package extension

import (
	"embed"
	"errors"
	"strings"
)

//go:embed all:dist
var dist embed.FS

// PageScript returns the bundled page script. It is absent from a fresh clone until it was generated.
func PageScript() (string, error) {
	return built("page.js")
}

// Hook returns the function expression that a driver without a debugger runs in the page's world before its
// scripts, with a name that only the driver knows.
func Hook() (string, error) {
	s, err := built("hook.js")
	return strings.TrimRight(strings.TrimSpace(s), ";"), err
}

func built(name string) (string, error) {
	b, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return "", errors.New("the page script is not built: run `make generate`")
	}
	return string(b), nil
}

// Panel returns one file of the side panel: panel.html and what it loads, all of one folder. A build without
// npm has none.
func Panel(name string) ([]byte, error) {
	b, err := dist.ReadFile("dist/" + name)
	if err != nil {
		return nil, errors.New("the side panel is not built: run `make panel`")
	}
	return b, nil
}

// File returns one file of the unpacked extension.
func File(name string) ([]byte, error) {
	s, err := built(name)
	return []byte(s), err
}

// Files names every file of the unpacked extension: what a browser loads.
func Files() ([]string, error) {
	entries, err := dist.ReadDir("dist")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, e := range entries {
		if !e.IsDir() && e.Name() != "README" {
			out = append(out, e.Name())
		}
	}
	return out, nil
}
