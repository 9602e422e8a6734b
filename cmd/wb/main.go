// Command wb gives a language model hands and eyes in a browser.
//
// It is the only main and the only wiring: wire.go puts the parts together, each other file is one
// subcommand, config.go and layers.go read the configuration, term.go is all that a person sees. Read
// wire.go for who depends on whom, then run.go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
)

// version is set by the linker for releases.
var version = "0.1.0-dev"

// Exit codes.
const (
	exitOK      = 0
	exitFailed  = 1
	exitUsage   = 2
	exitPartial = 3
	exitRefused = 4
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := execute(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// execute runs one command line and returns its exit code. A second Ctrl-C kills at once.
func execute(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := rootCommand()
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	var x exit
	if !errors.As(err, &x) {
		printError(os.Stderr, err)
		return exitCode(err)
	}
	return int(x)
}

func rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "wb", Short: "A language model's hands and eyes in a browser, under your control",
		SilenceUsage: true, SilenceErrors: true, Version: version,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &ports.Error{Code: ports.CodeUsage, Msg: err.Error(), Fix: "see: " + c.CommandPath() + " --help"}
	})
	root.PersistentFlags().String("config", "", "config file, instead of ./wb.yaml")
	root.AddCommand(runCommand(), callCommand(), toolsCommand(), configCommand(), demoCommand(), mockModelCommand(), mcpCommand(), traceCommand(), doctorCommand(), secretCommand(), pluginCommand(),
		serveCommand(), upCommand(), downCommand(), statusCommand(), logsCommand(), pairCommand(), extensionCommand(), installCommand(), nativeCommand())
	return root
}

// exit is an error that has been shown already: only its code is left.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// exitCode maps an error to what a script can test.
func exitCode(err error) int {
	switch ports.CodeOf(err) {
	case ports.CodeUsage, ports.CodeInvalidArgs, ports.CodeUnknownTool:
		return exitUsage
	case ports.CodeRefused, ports.CodeNeedsUser, ports.CodeBlocked:
		return exitRefused
	case "":
		if isUsage(err) {
			return exitUsage
		}
	}
	return exitFailed
}
