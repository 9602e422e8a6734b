// Package extension embeds what is built from extension/src: the page script that drivers inject, and later
// the unpacked extension. It holds no logic; read src/page/ops.ts for what the script answers.
package extension

import (
	"embed"
	"errors"
)

//go:embed all:dist
var dist embed.FS

// PageScript returns the bundled page script. It is absent from a fresh clone until it was generated.
func PageScript() (string, error) {
	b, err := dist.ReadFile("dist/page.js")
	if err != nil {
		return "", errors.New("the page script is not built: run `make generate`")
	}
	return string(b), nil
}
