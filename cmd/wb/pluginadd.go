package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/host"
	"github.com/wb-agent/wb/ports"
)

// addFlags say what to install and how much of it is agreed to beforehand.
type addFlags struct {
	yes     bool
	grants  []string
	origins []string
	key     string
}

func pluginAddCommand() *cobra.Command {
	var f addFlags
	c := &cobra.Command{
		Use: "add FILE|URL", Short: "Add a plugin: shows what it may do, asks once, and pins it by its hash", Args: cobra.ExactArgs(1),
		Long: `Add takes a plugin.json, its folder, a .zip or .tar.gz of it, or an https address of one of these. It shows
in words what the plugin may do, asks once, and pins the hashes of its files.

Adding it again updates it: a change is asked about, and with --yes alone only as long as the plugin may do
nothing that was not granted before; what is new has to be named with --grant.`,
		Example: `  wb plugin add ./my-plugin
  wb plugin add https://example.org/plugins/notes.zip --grant kv.* --grant http.fetch@https://api.example.org
  wb plugin add notes.zip --yes --key 'MCowBQ…'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			a := adder{flags: f, cfg: cfg, asker: askerFor(os.Stdin, os.Stderr), out: os.Stderr}
			did, err := a.add(cmd.Context(), args[0])
			if err == nil {
				fmt.Println(did)
			}
			return err
		},
	}
	fl := c.Flags()
	fl.BoolVar(&f.yes, "yes", false, "do not ask")
	fl.StringArrayVar(&f.grants, "grant", nil, "grant only this of what it asks: TOOL, FAMILY.*, TOOL@ORIGIN or none (repeat)")
	fl.StringArrayVar(&f.origins, "allow-origin", nil, "origin that the address may redirect to (repeat)")
	fl.StringVar(&f.key, "key", "", "Ed25519 public key, in base64, that plugin.json.sig must be made with")
	return c
}

// adder adds one plugin.
type adder struct {
	flags addFlags
	cfg   *Config
	asker ports.Asker
	out   io.Writer // where a person reads
}

// add checks a plugin in every way before it asks, and writes only after that. It says what it did.
func (a adder) add(ctx context.Context, from string) (string, error) {
	b, err := openSource(ctx, from, a.flags.origins)
	if err != nil {
		return "", err
	}
	if err := checkID(b.m.ID); err != nil {
		return "", err
	}
	home, err := pluginHomeFor(a.cfg)
	if err != nil {
		return "", err
	}
	lock, err := readLock(home.lock)
	if err != nil {
		return "", err
	}
	old, known := lock.Plugins[b.m.ID]
	key, err := checkSignature(b, a.flags.key, old.Key)
	if err != nil {
		return "", err
	}
	granted, err := pick(b.m.Grants, a.flags.grants)
	if err != nil {
		return "", err
	}
	next := pin{Version: b.m.Version, Manifest: hashOf(b.manifest), Entry: hashOf(b.entry), Grants: granted, Source: b.source, Key: key}
	more := wider(old.Grants, granted)
	if known && old.Manifest == next.Manifest && old.Entry == next.Entry && old.Key == key && len(more) == 0 && a.intact(home, b.m.ID, old) && (len(a.flags.grants) == 0 || len(wider(granted, old.Grants)) == 0) {
		return fmt.Sprintf("%s %s is there already", b.m.ID, clean(b.m.Version, 30)), nil
	}
	tools, err := a.try(ctx, b, granted)
	if err != nil {
		return "", err
	}
	a.show(b, old, known, granted, more, tools)
	if err := a.agree(ctx, b.m.ID, known, more); err != nil {
		return "", err
	}
	if err := home.put(b, next); err != nil {
		return "", err
	}
	return fmt.Sprintf("added %s %s: %d tools", b.m.ID, clean(b.m.Version, 30), len(tools)), nil
}

func (a adder) intact(home pluginHome, id string, p pin) bool {
	_, err := home.read(id, p)
	return err == nil
}

// try starts the plugin beside all others and lists its tools: a module that the guard refuses, a schema
// that is none and a tool's name that another plugin has are found before anything is asked or written.
func (a adder) try(ctx context.Context, b bundle, granted []ports.Grant) ([]ports.Spec, error) {
	w, err := build(ctx, a.cfg, parts{})
	if err != nil {
		return nil, err
	}
	defer w.close()
	p, err := w.runtime.Open(ctx, b.m, b.entry, granted)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	w.tools.Drop(b.m.ID) // of the version that it replaces
	if err := w.addTools(ctx, b.m.ID, p); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(w.tools.Specs(), func(s ports.Spec) bool { return s.Owner != b.m.ID }), nil
}

// show tells a person what they are asked about.
func (a adder) show(b bundle, old pin, known bool, granted, more []ports.Grant, tools []ports.Spec) {
	p := func(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }
	p("%s %s: %s\n", b.m.ID, clean(b.m.Version, 30), clean(b.m.Summary, 200))
	p("from %s\n", clean(b.source, 300))
	if known {
		p("instead of %s from %s\n", clean(old.Version, 30), clean(old.Source, 300))
	}
	if b.sig != nil && a.flags.key == "" && old.Key == "" {
		p("signed, but not checked: give the author's key with --key\n")
	}
	for _, t := range tools {
		p("  tool %-24s %-9s %s\n", t.Name, t.Risk, clean(t.Description, 100))
	}
	p("it may:\n%s", wordLines(host.Both(b.m.Grants, granted)))
	if known && len(more) > 0 {
		p("NEW, not granted before:\n%s", wordLines(more))
	}
}

// agree asks once. Without a person, --yes is enough for what is new here, and for an update that may do
// nothing new; a wider grant has to be named.
func (a adder) agree(ctx context.Context, id string, known bool, more []ports.Grant) error {
	if a.flags.yes && known && len(more) > 0 && len(a.flags.grants) == 0 {
		return ports.NewError(ports.CodeNeedsUser, fmt.Sprintf("plugin %s wants more than you granted it: %s", id, joinWords(more)),
			"say which with --grant, or answer on a terminal, without --yes")
	}
	if a.flags.yes {
		return nil
	}
	ans, err := a.asker.Ask(ctx, ports.Question{Kind: ports.AskPermission, Text: "Add " + id + "?", Options: []string{"add it", "leave it"}})
	if ports.CodeOf(err) == ports.CodeNeedsUser {
		return ports.NewError(ports.CodeNeedsUser, "plugin "+id+": nobody is here to agree to what it may do", "read the list above, then run it on a terminal or with --yes")
	}
	if err != nil {
		return err
	}
	if ans.Choice != "add it" {
		return ports.NewError(ports.CodeRefused, "plugin "+id+" was not added", "")
	}
	return nil
}
