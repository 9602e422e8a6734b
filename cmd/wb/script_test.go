package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/mockmodel"
	"github.com/wb-agent/wb/testdata/shop"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wb": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		code := execute(ctx, os.Args[1:])
		stop()
		os.Exit(code)
	}})
}

// TestScripts runs every session in testdata/script: what a person types, what they see, what is left.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			cache, err := os.UserCacheDir()
			if err != nil {
				return err
			}
			home := env.Getenv("WORK")
			env.Setenv("HOME", home)
			env.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
			env.Setenv("XDG_DATA_HOME", filepath.Join(home, ".data"))
			env.Setenv("XDG_CACHE_HOME", cache) // compiled plugins are shared, so that scripts start fast
			env.Setenv("NO_COLOR", "1")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond == "browser" {
				_, err := cdp.Find()
				return err == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"shop": startShop, "orders": countOrders, "model": startModel, "jsonl": checkLines, "asked": checkAsked, "site": startSite, "visited": checkVisits},
	})
}

// startShop: shop. Starts the sample shop; its address is $SHOP.
func startShop(ts *testscript.TestScript, _ bool, _ []string) {
	s := shop.New()
	srv := httptest.NewServer(s)
	ts.Defer(srv.Close)
	ts.Setenv("SHOP", srv.URL)
	shops.put(ts, s)
}

// shops finds the shop of a script.
var shops = &registry[*shop.Shop]{m: map[string]*shop.Shop{}}

// models finds the model of a script.
var models = &registry[*mockmodel.Server]{m: map[string]*mockmodel.Server{}}

// checkAsked: [!] asked PATTERN. Whether any request to the model has it.
func checkAsked(ts *testscript.TestScript, neg bool, args []string) {
	re, err := regexp.Compile(args[0])
	ts.Check(err)
	found := slices.ContainsFunc(models.get(ts).Requests(), func(r mockmodel.Request) bool { return re.Match(r.Body) })
	if found == neg {
		ts.Fatalf("a request with %s: %v", re, found)
	}
}

// countOrders: orders N POSTS. Compares what the shop holds and how often it was sent an order.
func countOrders(ts *testscript.TestScript, neg bool, args []string) {
	s := shops.get(ts)
	if s == nil || len(args) != 2 {
		ts.Fatalf("usage: shop first, then orders N POSTS")
	}
	got := strconv.Itoa(len(s.Orders())) + " " + strconv.Itoa(s.Posts())
	if (got == args[0]+" "+args[1]) == neg {
		ts.Fatalf("the shop holds orders and got posts: %s; orders: %+v", got, s.Orders())
	}
}

// startModel: model PLAYBOOK. Serves a scripted model and writes a config that uses it.
func startModel(ts *testscript.TestScript, _ bool, args []string) {
	book, err := mockmodel.Parse([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	mock := mockmodel.New(book)
	srv := httptest.NewServer(mock)
	ts.Defer(srv.Close)
	ts.Setenv("MODEL", srv.URL)
	models.put(ts, mock)
	family, base := "openai", srv.URL+"/v1"
	if len(args) > 1 {
		family, base = args[1], srv.URL
	}
	dir := filepath.Join(ts.Getenv("XDG_CONFIG_HOME"), "wb")
	ts.Check(os.MkdirAll(dir, 0o700))
	cfg := fmt.Sprintf("provider: mock\nproviders:\n  mock: {family: %s, base_url: %q, model: mock-1, tier: full, context: 32000, vision: true}\n", family, base)
	ts.Check(os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(cfg), 0o600))
}

// checkLines: jsonl FILE. Fails unless every line is a JSON object with a kind.
func checkLines(ts *testscript.TestScript, _ bool, args []string) {
	dec := json.NewDecoder(fileReader(ts, args[0]))
	n := 0
	for ; dec.More(); n++ {
		var e struct{ Kind string }
		if err := dec.Decode(&e); err != nil || e.Kind == "" {
			ts.Fatalf("line %d: %v, kind %q", n+1, err, e.Kind)
		}
	}
	if n == 0 {
		ts.Fatalf("no events")
	}
}
