package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"os"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel"
	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mcp"
)

func mcpCommand() *cobra.Command {
	var addr, url, token string
	c := &cobra.Command{
		Use: "mcp", Short: "Be an MCP server: the tools of a browser session, and wb_run for whole tasks", Args: cobra.NoArgs,
		Long: `Mcp serves on stdio, or with --http over Streamable HTTP on this machine only.

Over HTTP a client sends the token that is printed, as "Authorization: Bearer TOKEN" or in the address,
http://127.0.0.1:PORT/mcp/TOKEN. What a session may write to follows the rules of wb run.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			origins, err := cmd.Flags().GetStringArray("allow-origin")
			if err != nil {
				return err
			}
			t := agent.Task{Goal: "an MCP session", URL: url, Origins: origins}
			if err := checkTask(&t, ""); err != nil {
				return err
			}
			return serveMCP(cmd.Context(), cfg, t, addr, token)
		},
	}
	fl := c.Flags()
	fl.StringVar(&addr, "http", "", "serve over HTTP at this loopback address, such as 127.0.0.1:7070")
	fl.StringVar(&token, "token", "", "token of the HTTP server (default: a new one)")
	fl.StringVar(&url, "url", "", "page to open first")
	fl.StringArray("allow-origin", nil, "origin that may be written to (repeat)")
	fl.String("policy", "", "policy file")
	browserFlags(fl)
	return c
}

func serveMCP(ctx context.Context, cfg *Config, t agent.Task, addr, token string) error {
	lent := &lender{}
	var own netip.AddrPort
	p := parts{asker: lent, model: lent, own: func(a netip.AddrPort) bool { return a == own }}
	a, err := build(ctx, cfg, p)
	if err != nil {
		return err
	}
	defer a.close()
	srv := mcp.New(mcp.Options{Caller: a.kernel, Specs: a.offered, Version: version,
		Begin: func(ctx context.Context) (string, func(), error) { return a.beginSession(ctx, t) }})
	lent.server = srv
	defer srv.Close()
	if addr == "" {
		return srv.Stdio(ctx)
	}
	l, err := listenLoopback(addr)
	if err != nil {
		return err
	}
	own = netip.MustParseAddrPort(l.Addr().String())
	if token == "" {
		token = rand.Text()
	}
	fmt.Fprintf(os.Stderr, "wb mcp: http://%s/mcp  token %s\n", l.Addr(), token)
	return serveHTTP(ctx, l, srv.HTTP(l.Addr().String(), token))
}

// lender passes questions and model requests on to the MCP server, which is made after the app.
type lender struct{ server *mcp.Server }

func (l *lender) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	return l.server.Ask(ctx, q)
}

func (l *lender) Chat(ctx context.Context, c ports.Call, r ports.ChatRequest, emit func(ports.Delta)) (ports.ChatReply, error) {
	return l.server.Chat(ctx, c, r, emit)
}

func (l *lender) Models(ctx context.Context, c ports.Call, e ports.Endpoint) ([]string, error) {
	return l.server.Models(ctx, c, e)
}

// beginSession is a run of a client's own: its tabs, its policy, its questions.
func (a *app) beginSession(ctx context.Context, t agent.Task) (string, func(), error) {
	run := newID()
	if err := a.beginRun(ctx, run, ports.Call{}, t); err != nil {
		return "", nil, err
	}
	if t.URL != "" {
		c := ports.Call{Run: run, From: ports.FromKernel, Tool: "browser.nav", Args: ports.JSON(map[string]string{"url": t.URL})}
		if _, err := a.kernel.Call(ctx, c); err != nil {
			a.endRun(run)
			return "", nil, err
		}
	}
	return run, func() { a.endRun(run) }, nil
}

// offered is what an MCP client sees: the model-facing tools but for those that steer a loop, and wb_run.
func (a *app) offered() []ports.Spec {
	var out []ports.Spec
	for _, s := range a.tools.Specs() {
		if !s.Primitive() && (s.Owner != "kernel" || s.Name == "wb_run") {
			out = append(out, s)
		}
	}
	return out
}

// wbRun offers agent.run to MCP clients. The call is the client's, the run is its own.
func (a *app) wbRun() ports.Tool {
	spec := ports.Spec{Name: "wb_run", Risk: ports.RiskAct, Description: "Do a whole task in the browser with wb's own model, and return what came of it.",
		Input: json.RawMessage(`{"type":"object","required":["task"],"additionalProperties":false,"properties":{"task":{"type":"string","minLength":1},
"url":{"type":"string"},"mode":{"enum":["ask","act"]},"max_steps":{"type":"integer","minimum":1},"output_schema":{"type":"object"}}}`)}
	return kernel.Func(spec, func(ctx context.Context, c ports.Call) (ports.Result, error) {
		var in struct {
			Task     string          `json:"task"`
			URL      string          `json:"url"`
			Mode     ports.Mode      `json:"mode"`
			MaxSteps int             `json:"max_steps"`
			Output   json.RawMessage `json:"output_schema"`
		}
		if err := json.Unmarshal(c.Args, &in); err != nil {
			return ports.Result{}, ports.NewError(ports.CodeInvalidArgs, "wb_run: "+err.Error(), "")
		}
		t := agent.Task{Goal: in.Task, URL: in.URL, Mode: in.Mode, MaxTurns: in.MaxSteps, Output: in.Output, Provider: a.config().Provider}
		c.Parent, c.From, c.Tool, c.Args = c.ID, ports.FromKernel, "agent.run", ports.JSON(t)
		c.ID = ""
		return a.kernel.Call(ctx, c)
	})
}
