package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
)

func callCommand() *cobra.Command {
	var url string
	var asJSON bool
	c := &cobra.Command{
		Use:   `call TOOL ['{"json":"arguments"}']`,
		Short: "Run one tool through the same door as a model",
		Long: `Call runs one tool and prints its result. With --url a browser opens that page first.
What it may write to follows the rules of wb run: the origins of --url, --allow-origin and the policy file.`,
		Example: `  wb call read_page --url https://example.org
  wb call click_ax '{"ref_id":"e3"}' --url http://localhost:8000`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			origins, err := cmd.Flags().GetStringArray("allow-origin")
			if err != nil {
				return err
			}
			t := agent.Task{Goal: "one call of " + args[0], URL: url, Origins: origins}
			if err := checkTask(&t, ""); err != nil {
				return err
			}
			input := json.RawMessage("{}")
			if len(args) == 2 {
				if input = json.RawMessage(args[1]); !json.Valid(input) {
					return ports.NewError(ports.CodeUsage, "the arguments are not JSON", `give one JSON object in single quotes, such as '{"text":"x"}'`)
				}
			}
			a, err := build(cmd.Context(), cfg, parts{asker: askerFor(os.Stdin, os.Stderr)})
			if err != nil {
				return err
			}
			defer a.close()
			res, err := a.single(cmd.Context(), t, args[0], input)
			a.finished(agent.StatusSuccess)
			if err != nil {
				return err
			}
			return printResult(res, asJSON)
		},
	}
	fl := c.Flags()
	fl.StringVar(&url, "url", "", "page to open first")
	fl.BoolVar(&asJSON, "json", false, "print the whole result as JSON")
	fl.StringArray("allow-origin", nil, "origin that may be written to (repeat)")
	fl.String("policy", "", "policy file")
	browserFlags(fl)
	return c
}

// single runs one tool in a run of its own.
func (a *app) single(ctx context.Context, t agent.Task, tool string, args json.RawMessage) (ports.Result, error) {
	run := newID()
	if err := a.beginRun(ctx, run, ports.Call{}, t); err != nil {
		return ports.Result{}, err
	}
	defer a.endRun(run)
	c := ports.Call{Run: run, From: ports.FromUser, Mode: ports.ModeAct}
	if t.URL != "" {
		c.Tool, c.Args = "browser.nav", ports.JSON(map[string]string{"url": t.URL})
		if _, err := a.kernel.Call(ctx, c); err != nil {
			return ports.Result{}, err
		}
	}
	c.Tool, c.Args = tool, args
	return a.kernel.Call(ctx, c)
}

// printResult prints what a person or a program wants of a result. A picture is saved to a file when
// stdout is not asked for JSON.
func printResult(res ports.Result, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(res); err != nil {
			return err
		}
	} else if err := printContent(res); err != nil {
		return err
	}
	if res.IsError {
		return exit(exitFailed)
	}
	if r, ok := ports.ReceiptOf(res); ok && r.Verdict != ports.VerdictDone {
		return exit(exitPartial)
	}
	return nil
}

func printContent(res ports.Result) error {
	for _, c := range res.Content {
		switch {
		case c.Type == "text":
			fmt.Println(c.Text)
		case len(c.Data) > 0:
			f, err := os.CreateTemp("", "wb-*"+extensionOf(c.MIME))
			if err != nil {
				return err
			}
			if _, err := f.Write(c.Data); err != nil {
				return err
			}
			if err := f.Close(); err != nil {
				return err
			}
			fmt.Printf("%s, %d bytes: %s\n", c.MIME, len(c.Data), f.Name())
		}
	}
	if len(res.Content) == 0 && len(res.Data) > 0 {
		fmt.Println(string(res.Data))
	}
	return nil
}

func extensionOf(mime string) string {
	switch mime {
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	}
	return ".bin"
}
