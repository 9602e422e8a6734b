package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/kernel/guard"
	"github.com/wb-agent/wb/ports"
)

// runFlags are the flags of wb run that are not settings.
type runFlags struct {
	url, provider, model, schema, resume string
	json                                 bool
}

func runCommand() *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   `run "TASK"`,
		Short: "Do a task in a headless browser",
		Long: `Run does a task in a browser of its own and exits.

Exit codes: 0 success, 1 failed, 2 usage or config, 3 partial, 4 refused by policy or needs a person.

A run reads anywhere. It writes (clicks, types, submits) only to the origins of --url, of the addresses in
the task's text, of --allow-origin, and of the policy file. What is hard to undo is refused unless the
policy file allows it:

    origins: [https://shop.example]
    allow:
      - {origin: https://shop.example, do: [pay, delete]}`,
		Example: `  wb run "What is the newest release?" --url https://example.org --mode ask
  wb run "Order two teapots for Ada" --url http://localhost:8000 --json
  echo "Order two teapots for Ada" | wb run - --url http://localhost:8000
  wb run --resume RUN     # its id is in the first line of a run, and in wb trace list`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTask(cmd.Context(), cmd, f, strings.Join(args, ""))
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.url, "url", "", "page to start on")
	fl.String("mode", "", "ask (read only), act or dev")
	fl.StringVar(&f.provider, "provider", "", "provider entry of the config")
	fl.StringVar(&f.model, "model", "", "model, instead of the provider's")
	fl.BoolVar(&f.json, "json", false, "print events as NDJSON, and nothing else, on stdout")
	fl.StringVar(&f.schema, "output-schema", "", "file with a JSON Schema of the result")
	fl.Int("max-steps", 0, "model turns")
	fl.Duration("timeout", 0, "of the whole run, such as 10m")
	fl.StringVar(&f.resume, "resume", "", "run to pick up again")
	browserFlags(fl)
	fl.StringArray("allow-origin", nil, "origin that may be written to (repeat)")
	fl.String("policy", "", "policy file")
	return c
}

// browserFlags are those of every command that opens a browser.
func browserFlags(fl *pflag.FlagSet) {
	fl.Bool("headed", false, "show the browser")
	fl.String("browser", "", "auto, a file, or ws://… of one that is running")
	fl.String("profile", "", "profile folder to use and keep")
}

// settings maps flags to the settings they set.
var settings = map[string]string{"mode": "mode", "max-steps": "max_steps", "timeout": "timeout", "headed": "browser.headed",
	"browser": "browser.path", "profile": "browser.profile", "policy": "policy", "provider": "provider", "listen": "listen"}

// configFor loads the configuration for a command with the flags that were set.
func configFor(cmd *cobra.Command) (*Config, error) {
	set := map[string]any{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if key, ok := settings[f.Name]; ok {
			set[key] = f.Value.String()
		}
	})
	file, err := cmd.Flags().GetString("config")
	if err != nil {
		return nil, err
	}
	return loadConfig(file, set)
}

func runTask(ctx context.Context, cmd *cobra.Command, f runFlags, goal string) error {
	cfg, err := configFor(cmd)
	if err != nil {
		return err
	}
	allowed, err := cmd.Flags().GetStringArray("allow-origin")
	if err != nil {
		return err
	}
	if goal == "-" {
		b, err := io.ReadAll(io.LimitReader(os.Stdin, 100_000))
		if err != nil {
			return err
		}
		goal = strings.TrimSpace(string(b))
	}
	task := agent.Task{Goal: goal, URL: f.url, Mode: ports.Mode(cfg.Mode), Provider: cfg.Provider, Model: f.model,
		MaxTurns: cfg.MaxSteps, TimeoutMS: int(cfg.Timeout.Milliseconds()), Resume: f.resume, Origins: allowed}
	if f.resume != "" && goal != "" {
		return ports.NewError(ports.CodeUsage, "--resume goes on with the run's own task", "leave the task out")
	}
	if f.resume != "" && !cmd.Flags().Changed("max-steps") {
		task.MaxTurns = 0
	}
	if err := checkTask(&task, f.schema); err != nil {
		return err
	}
	if _, err := policyFor(cfg, task); err != nil {
		return err // before anything is started
	}
	var asker ports.Asker = nobody{}
	if !f.json {
		asker = askerFor(os.Stdin, os.Stderr)
	}
	a, err := build(ctx, cfg, parts{asker: asker, resume: f.resume})
	if err != nil {
		return err
	}
	defer a.close()
	if err := a.checkKey(ctx, task); err != nil {
		return err
	}
	s := newScreen(os.Stdout)
	show := s.event
	if f.json {
		show = asLines(os.Stdout)
	}
	out, err := a.runTask(ctx, task, show)
	if err != nil {
		return err
	}
	a.finished(out.Status)
	if !f.json {
		s.end(out)
	}
	return outcomeExit(out)
}

// checkKey misses the key of a new run's endpoint before a browser is started for nothing.
func (a *app) checkKey(ctx context.Context, t agent.Task) error {
	e, err := a.config().endpoint(t.Provider)
	if err != nil || e.Secret == "" || t.Resume != "" {
		return nil // the run itself says what is wrong with its provider
	}
	if _, err := a.secrets.Secret(ctx, e.Secret); err != nil {
		return &ports.Error{Code: ports.CodeUsage, Msg: "provider " + e.ID, Err: err}
	}
	return nil
}

// asLines writes events for a program.
func asLines(w io.Writer) func(ports.Event) {
	var mu sync.Mutex
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return func(e ports.Event) {
		mu.Lock()
		defer mu.Unlock()
		_ = enc.Encode(e) // a reader that has gone stops the run by SIGPIPE
	}
}

// checkTask refuses what cannot work before anything is started.
func checkTask(t *agent.Task, schemaFile string) error {
	if t.Resume == "" && strings.TrimSpace(t.Goal) == "" {
		return ports.NewError(ports.CodeUsage, "the task is empty", `say what to do: wb run "…" --url …`)
	}
	if t.URL != "" && guard.OriginOf(t.URL) == "" {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("--url %q is not a web address", withoutPassword(t.URL)), "use http://… or https://… without a user name in it")
	}
	for _, o := range t.Origins {
		if !strings.Contains(o, "://*.") && guard.OriginOf(o) == "" {
			return ports.NewError(ports.CodeUsage, fmt.Sprintf("--allow-origin %q is not an origin", o), "use scheme://host[:port], such as https://shop.example")
		}
	}
	if schemaFile == "" {
		return nil
	}
	b, err := os.ReadFile(schemaFile)
	if err != nil {
		return &ports.Error{Code: ports.CodeUsage, Msg: "--output-schema", Err: err}
	}
	if !json.Valid(b) {
		return ports.NewError(ports.CodeUsage, schemaFile+" is not JSON", "give a JSON Schema of an object")
	}
	t.Output = b
	return nil
}

// withoutPassword is an address as it may be shown.
func withoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return address
	}
	return u.Redacted()
}

var urlInText = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `(){}\[\]]+`)

// policyFor is what the person allowed: by the command line, by the task's own words, by the policy file.
func policyFor(cfg *Config, t agent.Task) (guard.Policy, error) {
	var p guard.Policy
	if cfg.Policy != "" {
		if err := readPolicy(cfg.Policy, &p); err != nil {
			return p, err
		}
	}
	named := append([]string{t.URL}, urlInText.FindAllString(t.Goal, -1)...)
	for _, u := range named {
		if o := guard.OriginOf(strings.TrimRight(u, ".,;:!?")); o != "" {
			p.Origins = append(p.Origins, o)
		}
	}
	p.Origins = append(append(p.Origins, t.Origins...), cfg.AllowOrigins...)
	slices.Sort(p.Origins)
	p.Origins = slices.Compact(p.Origins)
	return p, nil
}

// outcomeExit is the exit code of an outcome that has been shown.
func outcomeExit(o agent.Outcome) error {
	switch o.Status {
	case agent.StatusSuccess:
		return nil
	case agent.StatusPartial:
		return exit(exitPartial)
	case agent.StatusRefused, agent.StatusNeedsUser:
		return exit(exitRefused)
	}
	return exit(exitFailed)
}
