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

const mockModelHelp = `Mock-model speaks the OpenAI chat completions and the Anthropic messages protocol, streamed or not,
from a playbook: a YAML list of rules. Of those whose "when" fits, the first answers.

    - when: {turn: 1}                       # the first answer of a conversation
      reply: {text: I look., calls: [{tool: get_accessibility_tree, args: {}}]}
    - when: {last_tool: get_accessibility_tree}
      reply: {calls: [{tool: click_ax, args: {ref_id: '{{ref role="button" name="Save"}}'}}]}
    - when: {user: "(?i)slow"}              # a regular expression
      fault: {status: 429, retry_after: 1}
    - reply: {calls: [{tool: done, args: {outcome: success, summary: It is saved.}}]}

when   user, last_user, system, last_result: regular expressions; turn and times: numbers;
       last_tool: a name; tools: names that must be offered
reply  text, think, calls [{tool, args, or raw: text that is not JSON}], finish
fault  delay, status, retry_after, message, cut_after (bytes), garbage, in_stream_error, reject_tools, hang

Templates in text and args: {{ref role="…" name="…" nth=2 after="…"}} is an element's ref from the last outline,
{{match "regexp"}} is found in the last results, {{user "regexp"}} in what the user wrote.

It prints its address. Point a provider at it, and name the file with --config:

    provider: mock
    providers:
      mock: {family: openai, base_url: "http://127.0.0.1:PORT/v1", model: mock-1}`

func mockModelCommand() *cobra.Command {
	var file, addr string
	c := &cobra.Command{
		Use: "mock-model --playbook FILE", Short: "Serve a scripted model on loopback, for tests and plugin authors", Args: cobra.NoArgs,
		Long: mockModelHelp,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return ports.NewError(ports.CodeUsage, "no playbook", "name one with --playbook; wb mock-model --help shows a small one")
			}
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
	c.Flags().StringVar(&addr, "listen", "127.0.0.1:0", "loopback address; port 0 is any free one")
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
