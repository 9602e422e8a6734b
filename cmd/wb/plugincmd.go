package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/plugins"
	"github.com/wb-agent/wb/ports"
)

func pluginCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "plugin", Short: "Write, build, try, add and remove plugins",
		Long: `A plugin is a program that runs in a sandbox and may call only what a person granted it.

Added plugins lie in the data folder, each pinned by its hash in plugins.lock next to them: one whose files
have changed is not run until it is added again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(pluginNewCommand(), pluginBuildCommand(), pluginTestCommand(), pluginInspectCommand(), pluginListCommand(),
		pluginAddCommand(), pluginRemoveCommand())
	return c
}

// builtinPlugins lists what comes with wb.
func builtinPlugins() ([]host.Manifest, error) { return host.ParseBuiltins(plugins.Builtins()) }

// checkID refuses the ids of built-ins, and those that mean somebody else.
func checkID(id string) error {
	list, err := builtinPlugins()
	if err != nil {
		return err
	}
	if slices.Contains(reservedIDs, id) || slices.ContainsFunc(list, func(m host.Manifest) bool { return m.ID == id }) {
		return takenID(id)
	}
	return nil
}

// sandbox runs plugins outside of wb's app: nobody answers their calls.
type sandbox struct {
	rt   *host.Runtime
	open []*host.Plugin
}

func newSandbox(ctx context.Context, cfg *Config) (*sandbox, error) {
	rt, err := host.New(ctx, host.Options{CacheDir: filepath.Join(cfg.CacheDir, "wasm")})
	if err != nil {
		return nil, err
	}
	return &sandbox{rt: rt}, nil
}

// specs starts the plugin and lists its tools as the registry would see them under these grants.
func (s *sandbox) specs(ctx context.Context, b bundle, granted []ports.Grant) ([]ports.Spec, error) {
	p, err := s.rt.Open(ctx, b.m, b.entry, granted)
	if err != nil {
		return nil, err
	}
	s.open = append(s.open, p)
	return p.Specs(ctx)
}

// builtin does the same for a built-in.
func (s *sandbox) builtin(ctx context.Context, m host.Manifest) ([]ports.Spec, error) {
	bin, err := plugins.Module()
	if err != nil {
		return nil, err
	}
	mod, err := s.rt.LoadBuiltins(ctx, bin)
	if err != nil {
		return nil, err
	}
	p, err := mod.Plugin(m.Config(m.Grants))
	if err != nil {
		return nil, err
	}
	s.open = append(s.open, p)
	return p.Specs(ctx)
}

func (s *sandbox) close(ctx context.Context) {
	for _, p := range s.open {
		p.Close()
	}
	_ = s.rt.Close(context.WithoutCancel(ctx)) // nothing is left to do about it
}

// printWords prints grants as a list under a heading.
func wordLines(grants []ports.Grant) string {
	if len(grants) == 0 {
		return "  - " + noGrants + "\n"
	}
	out := ""
	for _, w := range inWords(grants) {
		out += fmt.Sprintf("  - %s\n", w)
	}
	return out
}
