package main

import (
	"context"
	_ "embed"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/oklog/run"
	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/testdata/shop"
)

//go:embed demo.yaml
var demoPlaybook []byte

const demoTask = "Order two red teapots for Ada Lovelace (ada@analytical.example), sent by courier on 2026-12-24, gift wrapped and express, with the note \"Ring twice\"."

func demoCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "demo", Short: "Run a real task in a real browser, in the sample shop, without a key or a network", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return demo(cmd.Context(), cmd) },
	}
	browserFlags(c.Flags())
	return c
}

// demo starts the shop and a scripted model on loopback, runs the task against them through everything a
// real run goes through, and looks into the shop's own data for the new order.
func demo(ctx context.Context, cmd *cobra.Command) error {
	book, err := mockmodel.Parse(demoPlaybook)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "wb-demo-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a leftover in the temporary folder hurts nobody
	store := shop.New()
	shopAt, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return err
	}
	modelAt, err := listenLoopback("127.0.0.1:0")
	if err != nil {
		return err
	}
	cfg, err := demoConfig(cmd, dir, modelAt)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var g run.Group
	g.Add(func() error { return serveHTTP(ctx, shopAt, store) }, func(error) { cancel() })
	g.Add(func() error { return serveHTTP(ctx, modelAt, mockmodel.New(book)) }, func(error) { cancel() })
	g.Add(func() error { return demoRun(ctx, cfg, "http://"+shopAt.Addr().String()+"/", store) }, func(error) { cancel() })
	return g.Run()
}

// demoConfig is the person's configuration with a data folder and a provider of the demo's own.
func demoConfig(cmd *cobra.Command, dir string, model net.Listener) (*Config, error) {
	cfg, err := configFor(cmd)
	if err != nil {
		return nil, err
	}
	cfg.DataDir, cfg.Provider, cfg.Browser.Profile = filepath.Join(dir, "data"), "demo", ""
	cfg.Providers = map[string]ModelEntry{"demo": {Family: "openai", BaseURL: "http://" + model.Addr().String() + "/v1", Model: "scripted", Vision: true}}
	return cfg, nil
}

func demoRun(ctx context.Context, cfg *Config, url string, store *shop.Shop) error {
	a, err := build(ctx, cfg, parts{})
	if err != nil {
		return err
	}
	defer a.close()
	s := newScreen(os.Stdout)
	s.untraced = true
	out, err := a.runTask(ctx, agent.Task{Goal: demoTask, URL: url}, s.event)
	if err != nil {
		return err
	}
	a.finished(out.Status)
	s.end(out)
	if err := outcomeExit(out); err != nil {
		return err
	}
	want := shop.Order{ID: 2, Name: "Ada Lovelace", Email: "ada@analytical.example", Product: "Red teapot", Delivery: "Courier",
		Date: "2026-12-24", Quantity: 2, Gift: true, Express: true, Note: "Ring twice"}
	got := store.Orders()
	if len(got) != 2 || got[1] != want {
		return ports.NewError(ports.CodeFault, fmt.Sprintf("the shop holds %+v, expected %+v", got, want), "this is a bug in wb")
	}
	fmt.Printf("\nverified in the shop's own data: order %d, %d × %s for %s\n", got[1].ID, got[1].Quantity, got[1].Product, got[1].Name)
	return nil
}
