package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"
)

func configCommand() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Show and check the configuration"}
	var asJSON bool
	show := &cobra.Command{
		Use: "show", Short: "Print every setting and where it comes from", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			return cfg.show(asJSON)
		},
	}
	show.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	check := &cobra.Command{
		Use: "check", Short: "Read every layer and say what is wrong", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			for _, l := range cfg.layers {
				fmt.Printf("%-14s %d settings\n", l.name, len(l.k.Keys()))
			}
			fmt.Println("ok")
			return nil
		},
	}
	c.AddCommand(show, check)
	return c
}

type setting struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// show prints the merged settings. Values of headers may be keys, so they are masked; secrets themselves
// are never in the configuration.
func (c *Config) show(asJSON bool) error {
	k, err := c.layers.merged()
	if err != nil {
		return err
	}
	keys := k.Keys()
	slices.Sort(keys)
	var out []setting
	for _, key := range keys {
		out = append(out, setting{key, masked(key, k.Get(key)), c.layers.origin(key)})
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(out)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, s := range out {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", s.Key, clean(fmt.Sprint(s.Value), 80), s.Origin)
	}
	return w.Flush()
}
