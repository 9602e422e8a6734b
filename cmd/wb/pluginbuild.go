package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

func pluginBuildCommand() *cobra.Command {
	return &cobra.Command{
		Use: "build [DIR]", Short: "Compile a Go plugin for the sandbox and write its hash into plugin.json", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, size, err := buildPlugin(cmd.Context(), dirOf(args))
			if err != nil {
				return err
			}
			fmt.Printf("%s %s: %s, %d KB, sha256 %s\n", m.ID, m.Version, m.Entry, size>>10, m.SHA256)
			return nil
		},
	}
}

func dirOf(args []string) string {
	if len(args) == 0 {
		return "."
	}
	return args[0]
}

// parseUnbuilt checks a plugin.json whose hash may not be filled in yet.
func parseUnbuilt(manifest []byte) (host.Manifest, error) {
	b, err := setHash(manifest, strings.Repeat("0", 64))
	if err != nil {
		return host.Manifest{}, err
	}
	return host.ParseManifest(b)
}

// buildPlugin compiles dir and pins the result in its plugin.json. Both appear whole or not at all.
func buildPlugin(ctx context.Context, dir string) (m host.Manifest, size int, err error) {
	manifest, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return m, 0, &ports.Error{Code: ports.CodeUsage, Msg: "no plugin here", Err: err, Fix: "name the plugin's folder; `wb plugin new` makes one"}
	}
	entry, err := entryName(manifest)
	if err != nil {
		return m, 0, err
	}
	tmp, err := os.MkdirTemp(dir, ".build-") // beside its place, so that it can be moved there
	if err != nil {
		return m, 0, storageError(dir, err)
	}
	defer os.RemoveAll(tmp)
	code, err := compilePlugin(ctx, dir, filepath.Join(tmp, entry))
	if err != nil {
		return m, 0, err
	}
	if manifest, err = setHash(manifest, hashOf(code)); err != nil {
		return m, 0, err
	}
	if m, err = host.ParseManifest(manifest); err != nil {
		return m, 0, err
	}
	if err := os.WriteFile(filepath.Join(tmp, manifestName), manifest, 0o644); err != nil {
		return m, 0, storageError(tmp, err)
	}
	for _, name := range []string{entry, manifestName} {
		if err := os.Rename(filepath.Join(tmp, name), filepath.Join(dir, name)); err != nil {
			return m, 0, storageError(dir, err)
		}
	}
	return m, len(code), nil
}

func compilePlugin(ctx context.Context, dir, out string) ([]byte, error) {
	out, err := filepath.Abs(out)
	if err != nil {
		return nil, err
	}
	if err := goTool(ctx, dir, []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"},
		"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, "."); err != nil {
		return nil, err
	}
	code, err := os.ReadFile(out)
	if err != nil {
		return nil, storageError(out, err)
	}
	return code, nil
}

// goTool runs go in dir; what it says goes to stderr.
func goTool(ctx context.Context, dir string, env []string, args ...string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		return ports.NewError(ports.CodeUsage, "no go.mod in "+dir+": not a Go plugin", "build it with its own tools to a WASI command, and put its sha256 into plugin.json")
	}
	bin, err := exec.LookPath("go")
	if err != nil {
		return &ports.Error{Code: ports.CodeUsage, Msg: "go is not here", Err: err, Fix: "install Go 1.26 or later: https://go.dev/dl"}
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return &ports.Error{Code: ports.CodeBadModule, Msg: "go " + args[0] + " in " + dir, Err: err, Fix: "correct what is listed above"}
	}
	return nil
}
