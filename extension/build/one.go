package main

import (
	"fmt"
	"os"

	"github.com/evanw/esbuild/pkg/api"
)

// one writes a bundle of one file of the sources to stdout, as a script whose variable "bundle" holds what the
// file exports: tests run parts of the panel by themselves.
func one(file string) error {
	r := api.Build(api.BuildOptions{
		EntryPoints: []string{file}, Bundle: true, Format: api.FormatIIFE, GlobalName: "bundle", Target: api.ES2022, LogLevel: api.LogLevelWarning,
	})
	if len(r.Errors) > 0 {
		return fmt.Errorf("%d errors in %s", len(r.Errors), file)
	}
	_, err := os.Stdout.Write(r.OutputFiles[0].Contents)
	return err
}
