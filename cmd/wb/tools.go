package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
)

func toolsCommand() *cobra.Command {
	var asJSON, all bool
	c := &cobra.Command{
		Use: "tools [NAME]", Short: "List the live tools: risk, modes, tiers, owner, schema", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			a, err := build(cmd.Context(), cfg, parts{})
			if err != nil {
				return err
			}
			defer a.close()
			specs := a.tools.Specs()
			if len(args) == 1 {
				s, ok := a.tools.Spec(args[0])
				if !ok {
					return ports.NewError(ports.CodeUnknownTool, fmt.Sprintf("no tool %q", args[0]), "`wb tools --all` lists them")
				}
				specs, all, asJSON = []ports.Spec{s}, true, true
			}
			return printTools(specs, asJSON, all)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print specs with their schemas as JSON")
	c.Flags().BoolVar(&all, "all", false, "host primitives too")
	return c
}

func printTools(specs []ports.Spec, asJSON, all bool) error {
	shown := specs[:0:0]
	for _, s := range specs {
		if all || asJSON || !s.Primitive() {
			shown = append(shown, s)
		}
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(shown)
	}
	what := 70
	if s := newScreen(os.Stdout); s.live {
		what = min(what, max(14, s.width-65)) // what the other columns leave
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "TOOL\tRISK\tMODES\tTIERS\tOWNER\tWHAT")
	for _, s := range shown {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", s.Name, s.Risk, joined(s.Modes, "-"), joined(s.Tiers, "all"), s.Owner, clean(s.Description, what))
	}
	return w.Flush()
}

func joined[T ~string](vs []T, none string) string {
	if len(vs) == 0 {
		return none
	}
	parts := make([]string, len(vs))
	for i, v := range vs {
		parts[i] = string(v)
	}
	return strings.Join(parts, " ")
}
