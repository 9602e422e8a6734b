package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

// inspection is what can be known of a plugin without trusting it.
type inspection struct {
	host.Manifest
	Source  string       `json:"source"`
	Size    int          `json:"size,omitempty"` // bytes of the module
	Words   []string     `json:"grants_in_words"`
	Imports []string     `json:"imports,omitempty"`
	Guard   string       `json:"guard"` // "accepted", or why it is refused
	Tools   []ports.Spec `json:"tools"`
	Error   string       `json:"error,omitempty"` // why its tools are not known
}

func pluginInspectCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "inspect FILE|DIR|URL|ID", Short: "Show what a plugin is, asks for and offers, without adding it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			in, err := inspect(cmd.Context(), cfg, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				err = writeJSON(os.Stdout, in)
			} else {
				in.print(os.Stdout)
			}
			if err == nil && (in.Error != "" || in.Guard != guardOK) {
				return exit(exitFailed)
			}
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON, with the tools' schemas")
	return c
}

const guardOK = "accepted"

// inspect looks at a built-in or installed plugin by its id, else at files.
func inspect(ctx context.Context, cfg *Config, what string) (inspection, error) {
	s, err := newSandbox(ctx, cfg)
	if err != nil {
		return inspection{}, err
	}
	defer s.close(ctx)
	if pluginID.MatchString(what) {
		in, err := s.known(ctx, cfg, what)
		if _, e := os.Stat(what); e != nil || ports.CodeOf(err) != ports.CodeUsage {
			return in, err // a folder of that name counts where no plugin has it
		}
	}
	if filepath.Ext(what) == ".wasm" && !strings.Contains(what, "://") {
		return s.bare(ctx, what)
	}
	b, err := openSource(ctx, what, nil)
	if err != nil {
		return inspection{}, err
	}
	return s.look(ctx, b, b.m.Grants), nil
}

// known looks at a plugin that wb has.
func (s *sandbox) known(ctx context.Context, cfg *Config, id string) (inspection, error) {
	list, err := builtinPlugins()
	if err != nil {
		return inspection{}, err
	}
	for _, m := range list {
		if m.ID == id {
			in := inspection{Manifest: m, Source: "built in", Words: inWords(m.Grants), Guard: guardOK}
			in.Tools, err = s.builtin(ctx, m)
			return in, err
		}
	}
	b, p, err := installedBundle(cfg, id)
	if err != nil {
		return inspection{}, err
	}
	in := s.look(ctx, b, p.Grants)
	in.Words = inWords(host.Both(b.m.Grants, p.Grants))
	return in, nil
}

func installedBundle(cfg *Config, id string) (bundle, pin, error) {
	home, err := pluginHomeFor(cfg)
	if err != nil {
		return bundle{}, pin{}, err
	}
	lock, err := readLock(home.lock)
	if err != nil {
		return bundle{}, pin{}, err
	}
	p, ok := lock.Plugins[id]
	if !ok {
		return bundle{}, p, ports.NewError(ports.CodeUsage, fmt.Sprintf("no plugin %q", id), "`wb plugin list` shows what there is; or name a file or folder")
	}
	b, err := home.read(id, p)
	return b, p, err
}

// look starts the plugin where nobody answers its calls.
func (s *sandbox) look(ctx context.Context, b bundle, granted []ports.Grant) inspection {
	in := inspection{Manifest: b.m, Source: b.source, Size: len(b.entry), Words: inWords(b.m.Grants), Guard: guardOK}
	var err error
	if in.Imports, err = wasmImports(b.entry); err != nil {
		in.Error = err.Error()
	}
	in.Tools, err = s.specs(ctx, b, granted)
	switch {
	case ports.CodeOf(err) == ports.CodeBadModule:
		in.Guard = err.Error()
	case err != nil:
		in.Error = err.Error()
	}
	return in
}

// bare looks at a module that has no plugin.json beside it.
func (s *sandbox) bare(ctx context.Context, file string) (inspection, error) {
	f, err := os.Open(file)
	if err != nil {
		return inspection{}, missing(file, "file there", err)
	}
	defer f.Close() // only read from
	code, err := readAtMost(f, file, maxPlugin)
	if err != nil {
		return inspection{}, err
	}
	m := host.Manifest{ID: "unnamed", Runtime: "wasm", Entry: filepath.Base(file), SHA256: hashOf(code), Summary: "a module without plugin.json"}
	return s.look(ctx, bundle{m: m, entry: code, source: file}, nil), nil
}

func (in inspection) print(w io.Writer) {
	p := func(name, value string) { _, _ = fmt.Fprintf(w, "%-10s %s\n", name, clean(value, 500)) }
	p("id", in.ID+" "+in.Version)
	p("summary", in.Summary)
	p("source", in.Source)
	p("runtime", fmt.Sprintf("%s, abi %d, instances %s", in.Runtime, in.ABI, instancesOf(in.Manifest)))
	if in.Size > 0 {
		p("module", fmt.Sprintf("%s, %d KB", in.Entry, in.Size>>10))
		p("sha256", in.SHA256)
		p("imports", strings.Join(in.Imports, " "))
	}
	p("guard", in.Guard)
	words := in.Words
	if len(words) == 0 {
		words = []string{noGrants}
	}
	for i, line := range words {
		p([]string{"may", ""}[min(i, 1)], line)
	}
	if in.Error != "" {
		p("error", in.Error)
	}
	for _, t := range in.Tools {
		_, _ = fmt.Fprintf(w, "\n%s (%s; %s)\n  %s\n  in:  %s\n", t.Name, t.Risk, joined(t.Modes, "not for models"), clean(t.Description, 500), clean(string(t.Input), 2000))
		if len(t.Output) > 0 {
			_, _ = fmt.Fprintf(w, "  out: %s\n", clean(string(t.Output), 2000))
		}
	}
}

// instancesOf is which calls share an instance, the default spelled out.
func instancesOf(m host.Manifest) string {
	if mode := m.Config(nil).Instances; mode != "" {
		return string(mode)
	}
	return string(host.Pool)
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
