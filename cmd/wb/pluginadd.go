package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

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

// proposal is what a person is asked about.
type proposal struct {
	bundle
	old, next pin
	known     bool          // old is there
	more      []ports.Grant // what next grants beyond old
}

// add checks a plugin in every way before it asks, and writes only after that. It says what it did.
func (a adder) add(ctx context.Context, from string) (string, error) {
	home, err := pluginHomeFor(a.cfg)
	if err != nil {
		return "", err
	}
	p, err := a.propose(ctx, home, from)
	if err != nil {
		return "", err
	}
	if a.nothingNew(home, p) {
		return fmt.Sprintf("%s %s is there already", p.m.ID, clean(p.m.Version, 30)), nil
	}
	tools, err := a.try(ctx, p.bundle, p.next.Grants)
	if err != nil {
		return "", err
	}
	a.show(p, tools)
	if err := a.agree(ctx, p); err != nil {
		return "", err
	}
	if err := home.put(p.bundle, p.next); err != nil {
		return "", err
	}
	return fmt.Sprintf("added %s %s: %d tools", p.m.ID, clean(p.m.Version, 30), len(tools)), nil
}

// propose reads the plugin and what is pinned of it.
func (a adder) propose(ctx context.Context, home pluginHome, from string) (p proposal, err error) {
	if p.bundle, err = openSource(ctx, from, a.flags.origins); err != nil {
		return p, err
	}
	if err := checkID(p.m.ID); err != nil {
		return p, err
	}
	lock, err := readLock(home.lock)
	if err != nil {
		return p, err
	}
	p.old, p.known = lock.Plugins[p.m.ID]
	key, err := checkSignature(p.bundle, a.flags.key, p.old.Key)
	if err != nil {
		return p, err
	}
	granted, err := pick(p.m.Grants, a.flags.grants)
	if err != nil {
		return p, err
	}
	p.next = pin{Version: p.m.Version, Manifest: hashOf(p.manifest), Entry: hashOf(p.entry), Grants: granted, Source: p.source, Key: key}
	p.more = wider(p.old.Grants, granted)
	return p, nil
}

// nothingNew reports whether the plugin runs already, with these grants.
func (a adder) nothingNew(home pluginHome, p proposal) bool {
	same := p.known && p.old.Manifest == p.next.Manifest && p.old.Entry == p.next.Entry && p.old.Key == p.next.Key &&
		len(p.more) == 0 && len(wider(p.next.Grants, p.old.Grants)) == 0
	if !same {
		return false
	}
	_, err := home.read(p.m.ID, p.old)
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
func (a adder) show(p proposal, tools []ports.Spec) {
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }
	say("%s %s: %s\n", p.m.ID, clean(p.m.Version, 30), clean(p.m.Summary, 200))
	say("from %s\n", clean(p.source, 300))
	if p.known {
		say("instead of %s from %s\n", clean(p.old.Version, 30), clean(p.old.Source, 300))
	}
	if p.sig != nil && p.next.Key == "" {
		say("signed, but not checked: give the author's key with --key\n")
	}
	for _, t := range tools {
		say("  tool %-24s %-9s %s\n", t.Name, t.Risk, clean(t.Description, 100))
	}
	say("it may:\n%s", wordLines(host.Both(p.m.Grants, p.next.Grants)))
	if p.known && len(p.more) > 0 {
		say("NEW, not granted before:\n%s", wordLines(p.more))
	}
}

// agree asks once. Without a person, --yes is enough for what is new here, and for an update that may do
// nothing new; a wider grant has to be named.
func (a adder) agree(ctx context.Context, p proposal) error {
	if a.flags.yes && p.known && len(p.more) > 0 && len(a.flags.grants) == 0 {
		return ports.NewError(ports.CodeNeedsUser, fmt.Sprintf("plugin %s wants more than you granted it: %s", p.m.ID, joinWords(p.more)),
			"say which with --grant, or answer on a terminal, without --yes")
	}
	if a.flags.yes {
		return nil
	}
	ans, err := a.asker.Ask(ctx, ports.Question{Kind: ports.AskPermission, Text: "Add " + p.m.ID + "?", Options: []string{"add it", "leave it"}})
	if ports.CodeOf(err) == ports.CodeNeedsUser {
		return ports.NewError(ports.CodeNeedsUser, "plugin "+p.m.ID+": nobody is here to agree to what it may do", "read the list above, then run it on a terminal or with --yes")
	}
	if err != nil {
		return err
	}
	if ans.Choice == "add it" || strings.EqualFold(ans.Text, "y") || strings.EqualFold(ans.Text, "yes") {
		return nil
	}
	return ports.NewError(ports.CodeRefused, "plugin "+p.m.ID+" was not added", "answer 1 to add it")
}
