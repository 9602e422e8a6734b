package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
)

func pairCommand() *cobra.Command {
	var wait time.Duration
	c := &cobra.Command{
		Use:   "pair",
		Short: "Let a browser connect that shows a six-digit code",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), wait)
			defer cancel()
			return pair(ctx, cfg)
		},
	}
	c.Flags().DurationVar(&wait, "wait", 5*time.Minute, "how long to wait for a browser")
	return c
}

// pair waits for a browser that asks, shows its code, and passes the person's answer on.
func pair(ctx context.Context, cfg *Config) error {
	asked := make(chan pending, 1)
	p, err := connectDaemon(ctx, cfg, func(method string, params json.RawMessage) {
		var q pending
		if method == "pairing" && json.Unmarshal(params, &q) == nil && q.Code != "" {
			select {
			case asked <- q:
			default: // one at a time
			}
		}
	})
	if err != nil {
		return err
	}
	defer p.Close("")
	fmt.Println("waiting for a browser; press Connect in its panel")
	select {
	case q := <-asked:
		fmt.Printf("%s asks to connect and shows the code\n\n    %s %s\n\nDoes it show the same? [y/N] ", clean(q.Name, 80), clean(q.Code, 6)[:3], clean(q.Code, 6)[3:])
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		yes := err == nil && strings.EqualFold(strings.TrimSpace(line), "y")
		if err := p.Call(ctx, "pair.answer", map[string]any{"code": q.Code, "yes": yes}, nil); err != nil {
			return err
		}
		if !yes {
			return ports.NewError(ports.CodeRefused, "the browser was not let in", "")
		}
		fmt.Println("connected")
		return nil
	case <-p.Done():
		return ports.NewError(ports.CodeUnreachable, "the daemon has stopped", "start it: wb up")
	case <-ctx.Done():
		return ports.NewError(ports.CodeTimeout, "no browser asked to connect", "press Connect in the extension's panel, then: wb pair")
	}
}
