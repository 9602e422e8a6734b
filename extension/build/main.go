// Command build bundles the extension's TypeScript into dist with esbuild: no Node is needed. It does not
// check types; `make lint` does. Run it from the repository's root: go run ./extension/build
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	do := build
	if len(os.Args) == 2 {
		do = func() error { return one(os.Args[1]) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "extension/build:", err)
		os.Exit(1)
	}
}

// build writes extension/dist: page.js, the page script as one function expression that runs itself, and the rest.
func build() error {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{"extension/src/page/main.ts"}, Outfile: "extension/dist/page.js",
		Bundle: true, Write: true, Format: api.FormatIIFE, Platform: api.PlatformBrowser, Target: api.ES2022,
		MinifyWhitespace: true, MinifySyntax: true, Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone,
		LogLevel: api.LogLevelWarning,
	})
	if len(r.Errors) > 0 {
		return fmt.Errorf("%d errors in the page script", len(r.Errors))
	}
	if err := hook(); err != nil {
		return err
	}
	return panel()
}

// hook writes extension/dist/hook.js, one function expression for the page's own world, without its types, and
// hooked.js, which runs it: a browser gives such a file no argument.
func hook() error {
	src, err := os.ReadFile("extension/src/page/hook.ts")
	if err != nil {
		return err
	}
	r := api.Transform(string(src), api.TransformOptions{Loader: api.LoaderTS, Target: api.ES2022, MinifyWhitespace: true, Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone})
	if len(r.Errors) > 0 {
		return fmt.Errorf("%d errors in the hook", len(r.Errors))
	}
	if err := os.WriteFile("extension/dist/hook.js", r.Code, 0o644); err != nil {
		return err
	}
	run := "(" + strings.TrimRight(strings.TrimSpace(string(r.Code)), ";") + ")(\"wb-listening\");\n"
	if err := os.WriteFile("extension/dist/hooked.js", []byte(run), 0o644); err != nil {
		return err
	}
	return background()
}
