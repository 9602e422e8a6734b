// Package host runs plugins: MCP servers compiled to WASI preview 1, in wazero, behind the load-time guard.
//
// One idea carries it: a guest runs only while a call needs it. Its stdout is a Go function on the
// guest's own goroutine, and that function does not return from a response until the next call comes,
// nor from a wb/call until the answer is ready. A guest that is not charged cannot run, an idle one
// costs no CPU and no OS thread, and there is no reader to race with.
//
// It grants nothing: what a guest may call is decided where its wb/call arrives, in Kernel.Call. Read
// runtime.go, plugin.go, instance.go, talk.go, nested.go. It is the only package that imports wazero.
package host

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"
)

const (
	pageSize = 64 << 10
	wasi     = "wasi_snapshot_preview1"
)

// Options of a Runtime.
type Options struct {
	// CacheDir keeps native code between processes; "" keeps it in memory. It is made with mode 0700 and
	// must belong to the user alone, because what lies there is executed.
	CacheDir string
}

// Runtime holds compiled code; a process needs one. Safe for concurrent use.
type Runtime struct {
	wz     wazero.Runtime
	cache  wazero.CompilationCache
	dir    string
	caller atomic.Pointer[ports.Caller]

	loading sync.WaitGroup // modules on their way from the cache
	mu      sync.Mutex
	unmap   []func() // memory of files that compiled code still refers to
}

// New makes a runtime. Close frees it.
func New(ctx context.Context, o Options) (*Runtime, error) {
	cache := wazero.NewCompilationCache()
	if o.CacheDir != "" {
		var err error
		if cache, err = openCache(o.CacheDir); err != nil {
			return nil, err
		}
	}
	// CloseOnContextDone stays off: it slows guests many times over, and the guard does its work.
	wz := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache))
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, wz); err != nil {
		return nil, fmt.Errorf("plugin host: wasi: %w", err)
	}
	return &Runtime{wz: wz, cache: cache, dir: o.CacheDir}, nil
}

// SetCaller names who answers the wb/call of every plugin without a Caller of its own: the kernel,
// which is made after the host because it lists the host's plugins. Until then they are refused.
func (r *Runtime) SetCaller(c ports.Caller) { r.caller.Store(&c) }

// Close frees compiled code. Every Plugin must be closed before.
func (r *Runtime) Close(ctx context.Context) error {
	r.loading.Wait()
	err := r.wz.Close(ctx)
	if e := r.cache.Close(ctx); err == nil {
		err = e
	}
	for _, f := range r.unmap {
		f()
	}
	r.unmap = nil
	return err
}

// Module is compiled code without an identity; many plugins may be made from one. The code may still be
// on its way from the cache when it is first asked for.
type Module struct {
	rt    *Runtime
	key   string        // names the code and the guard's revision, "" where nothing is kept
	ready chan struct{} // closed once what follows is set
	code  wazero.CompiledModule
	min   uint64 // bytes of memory that an instance starts with
	err   error  // why there is no code
}

// wait returns when the code is there, or why there is none.
func (m *Module) wait() error {
	<-m.ready
	return m.err
}

// fits says whether an instance may start under a limit of memory, in bytes.
func (m *Module) fits(id string, limit uint64) error {
	if m.min <= limit {
		return nil
	}
	return badModule(fmt.Sprintf("plugin %s: starts with %d bytes of memory, limit %d", id, m.min, limit))
}

// Compile guards and compiles a WASI command. Errors are CodeBadModule and say what is wrong with it.
func (r *Runtime) Compile(ctx context.Context, bin []byte) (*Module, error) {
	guarded, err := wasmguard.Rewrite(bin, wasmguard.Options{})
	if err != nil {
		return nil, badModule(err.Error())
	}
	return r.compile(ctx, guarded)
}

// compile takes a module that is guarded already. The engine keeps a reference to its bytes.
func (r *Runtime) compile(ctx context.Context, guarded []byte) (*Module, error) {
	code, err := r.wz.CompileModule(experimental.WithCompilationWorkers(ctx, 2), guarded)
	if err != nil {
		return nil, badModule(err.Error())
	}
	m := &Module{rt: r, code: code, ready: make(chan struct{})}
	close(m.ready)
	if err := m.check(); err != nil {
		_ = code.Close(ctx) // err says more
		return nil, err
	}
	return m, nil
}

func (m *Module) check() error {
	for _, f := range m.code.ImportedFunctions() {
		if mod, name, _ := f.Import(); mod != wasi {
			return badModule(fmt.Sprintf("unknown import %s.%s", mod, name))
		}
	}
	mem, ok := m.code.ExportedMemories()["memory"]
	if _, start := m.code.ExportedFunctions()["_start"]; !ok || !start {
		return badModule("not a WASI command: _start and memory must be exported")
	}
	m.min = uint64(mem.Min()) * pageSize
	return nil
}

func badModule(msg string) error {
	return ports.NewError(ports.CodeBadModule, msg, "build it as a WASI preview 1 command, such as GOOS=wasip1 GOARCH=wasm go build")
}
