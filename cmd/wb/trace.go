package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/sqlite"
)

func traceCommand() *cobra.Command {
	c := &cobra.Command{Use: "trace", Short: "Read the journal: what was asked, what happened, what came of it"}
	var asJSON bool
	var limit int
	list := &cobra.Command{Use: "list", Short: "List runs, the newest first", Args: cobra.NoArgs,
		RunE: withStore(func(ctx context.Context, s *sqlite.Store, _ []string) error { return listRuns(ctx, s, limit, asJSON) })}
	list.Flags().IntVar(&limit, "limit", 20, "how many")
	show := &cobra.Command{Use: "show RUN", Short: "Show a run as a tree of calls", Args: cobra.ExactArgs(1),
		RunE: withStore(func(ctx context.Context, s *sqlite.Store, args []string) error {
			return showRun(ctx, s, args[0], asJSON)
		})}
	export := &cobra.Command{Use: "export RUN", Short: "Print a run's records as NDJSON, values in full", Args: cobra.ExactArgs(1),
		RunE: withStore(func(ctx context.Context, s *sqlite.Store, args []string) error { return exportRun(ctx, s, args[0]) })}
	for _, sub := range []*cobra.Command{list, show} {
		sub.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	}
	c.AddCommand(list, show, export, pruneCommand())
	return c
}

// pruneCommand deletes what the retention no longer keeps, as the end of each run does, or more than that.
func pruneCommand() *cobra.Command {
	var runs int
	var age time.Duration
	c := &cobra.Command{Use: "prune", Short: "Delete the oldest finished runs beyond retention in the config, or beyond --runs and --age", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			keep := ports.Retention{Runs: cfg.Retention.Runs, Age: cfg.Retention.Age, Bytes: cfg.Retention.SizeMB << 20}
			if cmd.Flags().Changed("runs") {
				keep.Runs = runs
			}
			if cmd.Flags().Changed("age") {
				keep.Age = age
			}
			if keep.Runs < 0 || keep.Age < 0 {
				return ports.NewError(ports.CodeUsage, "--runs and --age cannot be negative", "0 does not bound")
			}
			return withStore(func(ctx context.Context, s *sqlite.Store, _ []string) error {
				gone, err := s.Prune(ctx, keep)
				if err == nil {
					fmt.Printf("%d runs deleted\n", gone)
				}
				return err
			})(cmd, args)
		}}
	c.Flags().IntVar(&runs, "runs", 0, "keep this many, the newest; 0 does not bound")
	c.Flags().DurationVar(&age, "age", 0, "keep those younger than this, such as 720h; 0 does not bound")
	return c
}

// withStore opens the journal for a command that only reads it.
func withStore(f func(context.Context, *sqlite.Store, []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := configFor(cmd)
		if err != nil {
			return err
		}
		s, err := sqlite.Open(cmd.Context(), filepath.Join(cfg.DataDir, "wb.db"), sqlite.Options{})
		if err != nil {
			return err
		}
		defer func() { _ = s.Close() }() // nothing was written
		return f(cmd.Context(), s, args)
	}
}

func listRuns(ctx context.Context, s *sqlite.Store, limit int, asJSON bool) error {
	runs, err := s.Runs(ctx, limit)
	if err != nil {
		return err
	}
	if asJSON {
		for i := range runs { // the transcript is not part of a list
			runs[i].State, runs[i].Spec = nil, nil
		}
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(runs)
	}
	if len(runs) == 0 {
		fmt.Println(`no runs yet; make one with: wb run "…"`)
		return nil
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, r := range runs {
		took := ""
		if !r.Ended.IsZero() {
			took = r.Ended.Sub(r.Started).Round(100 * time.Millisecond).String()
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", r.ID, r.Status, r.Started.Local().Format("2006-01-02 15:04"), took, clean(r.Goal, 60))
	}
	return w.Flush()
}

func showRun(ctx context.Context, s *sqlite.Store, run string, asJSON bool) error {
	r, err := s.Run(ctx, run)
	if err != nil {
		return err
	}
	tree, err := journal.Replay(ctx, s, run)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(os.Stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(map[string]any{"run": r.ID, "goal": r.Goal, "status": r.Status, "started": r.Started, "ended": r.Ended, "calls": tree})
	}
	fmt.Printf("%s  %s\n%s\n\n", r.ID, r.Status, clean(r.Goal, 2000))
	for _, n := range tree {
		if err := printNode(ctx, s, n, 0); err != nil {
			return err
		}
	}
	return nil
}

// printNode prints one call: when, how it ended, who asked, what, and the start of what came of it.
func printNode(ctx context.Context, s *sqlite.Store, n *journal.Node, depth int) error {
	status := n.Status
	if status == "" {
		status = "open"
	}
	if n.Code != "" {
		status += " " + n.Code
	}
	took := ""
	if !n.Ended.IsZero() {
		took = n.Ended.Sub(n.At).Round(time.Millisecond).String()
	}
	args, err := journal.ArgsOf(ctx, s, n.Record)
	if err != nil {
		return err
	}
	fmt.Printf("%s%s %s [%s] %s  %s\n", strings.Repeat("  ", depth), n.At.Local().Format("15:04:05.000"), n.Tool, n.From, status+" "+took, clean(string(args), 120))
	if n.Text != "" {
		fmt.Printf("%s    %s\n", strings.Repeat("  ", depth), clean(n.Text, 200))
	}
	for _, c := range n.Children {
		if err := printNode(ctx, s, c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// exportRun prints records with their blobs put back.
func exportRun(ctx context.Context, s *sqlite.Store, run string) error {
	if _, err := s.Run(ctx, run); err != nil {
		return err
	}
	enc := json.NewEncoder(os.Stdout)
	enc.SetEscapeHTML(false)
	return journal.Each(ctx, s, run, 0, func(r ports.Record) error {
		args, err := journal.ArgsOf(ctx, s, r)
		if err != nil {
			return err
		}
		res, err := journal.ResultOf(ctx, s, r)
		if err != nil {
			return err
		}
		r.Args, r.ArgsBlob = args, ""
		return enc.Encode(struct {
			ports.Record
			Result ports.Result `json:"result"`
		}{r, res})
	})
}
