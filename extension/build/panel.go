package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

const panelSource, settingsSource = "extension/src/panel/", "extension/src/settings/"

// panel writes extension/dist/panel.js, panel.css, panel.html and katex.js, and the same of the settings page. It needs what npm puts beside the
// sources; without that it leaves the panel out, so that a build needs no npm.
func panel() error {
	if _, err := os.Stat("extension/node_modules/preact"); err != nil {
		return nil
	}
	r := api.Build(api.BuildOptions{
		EntryPointsAdvanced: []api.EntryPoint{
			{InputPath: panelSource + "main.tsx", OutputPath: "panel"},
			{InputPath: panelSource + "katex.ts", OutputPath: "katex"},
			{InputPath: settingsSource + "main.tsx", OutputPath: "settings"},
		},
		Outdir: "extension/dist", Bundle: true, Write: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, Target: api.ES2022,
		JSX: api.JSXAutomatic, JSXImportSource: "preact", Charset: api.CharsetASCII, LegalComments: api.LegalCommentsNone,
		MinifyWhitespace: true, MinifySyntax: true, MinifyIdentifiers: true, LogLevel: api.LogLevelWarning,
	})
	if len(r.Errors) > 0 {
		return fmt.Errorf("%d errors in the panel", len(r.Errors))
	}
	for _, page := range []string{panelSource + "panel.html", settingsSource + "settings.html"} {
		html, err := os.ReadFile(page)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join("extension/dist", filepath.Base(page)), html, 0o644); err != nil {
			return err
		}
	}
	return nil
}
