// Package mcp offers wb's tools to other programs over the Model Context Protocol, on stdio or over
// Streamable HTTP, with the official Go SDK.
//
// It decides nothing: each tools/call is one call through the Caller it was given, on behalf of its
// session. What a person would be asked goes to the client by elicitation (ask.go), and a client that
// samples can be the model (sample.go). http.go keeps everybody else out.
//
// Of MCP's conformance suite the scenarios about sessions, tools, logging, progress, sampling, elicitation,
// concurrent streams and DNS rebinding apply, and pass. Resources, prompts and completion do not: wb offers
// tools. testdata/conformance lists every scenario that is left out, with the reason.
package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wb-agent/wb/ports"
)

// Options are a server's parts; all are required.
type Options struct {
	Caller  ports.Caller
	Specs   func() []ports.Spec // offered to clients, asked once for each session
	Version string
	// Begin makes the run that a session's calls belong to, and what ends it.
	Begin func(ctx context.Context) (run string, end func(), err error)
}

// Server serves sessions. Safe for concurrent use.
type Server struct {
	o Options

	mu       sync.Mutex
	sessions map[string]*mcp.ServerSession // by run
	ends     []func()
}

// New makes a server.
func New(o Options) *Server { return &Server{o: o, sessions: map[string]*mcp.ServerSession{}} }

// Stdio serves one session on stdin and stdout until the client hangs up or ctx ends.
func (s *Server) Stdio(ctx context.Context) error {
	srv, err := s.session(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := srv.Run(ctx, &mcp.StdioTransport{}); err != nil && ctx.Err() == nil {
		return fmt.Errorf("mcp: %w", err)
	}
	return nil
}

// Close ends the runs of all sessions.
func (s *Server) Close() {
	s.mu.Lock()
	ends := s.ends
	s.ends, s.sessions = nil, map[string]*mcp.ServerSession{}
	s.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// session is an SDK server for one client: its tools call in the name of the session's own run.
func (s *Server) session(ctx context.Context) (*mcp.Server, error) {
	run, end, err := s.o.Begin(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.ends = append(s.ends, end)
	s.mu.Unlock()
	srv := mcp.NewServer(&mcp.Implementation{Name: "wb", Version: s.o.Version}, &mcp.ServerOptions{
		SupportedProtocolVersions: versions(), Instructions: "wb drives a browser. Look with get_accessibility_tree, act on the refs it shows, believe the receipts. wb_run does a whole task."})
	for _, spec := range s.o.Specs() {
		srv.AddTool(declare(spec), s.handler(run, spec.Name))
	}
	return srv, nil
}

// versions are those in which a server may put a request to the client in the middle of a call, as
// questions to a person and sampling need. Since 2026-07-28 (SEP-2322) such a call has to end and be made
// again instead, which an action in a browser cannot; newer clients agree on an older version.
func versions() []string {
	const first = "2026-07-28"
	return slices.DeleteFunc(slices.Clone(mcp.SupportedProtocolVersions()), func(v string) bool { return v >= first })
}

// declare is a tool in MCP's words.
func declare(spec ports.Spec) *mcp.Tool {
	t := &mcp.Tool{Name: spec.Name, Description: spec.Description, InputSchema: spec.Input,
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: !spec.Mutates(), DestructiveHint: new(spec.Risk == ports.RiskDangerous)}}
	if len(spec.Output) > 0 {
		t.OutputSchema = spec.Output
	}
	return t
}

// handler makes one tool callable. A failure of the call is a tool error that the client's model reads.
func (s *Server) handler(run, tool string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.mu.Lock()
		s.sessions[run] = req.Session
		s.mu.Unlock()
		c := ports.Call{Run: run, From: ports.FromMCP, Tool: tool, Mode: ports.ModeAct, Args: req.Params.Arguments, Emit: forward(ctx, req)}
		res, err := s.o.Caller.Call(ctx, c)
		if err != nil {
			return failure(err), nil
		}
		return result(res), nil
	}
}

func failure(err error) *mcp.CallToolResult {
	text := err.Error()
	if code := ports.CodeOf(err); code != "" {
		text = code + ": " + text
	}
	if fix := ports.FixOf(err); fix != "" {
		text += "\nwhat to do: " + fix
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func result(res ports.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{IsError: res.IsError, Content: []mcp.Content{}}
	for _, c := range res.Content {
		out.Content = append(out.Content, block(c))
	}
	if len(out.Content) == 0 && len(res.Data) > 0 {
		out.Content = append(out.Content, &mcp.TextContent{Text: string(res.Data)})
	}
	if len(res.Data) > 0 && res.Data[0] == '{' { // structured content is an object
		out.StructuredContent = res.Data
	}
	return out
}

func block(c ports.Content) mcp.Content {
	switch c.Type {
	case "image":
		return &mcp.ImageContent{MIMEType: c.MIME, Data: c.Data}
	case "audio":
		return &mcp.AudioContent{MIMEType: c.MIME, Data: c.Data}
	case "resource":
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: c.URI, MIMEType: c.MIME, Text: c.Text, Blob: c.Data}}
	}
	return &mcp.TextContent{Text: c.Text}
}
