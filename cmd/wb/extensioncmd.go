package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/extension"
	"github.com/wb-agent/wb/ports"
)

func extensionCommand() *cobra.Command {
	c := &cobra.Command{Use: "extension", Short: "The browser extension that came with this wb"}
	c.AddCommand(&cobra.Command{Use: "path", Short: "Write the extension and print its folder", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		dir, err := writeExtension(cfg)
		if err != nil {
			return err
		}
		fmt.Println(dir)
		return nil
	}})
	c.AddCommand(&cobra.Command{Use: "build DIR", Short: "Write the extension into a folder", Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error {
		return writeExtensionTo(args[0])
	}})
	return c
}

// writeExtension puts the unpacked extension beside the data, where a browser can load it from.
func writeExtension(cfg *Config) (string, error) {
	dir := filepath.Join(cfg.DataDir, "extension")
	return dir, writeExtensionTo(dir)
}

// writeExtensionTo writes what differs: a browser may be watching the files that it has loaded.
func writeExtensionTo(dir string) error {
	names, err := extension.Files()
	if err != nil {
		return err
	}
	if !slices.Contains(names, "manifest.json") || !slices.Contains(names, "panel.html") {
		return ports.NewError(ports.CodeUsage, "this wb was built without its extension", "build it: make build panel")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, n := range names {
		b, err := extension.File(n)
		if err != nil {
			return err
		}
		path := filepath.Join(dir, n)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, b) {
			continue
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
