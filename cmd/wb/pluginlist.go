package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

// listedPlugin is one line of the list.
type listedPlugin struct {
	ID        string        `json:"id"`
	Version   string        `json:"version"`
	Summary   string        `json:"summary"`
	Grants    []ports.Grant `json:"grants"` // effective
	Words     []string      `json:"grants_in_words"`
	Instances string        `json:"instances"`
	Source    string        `json:"source"`
	State     string        `json:"state"` // built in, installed, or refused
	Why       string        `json:"why,omitempty"`
	Fix       string        `json:"fix,omitempty"`
}

func pluginListCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the plugins, and what each may do", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			list, err := listPlugins(cfg)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(os.Stdout, list)
			}
			return printPlugins(list)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

// listPlugins compares the installed ones with their pins; it runs none.
func listPlugins(cfg *Config) ([]listedPlugin, error) {
	builtins, err := builtinPlugins()
	if err != nil {
		return nil, err
	}
	var out []listedPlugin
	for _, m := range builtins {
		out = append(out, listedOf(m, m.Grants, "wb", "built in"))
	}
	home, err := pluginHomeFor(cfg)
	if err != nil {
		return nil, err
	}
	lock, err := readLock(home.lock)
	if err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(lock.Plugins)) {
		p := lock.Plugins[id]
		b, err := home.read(id, p)
		if err == nil {
			err = checkID(id)
		}
		if err != nil {
			out = append(out, listedPlugin{ID: id, Version: p.Version, Grants: []ports.Grant{}, Words: []string{}, Source: p.Source, State: "refused", Why: err.Error(), Fix: ports.FixOf(err)})
			continue
		}
		out = append(out, listedOf(b.m, host.Both(b.m.Grants, p.Grants), p.Source, "installed"))
	}
	return out, nil
}

func listedOf(m host.Manifest, grants []ports.Grant, source, state string) listedPlugin {
	l := listedPlugin{ID: m.ID, Version: m.Version, Summary: m.Summary, Grants: grants, Words: inWords(grants), Instances: instancesOf(m), Source: source, State: state}
	if grants == nil {
		l.Grants, l.Words = []ports.Grant{}, []string{}
	}
	return l
}

func printPlugins(list []listedPlugin) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "PLUGIN\tVERSION\tSTATE\tINSTANCES\tSUMMARY\tMAY")
	for _, l := range list {
		may := joinWords(l.Grants)
		if l.Why != "" {
			may = l.Why + "; fix: " + l.Fix
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", l.ID, clean(l.Version, 30), l.State, l.Instances, clean(l.Summary, 60), clean(may, 400))
	}
	return w.Flush()
}
