package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/plugins/builtin/page"
	"github.com/wb-agent/wb/plugins/sdk"
	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/plugins/sdk/sdktest"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/bidi"
	"github.com/wb-agent/wb/ports/cdp"
	"github.com/wb-agent/wb/ports/primitive"
)

// fixtures serves testdata/receipts, a slow answer and a file, on a port of 127.0.0.1.
func fixtures(t testing.TB) string {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(os.DirFS("../../testdata/receipts")))
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.FormValue("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.bin"`)
		fmt.Fprint(w, "data")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL[strings.LastIndexByte(s.URL, ':'):]
}

// chromium starts a browser for which every host below .test is this machine, or skips where there is none.
func chromium(t testing.TB) ports.Browser {
	if _, err := cdp.Find(); err != nil {
		t.Skip("no browser:", err)
	}
	b, err := cdp.Launch(t.Context(), cdp.Options{Args: []string{"--host-resolver-rules=MAP *.test 127.0.0.1", "--site-per-process"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// firefox starts a Firefox for which the hosts of the table are this machine, or skips where there is none.
func firefox(t testing.TB) ports.Browser {
	if _, err := bidi.Find(); err != nil {
		t.Skip("no Firefox:", err)
	}
	b, err := bidi.Launch(t.Context(), bidi.Options{Prefs: map[string]any{"network.dns.localDomains": "a.test,b.test,c.test"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// scripted is a browser whose tabs have no trusted input.
type scripted struct{ ports.Browser }

func (b scripted) Open(ctx context.Context, url string) (ports.Tab, error) {
	t, err := b.Browser.Open(ctx, url)
	return untrusted{t}, err
}

func (b scripted) Tab(ctx context.Context, id string) (ports.Tab, error) {
	t, err := b.Browser.Tab(ctx, id)
	return untrusted{t}, err
}

type untrusted struct{ ports.Tab }

func (untrusted) Input(context.Context, ports.Input) (ports.InputResult, error) {
	return ports.InputResult{}, ports.NewError(ports.CodeNoInput, "this browser has no trusted input", "act by script")
}

// bench is the page plugin over one tab of a real browser.
type bench struct {
	t      testing.TB
	tools  *primitive.Browser
	plugin *sdktest.Session
	tab    ports.Tab // with Eval
	id     string
}

// newBench opens a tab at a URL. The tab closes with the test.
func newBench(t testing.TB, b ports.Browser, trusted bool, url string) *bench {
	t.Helper()
	tab, err := b.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tab.Close(context.Background()) }) // the page may have closed it
	if _, err := tab.Nav(t.Context(), ports.Nav{URL: url}); err != nil {
		t.Fatal(err)
	}
	info, err := tab.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !trusted {
		b = scripted{b}
	}
	k := &bench{t: t, tab: tab, id: info.ID, tools: primitive.NewBrowser(func(context.Context) (ports.Browser, error) { return b, nil }, primitive.Vault{})}
	host := sdktest.Tools{}
	for _, tool := range k.tools.Tools() {
		host[tool.Spec().Name] = k.answer(tool)
	}
	k.plugin = sdktest.Run(t, page.Plugin(), host)
	return k
}

// answer makes a primitive what a plugin's call meets.
func (k *bench) answer(tool ports.Tool) sdktest.Func {
	return func(raw json.RawMessage) (any, error) {
		var args map[string]any
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, err
		}
		args["tab"] = k.id
		ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
		defer cancel()
		res, err := tool.Call(ctx, ports.Call{Tool: tool.Spec().Name, Run: "r", Args: ports.JSON(args)})
		if e, ok := errors.AsType[*ports.Error](err); ok {
			return nil, &sdk.Error{Code: e.Code, Msg: e.Error(), Fix: e.Fix}
		}
		if err != nil {
			return nil, err
		}
		out := sdk.Result{Data: res.Data, IsError: res.IsError}
		for _, c := range res.Content {
			out.Content = append(out.Content, abi.Content{Type: c.Type, Text: c.Text})
		}
		return out, nil
	}
}

// ref is the ref of the only element in a frame that a CSS selector names, hidden ones included.
func (k *bench) ref(frame, css string) string {
	k.t.Helper()
	if _, err := k.tab.Read(k.t.Context(), frame, "snapshot", nil); err != nil { // shows closed roots to the script
		k.t.Fatal(err)
	}
	raw, err := k.tab.Read(k.t.Context(), frame, "selector", ports.JSON(map[string]any{"css": css}))
	if err != nil {
		k.t.Fatal(err)
	}
	var r struct{ Candidates []struct{ Ref string } }
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Candidates) != 1 {
		k.t.Fatalf("%s in %s: %s %v", css, frame, raw, err)
	}
	return r.Candidates[0].Ref
}

// frame waits for the frame inside of the page and returns its name.
func (k *bench) frame() string {
	for range 200 {
		fs, err := k.tab.Frames(k.t.Context())
		if err == nil && len(fs) > 1 && strings.Contains(fs[1].URL, "inner") {
			if raw, err := k.tab.(ports.Evaluator).Eval(k.t.Context(), fs[1].ID, "document.readyState"); err == nil && string(raw) == `"complete"` {
				return fs[1].ID
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	k.t.Fatal("no frame")
	return ""
}

// eval is what the page itself knows.
func (k *bench) eval(frame, code string) string {
	k.t.Helper()
	raw, err := k.tab.(ports.Evaluator).Eval(k.t.Context(), frame, code)
	if err != nil {
		k.t.Fatalf("%s: %v", code, err)
	}
	return string(raw)
}

// do calls a tool; a refusal counts as the verdict not_done.
func (k *bench) do(tool string, args map[string]any) (sdk.Receipt, string) {
	k.t.Helper()
	res, err := k.plugin.Call(tool, args)
	var r sdk.Receipt
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		r.Verdict = sdk.NotDone
		return r, e.Code + ": " + e.Msg + " " + e.Fix
	}
	if err != nil {
		k.t.Fatal(err)
	}
	if len(res.Data) > 0 && json.Unmarshal(res.Data, &r) != nil {
		k.t.Fatalf("no receipt: %s", res.Data)
	}
	if r.Verdict == "" && res.IsError {
		r.Verdict = sdk.NotDone
	}
	return r, res.Text()
}
