package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/secret"
)

func secretCommand() *cobra.Command {
	c := &cobra.Command{Use: "secret", Short: "Keep keys: they go to the endpoints they are bound to, and nowhere else"}
	var origins []string
	var inFile bool
	set := &cobra.Command{
		Use: "set NAME", Short: "Read a value from the terminal or stdin and keep it in the keyring, or with --file in a 0600 file", Args: cobra.ExactArgs(1),
		RunE: withSecrets(func(ctx context.Context, s *secret.Secrets, args []string) error {
			value, err := readSecret(args[0])
			if err != nil {
				return err
			}
			where := ""
			if inFile {
				where = secret.InFile
			}
			if err := s.Set(ctx, args[0], ports.Secret{Value: value, Origins: origins}, where); err != nil {
				return err
			}
			kept(ctx, s, args[0])
			return nil
		}),
	}
	set.Flags().StringArrayVar(&origins, "origin", nil, "origin it may be sent to (repeat; default: the base_url of the providers that name it)")
	set.Flags().BoolVar(&inFile, "file", false, "in a file rather than the keyring")
	list := &cobra.Command{Use: "list", Short: "List the names, never the values", Args: cobra.NoArgs,
		RunE: withSecrets(func(ctx context.Context, s *secret.Secrets, _ []string) error {
			entries, errs := s.List(ctx)
			for _, e := range entries {
				fmt.Printf("%-20s %-12s %s\n", e.Name, e.Source, strings.Join(e.Origins, " "))
			}
			for _, err := range errs { // a place that cannot be asked does not hide the others
				fmt.Fprintln(os.Stderr, "note:", clean(err.Error(), 300))
			}
			return nil
		})}
	del := &cobra.Command{Use: "delete NAME", Short: "Forget a secret", Args: cobra.ExactArgs(1),
		RunE: withSecrets(func(ctx context.Context, s *secret.Secrets, args []string) error { return s.Delete(ctx, args[0]) })}
	c.AddCommand(set, list, del)
	return c
}

// kept says where a secret lies now and where it may be sent.
func kept(ctx context.Context, s *secret.Secrets, name string) {
	n, _ := secret.Canonical(name) // it was just set
	entries, _ := s.List(ctx)
	for _, e := range entries {
		if e.Name != n || e.Source == secret.InEnv {
			continue
		}
		to := "is sent nowhere yet: no provider names it, bind it with --origin"
		if len(e.Origins) > 0 {
			to = "is sent only to " + strings.Join(e.Origins, " ")
		}
		fmt.Fprintf(os.Stderr, "%s is kept in the %s and %s\n", n, e.Source, to)
		return
	}
}

func withSecrets(f func(context.Context, *secret.Secrets, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		bind, err := cfg.bindings()
		if err != nil {
			return err
		}
		return f(cmd.Context(), cfg.secrets(bind), args)
	}
}

// secrets is where keys are looked for: environment, keyring, file.
func (c *Config) secrets(bind map[string][]string) *secret.Secrets {
	return secret.New(secret.Options{Env: os.LookupEnv, Environ: os.Environ, Keyring: true, File: filepath.Join(c.DataDir, "secrets.json"), Bind: bind})
}

// readSecret reads a value without echoing it.
func readSecret(name string) (string, error) {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintf(os.Stderr, "value of %s: ", name)
		b, err := term.ReadPassword(int(os.Stdin.Fd()))
		fmt.Fprintln(os.Stderr)
		return string(b), err
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", ports.NewError(ports.CodeUsage, fmt.Sprintf("no value: %v", err), "pipe it in, or type it on a terminal")
	}
	return line, nil
}
