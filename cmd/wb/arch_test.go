package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// These tests keep wb's shape. They read source text, not build output, so files
// behind build tags and the extension's TypeScript are held to the same rules.

const root, module = "../..", "github.com/wb-agent/wb"

// mayImport names, for each folder, the wb folders its code may import. The
// longest match wins; a key ending in "/" stands for the folders below it.
var mayImport = map[string][]string{
	"ports":               {},
	"ports/portstest":     {"ports"},
	"ports/":              {"ports"},
	"ports/cdp":           {"ports", "ports/settle", "extension"},
	"ports/bidi":          {"ports", "ports/settle", "extension"},
	"ports/scripted":      {"ports", "ports/settle"},
	"kernel":              {"ports"},
	"kernel/":             {"ports"},
	"kernel/host":         {"ports", "plugins/sdk/abi", "plugins/wasmguard", "kernel/host/mmapmem"},
	"plugins/wasmguard":   {},
	"kernel/host/mmapmem": {},
	"plugins":             {},
	"plugins/build":       {"plugins/wasmguard"}, // built-ins are stored guarded
	"plugins/sdk":         {"plugins/sdk/abi"},
	"plugins/sdk/abi":     {},
	"plugins/sdk/sse":     {},
	"plugins/sdk/chat":    {"plugins/sdk", "plugins/sdk/sse"}, // what provider plugins share
	"plugins/sdk/sdktest": {"plugins/sdk", "plugins/sdk/abi"},
	"plugins/builtin":     {"*"},
	"plugins/builtin/":    {"plugins/sdk", "plugins/sdk/chat", "plugins/sdk/sse"},
	"skills":              {},
	"adapters":            {},
	"extension":           {},
	"extension/build":     {},
	"cmd/wb":              {"*"},
}

// testsMayImport are the folders open to every _test.go file.
var testsMayImport = []string{"ports", "ports/memory", "ports/portstest", "plugins/sdk", "plugins/sdk/abi", "plugins/sdk/sdktest", "plugins/sdk/sse", "plugins", "extension", "testdata/shop"}

// owners names the folders, with those below them, that may import a module, and
// why we stand on it.
var owners = map[string][]string{
	"github.com/chromedp/cdproto":            {"ports/cdp"},
	"github.com/go-json-experiment/json":     {"ports/cdp"},                                           // cdproto speaks it
	"github.com/coder/websocket":             {"ports/cdp", "ports/mcp", "ports/bidi", "ports/relay"}, // attach; BiDi; the extension
	"github.com/tetratelabs/wazero":          {"kernel/host", "plugins/wasmguard"},                    // the guard tests run what it writes
	"github.com/klauspost/compress":          {"kernel/host", "plugins/build"},                        // zstd of the built-ins
	"github.com/modelcontextprotocol/go-sdk": {"ports/mcp"},
	"github.com/santhosh-tekuri/jsonschema":  {"kernel"},
	"golang.org/x/text":                      {"kernel"}, // jsonschema's messages
	"github.com/agnivade/levenshtein":        {"kernel", "cmd/wb", "ports/mockmodel"},
	"github.com/ncruces/go-sqlite3":          {"ports/sqlite"},
	"github.com/zalando/go-keyring":          {"ports/secret"},
	"filippo.io/age":                         {"ports/secret"}, // exported keys
	"go.yaml.in/yaml":                        {"ports/mockmodel"},
	"github.com/knadh/koanf":                 {"cmd/wb"},
	"github.com/go-viper/mapstructure":       {"cmd/wb"}, // koanf decodes with it
	"github.com/oklog/run":                   {"cmd/wb"},
	"github.com/spf13":                       {"cmd/wb"},
	"charm.land/lipgloss":                    {"cmd/wb"},
	"golang.org/x/term":                      {"cmd/wb"},
	"golang.org/x/sys":                       {"ports/cdp", "ports/sqlite", "kernel/host"},
	"github.com/rogpeppe/go-internal":        {"cmd/wb"},
	"github.com/google/go-cmp":               {"cmd", "kernel", "ports", "plugins", "extension"}, // tests
	"github.com/evanw/esbuild":               {"extension/build"},
}

func TestImports(t *testing.T) {
	for _, f := range goFiles(t) {
		for _, spec := range f.ast.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			if to, ok := strings.CutPrefix(imp, module+"/"); ok {
				may := rule(f.dir)
				ok := to == f.dir || slices.Contains(may, to) || slices.Contains(may, "*")
				if !ok && !(f.test && slices.Contains(testsMayImport, to)) {
					t.Errorf("%s imports %s; %s may import only %q", f.path, to, f.dir, may)
				}
				continue
			}
			if host, _, _ := strings.Cut(imp, "/"); !strings.Contains(host, ".") {
				continue // standard library
			}
			own := ownerOf(imp)
			owns := slices.ContainsFunc(own, func(o string) bool { return f.dir == o || strings.HasPrefix(f.dir, o+"/") })
			switch {
			case own == nil:
				t.Errorf("%s imports %s, a module with no owner; name one in cmd/wb/arch_test.go", f.path, imp)
			case !owns:
				t.Errorf("%s imports %s; only %s may", f.path, imp, own)
			}
		}
	}
}

func TestPackageDocs(t *testing.T) {
	docs := map[string]int{}
	for _, f := range goFiles(t) {
		if f.test {
			continue
		}
		docs[f.dir] += 0
		if f.ast.Doc != nil {
			docs[f.dir]++
		}
	}
	for dir, n := range docs {
		if n != 1 {
			t.Errorf("%s has %d package comments, want 1", dir, n)
		}
	}
}

func TestBudgets(t *testing.T) {
	const maxLines, maxMethods = 400, 5
	for _, f := range goFiles(t) {
		if n := bytes.Count(f.src, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines, want at most %d", f.path, n, maxLines)
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if it, ok := n.(*ast.InterfaceType); ok && it.Methods.NumFields() > maxMethods {
				t.Errorf("%s has an interface of %d methods, want at most %d", f.path, it.Methods.NumFields(), maxMethods)
			}
			return true
		})
	}
}

// The kernel knows no file, socket or wall clock, but for the plugin host's cache folder, pipes and meters.
func TestKernelIsPure(t *testing.T) {
	for _, f := range goFiles(t) {
		if f.test || !strings.HasPrefix(f.path, "kernel/") {
			continue
		}
		host := strings.HasPrefix(f.path, "kernel/host/")
		for _, imp := range f.ast.Imports {
			p, _ := strconv.Unquote(imp.Path.Value)
			if bad := p == "net" || p == "net/http" || p == "os/exec" || !host && (p == "os" || p == "syscall"); bad {
				t.Errorf("%s imports %s; ports touch the world", f.path, p)
			}
		}
		if !host && bytes.Contains(f.src, []byte("time.Now")) {
			t.Errorf("%s asks the wall clock; time is a port", f.path)
		}
	}
}

// A kernel that outgrows its budget has a feature in it that belongs in a plugin.
func TestKernelStaysSmall(t *testing.T) {
	root, all := 0, 0
	for _, f := range goFiles(t) {
		if f.test || !strings.HasPrefix(f.path, "kernel/") {
			continue
		}
		n := bytes.Count(f.src, []byte("\n"))
		all += n
		if f.dir == "kernel" {
			root += n
		}
	}
	if root >= 1000 || all >= 8000 || root == 0 {
		t.Errorf("kernel has %d lines in its root (of 1,000) and %d in all (of 8,000)", root, all)
	}
}

// Nothing waits by sleeping, registers itself, or is left for later.
func TestHabits(t *testing.T) {
	for _, f := range goFiles(t) {
		if !f.test && bytes.Contains(f.src, []byte("time."+"Sleep(")) {
			t.Errorf("%s sleeps; wait for an event or a clock", f.path)
		}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				t.Errorf("%s has an init function; parts are values that wire.go passes", f.path)
			}
		}
	}
}

// The page script runs in any page of any browser, so it knows neither the
// extension nor the browser; platform.ts alone may ask which browser this is.
func TestExtension(t *testing.T) {
	imports := regexp.MustCompile(`(?m)^(?:import|export)\b[^'"\n]*['"]([^'"]+)['"];?$`)
	api := regexp.MustCompile(`\b(?:chrome|browser)\.`)
	flavor := regexp.MustCompile(`(?i)moz-extension|userAgent|chrome\.debugger\s*\?`)
	for _, f := range files(t, "extension/src", ".ts") {
		page := strings.HasPrefix(f.path, "extension/src/page/")
		for _, m := range imports.FindAllSubmatch(f.src, -1) {
			if to := path.Join(f.dir, string(m[1])); page && !strings.HasPrefix(to, "extension/src/page/") {
				t.Errorf("%s imports %s; src/page imports only itself", f.path, m[1])
			}
		}
		if page && api.Match(f.src) {
			t.Errorf("%s uses an extension API; src/page runs inside pages", f.path)
		}
		if path.Base(f.path) != "platform.ts" && flavor.Match(f.src) {
			t.Errorf("%s asks which browser this is; only platform.ts may", f.path)
		}
	}
}

// rule returns the mayImport entry that covers dir.
func rule(dir string) []string {
	if may, ok := mayImport[dir]; ok {
		return may
	}
	for p := path.Dir(dir); p != "."; p = path.Dir(p) {
		if may, ok := mayImport[p+"/"]; ok {
			return may
		}
	}
	return nil
}

// ownerOf returns the folders that own the module of imp, or nil.
func ownerOf(imp string) []string {
	for p := imp; p != "."; p = path.Dir(p) {
		if own, ok := owners[p]; ok {
			return own
		}
	}
	return nil
}

type file struct {
	path, dir string
	src       []byte
	ast       *ast.File // nil unless the file is Go
	test      bool
}

func goFiles(t *testing.T) []file {
	fs := files(t, ".", ".go")
	for i, f := range fs {
		tree, err := parser.ParseFile(token.NewFileSet(), f.path, f.src, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		fs[i].ast, fs[i].test = tree, strings.HasSuffix(f.path, "_test.go")
	}
	return fs
}

func files(t *testing.T, dir, ext string) (out []file) {
	t.Helper()
	skip := regexp.MustCompile(`^(\..+|testdata|dist|node_modules)$`)
	err := fs.WalkDir(os.DirFS(filepath.FromSlash(root)), dir, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && skip.MatchString(d.Name()):
			return fs.SkipDir
		case d.IsDir() || path.Ext(p) != ext:
			return nil
		}
		src, err := os.ReadFile(filepath.Join(root, p))
		out = append(out, file{path: p, dir: path.Dir(p), src: src})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
