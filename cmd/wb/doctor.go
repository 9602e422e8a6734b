package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/sqlite"
)

// check is one thing that wb needs.
type check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Note string `json:"note"`
	Fix  string `json:"fix,omitempty"`
}

func doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "doctor", Short: "Check what wb needs: config, storage, plugins, a browser, the model's endpoint and key", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			checks := []check{checked("config", "read", err)}
			if err == nil {
				checks = append(checks, examine(cmd.Context(), cfg)...)
			}
			if err := report(checks, asJSON); err != nil {
				return err
			}
			for _, c := range checks {
				if !c.OK {
					return exit(exitFailed)
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().String("provider", "", "provider entry of the config whose endpoint is asked")
	browserFlags(c.Flags())
	return c
}

// examine runs the checks, but for that of the configuration which it is given, in the order in which they depend on each other, and goes as far as it can.
func examine(ctx context.Context, cfg *Config) []check {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	out := []check{checkStore(ctx, cfg), checkBrowser(cfg)}
	a, err := build(ctx, cfg, parts{})
	out = append(out, checked("plugins", "loaded", err))
	if err != nil {
		return out
	}
	defer a.close()
	out[len(out)-1].Note = fmt.Sprintf("%d plugins, %d tools", len(a.plugins), len(a.tools.Specs()))
	out = append(out, a.checkInstalled()...)
	_, err = a.single(ctx, agent.Task{Goal: "doctor"}, "browser.tabs", json.RawMessage(`{"op":"list"}`))
	out = append(out, checked("browser starts", "and answers", err))
	a.finished(agent.StatusSuccess)
	return append(out, a.checkModel(ctx))
}

func checked(name, note string, err error) check {
	if err != nil {
		return check{Name: name, Note: err.Error(), Fix: ports.FixOf(err)}
	}
	return check{Name: name, OK: true, Note: note}
}

func checkStore(ctx context.Context, cfg *Config) check {
	path := filepath.Join(cfg.DataDir, "wb.db")
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return checked("storage", "", err)
	}
	defer func() { _ = s.Close() }() // nothing was written
	_, err = s.Verify(ctx)
	return checked("storage", path, err)
}

func checkBrowser(cfg *Config) check {
	if cfg.Browser.Path != "auto" {
		return check{Name: "browser", OK: true, Note: cfg.Browser.Path}
	}
	path, err := cdp.Find()
	return checked("browser", path, err)
}

// checkModel asks the default endpoint for its list of models: address and key in one.
func (a *app) checkModel(ctx context.Context) check {
	e, err := a.config().endpoint("")
	if err != nil {
		return checked("model", "", err)
	}
	_, err = a.single(ctx, agent.Task{Goal: "doctor"}, "model.list", json.RawMessage(`{}`))
	return checked("model "+e.ID, e.BaseURL+" answers", err)
}

func report(checks []check, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(checks)
	}
	s := newScreen(os.Stdout)
	for _, c := range checks {
		sign := s.style(green, "ok  ")
		if !c.OK {
			sign = s.style(red, "FAIL")
		}
		fmt.Printf("%s %-16s %s\n", sign, c.Name, clean(c.Note, 300))
		if c.Fix != "" {
			fmt.Printf("     fix: %s\n", clean(c.Fix, 300))
		}
	}
	return nil
}
