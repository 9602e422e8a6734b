// Package plugins holds the built-in plugins as wb ships them: one WASM module and the list of what each
// of them may do. Their sources are in builtin; what they are written with is in sdk.
package plugins

import (
	"embed"
	"errors"
)

//go:embed all:dist
var dist embed.FS

//go:embed builtin/grants.json
var builtins []byte

// Module returns the built-in plugins, guarded and compressed, for host.Runtime.LoadBuiltins. A build
// without `make generate` has none.
func Module() ([]byte, error) {
	b, err := dist.ReadFile("dist/builtins.wasm.zst")
	if err != nil {
		return nil, errors.New("this wb was built without its plugins: run make generate, then build it again")
	}
	return b, nil
}

// Builtins returns the list of built-in plugins with their grants, for host.ParseBuiltins.
func Builtins() []byte { return builtins }
