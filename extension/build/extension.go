package main

import (
	"fmt"
	"os"

	"github.com/evanw/esbuild/pkg/api"
)

// background writes the extension's background, what it draws on pages and its manifest: with page.js and the panel
// beside them, dist is the unpacked extension.
func background() error {
	r := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: "extension/src/background/main.ts", OutputPath: "background"},
			{InputPath: "extension/src/edge/edge.ts", OutputPath: "edge"},
		},
		Outdir: "extension/dist",
		Bundle: true, Write: true, Format: api.FormatIIFE, Platform: api.PlatformBrowser, Target: api.ES2022,
		MinifyWhitespace: true, Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelWarning,
	})
	if len(r.Errors) > 0 {
		return fmt.Errorf("%d errors in the background", len(r.Errors))
	}
	b, err := os.ReadFile("extension/manifest.json")
	if err != nil {
		return err
	}
	return os.WriteFile("extension/dist/manifest.json", b, 0o644)
}
