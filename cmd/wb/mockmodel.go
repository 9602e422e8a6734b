package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mockmodel"
)

func mockModelCommand() *cobra.Command {
	var file, addr string
	c := &cobra.Command{
		Use: "mock-model --playbook FILE", Short: "Serve a scripted model on loopback, for tests and plugin authors", Args: cobra.NoArgs,
		Long: `Mock-model speaks the OpenAI chat completions and the Anthropic messages protocol, streamed or not,
from a YAML playbook. Point a provider at it:

    providers:
      mock: {family: openai, base_url: "http://127.0.0.1:PORT/v1", model: mock-1}`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b, err := os.ReadFile(file)
			if err != nil {
				return &ports.Error{Code: ports.CodeUsage, Msg: "playbook", Err: err, Fix: "name a file with --playbook"}
			}
			book, err := mockmodel.Parse(b)
			if err != nil {
				return err
			}
			l, err := listenLoopback(addr)
			if err != nil {
				return err
			}
			fmt.Printf("http://%s/v1\n", l.Addr())
			return serveHTTP(cmd.Context(), l, mockmodel.New(book))
		},
	}
	c.Flags().StringVar(&file, "playbook", "", "YAML playbook")
	c.Flags().StringVar(&addr, "listen", "127.0.0.1:0", "loopback address")
	return c
}

// listenLoopback listens on this machine only.
func listenLoopback(addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return nil, ports.NewError(ports.CodeUsage, fmt.Sprintf("%q is not a loopback address", addr), "use 127.0.0.1:PORT; wb listens on this machine only")
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeUsage, Msg: "listen", Err: err, Fix: "choose another port, or :0 for any"}
	}
	return l, nil
}

// serveHTTP serves until ctx ends, then gives requests that are under way a second.
func serveHTTP(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if srv.Shutdown(end) != nil {
			_ = srv.Close() // a stream that does not end
		}
	})
	defer stop()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
