package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
)

// nativeName is what the extension calls us by; firefoxID is its id in Firefox's manifest.
const (
	nativeName = "io.github.wb_agent.wb"
	firefoxID  = "wb@wb-agent.example"
)

// nativeCommand is started by a browser, which has checked that the extension is the one named in the manifest
// that `wb install` wrote. It answers one message and ends.
func nativeCommand() *cobra.Command {
	return &cobra.Command{Use: "native-host", Hidden: true, DisableFlagParsing: true, RunE: func(cmd *cobra.Command, args []string) error {
		cfg, err := loadConfig("", nil) // what follows are the browser's words
		if err != nil {
			return err
		}
		return nativeHost(cmd.Context(), cfg, args, os.Stdin, os.Stdout)
	}}
}

// nativeAsk and nativeAnswer are the two messages.
type nativeAsk struct {
	Kind    string `json:"kind"` // pair
	Name    string `json:"name"`
	Browser string `json:"browser"`
}

type nativeAnswer struct {
	URL    string `json:"url,omitempty"`
	Client string `json:"client,omitempty"`
	Token  string `json:"token,omitempty"`
	Error  string `json:"error,omitempty"`
}

// maxNative bounds a message in bytes; the browsers' own limit to us is far above it.
const maxNative = 64 << 10

// nativeHost speaks the browsers' native messaging: 4 bytes of length in the machine's order, then JSON. A
// Chromium names the extension's origin as argument, Firefox the extension's id as the second.
func nativeHost(ctx context.Context, cfg *Config, args []string, in io.Reader, out io.Writer) error {
	var size uint32
	if err := binary.Read(in, binary.NativeEndian, &size); err != nil {
		return err
	}
	if size > maxNative {
		return ports.NewError(ports.CodeOversized, "a message of more than 64 KiB", "")
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(in, b); err != nil {
		return err
	}
	var ask nativeAsk
	answer := nativeAnswer{Error: "not a message of wb's extension"}
	if json.Unmarshal(b, &ask) == nil && ask.Kind == "pair" {
		var err error
		if answer, err = pairNatively(ctx, cfg, args, ask); err != nil {
			answer = nativeAnswer{Error: err.Error()}
		}
	}
	reply := ports.JSON(answer)
	if err := binary.Write(out, binary.NativeEndian, uint32(len(reply))); err != nil {
		return err
	}
	_, err := out.Write(reply)
	return err
}

func pairNatively(ctx context.Context, cfg *Config, args []string, ask nativeAsk) (nativeAnswer, error) {
	origin := ""
	if len(args) > 0 && strings.HasPrefix(args[0], "chrome-extension://") {
		origin = strings.TrimSuffix(args[0], "/")
		if origin != "chrome-extension://"+extensionID {
			return nativeAnswer{}, ports.NewError(ports.CodeRefused, "this is not wb's extension", "load the one of: wb extension path")
		}
	}
	s, err := sqlite.Open(ctx, filepath.Join(cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		return nativeAnswer{}, err
	}
	defer func() { _ = s.Close() }() // what was written is written
	c := relay.NewClient(clean(ask.Name, 80), ask.Browser, origin, time.Now())
	if err := (clients{s}).Keep(ctx, c); err != nil {
		return nativeAnswer{}, err
	}
	return nativeAnswer{URL: "ws://" + cfg.address(ctx, s.Get) + "/ws", Client: c.ID, Token: c.Token}, nil
}

// nativeManifest is what a browser reads to know that the extension may start us.
func nativeManifest(program, browser string) []byte {
	m := map[string]any{"name": nativeName, "description": "wb, the agent on this computer", "path": program, "type": "stdio"}
	if browser == "firefox" {
		m["allowed_extensions"] = []string{firefoxID}
	} else {
		m["allowed_origins"] = []string{"chrome-extension://" + extensionID + "/"}
	}
	return append(ports.JSON(m), '\n')
}

// nativeFolders are where browsers look for native hosts of this user, by name. A browser that is not there gets
// none. Windows keeps them in its registry, which is not written here.
func nativeFolders(home string) map[string]string {
	switch runtime.GOOS {
	case "darwin":
		base := filepath.Join(home, "Library", "Application Support")
		return map[string]string{
			"Chrome":   filepath.Join(base, "Google", "Chrome", "NativeMessagingHosts"),
			"Chromium": filepath.Join(base, "Chromium", "NativeMessagingHosts"),
			"Edge":     filepath.Join(base, "Microsoft Edge", "NativeMessagingHosts"),
			"Brave":    filepath.Join(base, "BraveSoftware", "Brave-Browser", "NativeMessagingHosts"),
			"firefox":  filepath.Join(base, "Mozilla", "NativeMessagingHosts"),
		}
	case "linux":
		return map[string]string{
			"Chrome":   filepath.Join(home, ".config", "google-chrome", "NativeMessagingHosts"),
			"Chromium": filepath.Join(home, ".config", "chromium", "NativeMessagingHosts"),
			"Edge":     filepath.Join(home, ".config", "microsoft-edge", "NativeMessagingHosts"),
			"Brave":    filepath.Join(home, ".config", "BraveSoftware", "Brave-Browser", "NativeMessagingHosts"),
			"firefox":  filepath.Join(home, ".mozilla", "native-messaging-hosts"),
		}
	}
	return nil
}

// registerNative writes the manifests of the browsers that are there. A browser starts a file without arguments
// of ours, so a small script stands between.
func registerNative(cfg *Config, home, wb string) (written []string, err error) {
	script := filepath.Join(cfg.DataDir, "native-host.sh")
	text := fmt.Sprintf("#!/bin/sh\nWB_DATA_DIR=%s exec %s native-host \"$@\"\n", quoted(cfg.DataDir), quoted(wb))
	if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		return nil, err
	}
	for name, dir := range nativeFolders(home) {
		if _, err := os.Stat(filepath.Dir(dir)); err != nil {
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return written, err
		}
		if err := os.WriteFile(filepath.Join(dir, nativeName+".json"), nativeManifest(script, name), 0o644); err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}

// quoted is a word of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
