package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/relay"
	"github.com/wb-agent/wb/ports/sqlite"
)

// upTime is how long the daemon may take until it answers.
const upTime = 20 * time.Second

func upCommand() *cobra.Command {
	var quiet bool
	c := &cobra.Command{
		Use:   "up",
		Short: "Start the daemon in the background and open its page",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			return up(cmd.Context(), cfg, quiet)
		},
	}
	c.Flags().BoolVar(&quiet, "no-open", false, "do not open the page in a browser")
	return c
}

func up(ctx context.Context, cfg *Config, quiet bool) error {
	dir, err := writeExtension(cfg)
	if err != nil {
		return err
	}
	p, err := connectDaemon(ctx, cfg, nil)
	if err == nil {
		p.Close("")
		fmt.Println("wb is running already")
	} else if err := startDaemon(ctx, cfg); err != nil {
		return err
	}
	page, err := pageAddress(ctx, cfg)
	if err != nil {
		return err
	}
	fmt.Printf(`wb is up.

The panel, without an extension:
  %s

To work in your own browser, load the extension once:
  Chrome, Chromium, Edge, Brave   open chrome://extensions, switch on Developer mode, press "Load unpacked", choose
                                  %s
  Firefox                         open about:debugging#/runtime/this-firefox, press "Load Temporary Add-on…", choose
                                  %s
and press its button. wb install lets it connect without a code; otherwise wb pair shows the code to compare.
`, page, dir, filepath.Join(dir, "manifest.json"))
	if !quiet {
		openPage(page)
	}
	return nil
}

// startDaemon starts this program as a daemon of its own session and waits until it answers.
func startDaemon(ctx context.Context, cfg *Config) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	log, err := os.OpenFile(logFile(cfg), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }() // the daemon has its own
	cmd := exec.Command(self, "serve")
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, append(os.Environ(), "WB_DATA_DIR="+cfg.DataDir, "WB_LISTEN="+cfg.Listen)
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	ctx, cancel := context.WithTimeout(ctx, upTime)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p, err := connectDaemon(ctx, cfg, nil); err == nil {
				p.Close("")
				return nil
			}
		case <-ended:
			return ports.NewError(ports.CodeUsage, "the daemon ended at once: "+lastLine(logFile(cfg)), "look at: wb logs")
		case <-ctx.Done():
			return ports.NewError(ports.CodeTimeout, "the daemon does not answer", "look at: wb logs")
		}
	}
}

func logFile(cfg *Config) string { return filepath.Join(cfg.DataDir, "serve.log") }

// connectDaemon speaks to the daemon of these data as its owner, who can read the file that the tokens are in.
func connectDaemon(ctx context.Context, cfg *Config, notify func(string, json.RawMessage)) (*relay.Peer, error) {
	s, err := sqlite.Open(ctx, filepath.Join(cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	c, err := ownClient(ctx, s, "terminal")
	if err != nil {
		return nil, err
	}
	if notify == nil {
		notify = func(string, json.RawMessage) {}
	}
	at := cfg.address(ctx, s.Get)
	return relay.Dial(ctx, "ws://"+at+"/ws", "http://"+at, c, relay.RolePanel, notify)
}

// ownClient is the pairing of this computer's terminal or page, made at its first use.
func ownClient(ctx context.Context, s *sqlite.Store, id string) (relay.Client, error) {
	all := clients{s}
	if c, ok := all.Client(ctx, id); ok {
		return c, nil
	}
	c := relay.NewClient("this computer's "+id, "", "", time.Now())
	c.ID = id
	return c, all.Keep(ctx, c)
}

// pageAddress is the panel as an ordinary page. The token stands in the fragment, which no server is sent.
func pageAddress(ctx context.Context, cfg *Config) (string, error) {
	s, err := sqlite.Open(ctx, filepath.Join(cfg.DataDir, "wb.db"), sqlite.Options{Dead: ownerDead})
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Close() }()
	c, err := ownClient(ctx, s, "page")
	if err != nil {
		return "", err
	}
	return "http://" + cfg.address(ctx, s.Get) + "/#client=" + c.ID + "&token=" + c.Token, nil
}

// openPage shows a page in the person's browser, where there is a screen.
func openPage(url string) {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	default:
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return
		}
	}
	_ = exec.Command(name, args...).Start() // the address has been printed
}

func downCommand() *cobra.Command {
	return &cobra.Command{Use: "down", Short: "Stop the daemon", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		p, err := connectDaemon(cmd.Context(), cfg, nil)
		if ports.CodeOf(err) == ports.CodeUnreachable {
			fmt.Println("wb is not running")
			return nil
		}
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(cmd.Context(), upTime)
		defer cancel()
		if err := p.Call(ctx, "stop", struct{}{}, nil); err != nil {
			return err
		}
		select {
		case <-p.Done():
			fmt.Println("wb is stopped")
			return nil
		case <-ctx.Done():
			return ports.NewError(ports.CodeTimeout, "the daemon does not stop", "look at: wb logs")
		}
	}}
}

func statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{Use: "status", Short: "Say whether the daemon runs, and which browsers are connected", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		var s status
		p, err := connectDaemon(cmd.Context(), cfg, nil)
		if err == nil {
			defer p.Close("")
			err = p.Call(cmd.Context(), "status", struct{}{}, &s)
		}
		if err != nil && ports.CodeOf(err) != ports.CodeUnreachable {
			return err
		}
		if asJSON {
			return json.NewEncoder(os.Stdout).Encode(s)
		}
		return printStatus(os.Stdout, s)
	}}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// status is what wb status prints.
type status struct {
	Running  bool            `json:"running"`
	Version  string          `json:"version,omitempty"`
	Address  string          `json:"address,omitempty"`
	Browsers []browserStatus `json:"browsers,omitempty"`
	Runs     int             `json:"runs"`
}

type browserStatus struct {
	Name      string `json:"name"`
	Client    string `json:"client"`
	Connected bool   `json:"connected"`
	Lent      int    `json:"lent"` // tabs
}

func printStatus(w io.Writer, s status) error {
	if !s.Running {
		_, err := fmt.Fprintln(w, "wb is not running; start it: wb up")
		return err
	}
	_, err := fmt.Fprintf(w, "wb %s at http://%s, %d runs under way\n", s.Version, s.Address, s.Runs)
	for _, b := range s.Browsers {
		state := "away"
		if b.Connected {
			state = fmt.Sprintf("connected, %d tabs lent", b.Lent)
		}
		_, e := fmt.Fprintf(w, "  %s: %s\n", clean(b.Name, 80), state)
		err = errors.Join(err, e)
	}
	return err
}

func logsCommand() *cobra.Command {
	return &cobra.Command{Use: "logs", Short: "Print the daemon's log", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		f, err := os.Open(logFile(cfg))
		if errors.Is(err, os.ErrNotExist) {
			return ports.NewError(ports.CodeUsage, "the daemon has not been started yet", "start it: wb up")
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		_, err = io.Copy(os.Stdout, f)
		if errors.Is(err, syscall.EPIPE) {
			return nil
		}
		return err
	}}
}

// lastLine is the end of a log, for an error.
func lastLine(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	if len(b) > 400 {
		b = b[len(b)-400:]
	}
	return clean(string(b), 400)
}
