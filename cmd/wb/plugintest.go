package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel"
	"github.com/wb-agent/wb/ports"
)

func pluginTestCommand() *cobra.Command {
	return &cobra.Command{
		Use: "test [DIR]", Short: "Run a plugin's tests, then start it in the real sandbox and check its tools", Args: cobra.MaximumNArgs(1),
		Long: `Test runs go test and builds the plugin if it is a Go program, then loads the module as it would be after
wb plugin add with all its grants, lists its tools and checks their names and schemas.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			return testPlugin(cmd.Context(), cfg, dirOf(args))
		},
	}
}

func testPlugin(ctx context.Context, cfg *Config, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); !errors.Is(err, fs.ErrNotExist) {
		if err := goTool(ctx, dir, nil, "test", "./..."); err != nil {
			return err
		}
		if _, _, err := buildPlugin(ctx, dir); err != nil {
			return err
		}
	}
	b, err := openSource(ctx, dir, nil)
	if err != nil {
		return err
	}
	if err := checkID(b.m.ID); err != nil {
		return err
	}
	s, err := newSandbox(ctx, cfg)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	specs, err := s.specs(ctx, b, b.m.Grants)
	if err != nil {
		return err
	}
	var reg kernel.Registry
	for _, spec := range specs {
		if err := reg.Add(b.m.ID, kernel.Func(spec, nil)); err != nil {
			return err
		}
		if err := checkOutput(spec); err != nil {
			return err
		}
		fmt.Printf("ok  %-24s %-9s %s\n", spec.Name, spec.Risk, clean(spec.Description, 70))
	}
	fmt.Printf("%s %s: %d tools; it may:\n%s", b.m.ID, clean(b.m.Version, 30), len(specs), wordLines(b.m.Grants))
	return nil
}

func checkOutput(s ports.Spec) error {
	if len(s.Output) == 0 {
		return nil
	}
	if _, err := kernel.Validator(s.Output); err != nil {
		return &ports.Error{Code: ports.CodeUsage, Msg: "tool " + s.Name + ": output", Err: err, Fix: "correct its output schema"}
	}
	return nil
}
