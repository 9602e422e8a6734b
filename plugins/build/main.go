// Command build makes plugins/dist/builtins.wasm.zst: the built-in plugins, compiled for WASI, guarded
// and compressed. Run it in the root of the repository. The same sources give the same bytes.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"github.com/wb-agent/wb/plugins/wasmguard"
)

const out = "plugins/dist/builtins.wasm.zst"

func main() {
	if err := build(); err != nil {
		fmt.Fprintln(os.Stderr, "plugins/build:", err)
		os.Exit(1)
	}
}

func build() error {
	if _, err := os.Stat("plugins/builtin"); err != nil {
		return errors.New("run it in the root of the repository: go run ./plugins/build")
	}
	dir, err := os.MkdirTemp("", "wb-builtins-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	raw, err := compile(filepath.Join(dir, "builtins.wasm"))
	if err != nil {
		return err
	}
	guarded, err := wasmguard.Rewrite(raw, wasmguard.Options{})
	if err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	packed := enc.EncodeAll(guarded, nil)
	if err := os.WriteFile(out, packed, 0o644); err != nil {
		return err
	}
	fmt.Printf("%s: %d KB, guarded %d KB, compressed %d KB\n", out, len(raw)>>10, len(guarded)>>10, len(packed)>>10)
	return nil
}

func compile(file string) ([]byte, error) {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", file, "./plugins/builtin")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("go build for wasip1: %w", err)
	}
	return os.ReadFile(file)
}
