package host

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/wb-agent/wb/kernel/host/mmapmem"
	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"
)

// instance is one running guest. It serves one request at a time; between requests its goroutine is
// parked in stdout. Methods other than stop and healthy are for the one goroutine that acquired it.
type instance struct {
	p        *Plugin
	mod      api.Module
	flag     api.MutableGlobal // the guard's kill flag
	stdin    *os.File          // our end
	guestEnd *os.File          // the guest's end of stdin
	stdout   lines
	stderr   ends
	clock    meter

	thaw chan struct{} // one value lets the guest run
	dead chan struct{} // closed by stop
	done chan struct{} // closed when guest code has returned and everything is freed

	once   sync.Once
	cause  error // why it stopped; read after dead or done
	lastID int
	now    *exchange // the request being served; changed only while the guest is frozen

	sending sync.Mutex // guards what follows
	outbox  [][]byte   // lines behind a long one
	queued  int        // bytes in outbox
	writer  bool       // a goroutine drains outbox
}

// instantiate makes an instance whose guest has not run a single instruction.
func (p *Plugin) instantiate() (*instance, error) {
	if err := p.mod.wait(); err != nil {
		return nil, err
	}
	if err := p.mod.fits(p.id, p.limits.Memory); err != nil {
		return nil, err
	}
	guestEnd, stdin, err := os.Pipe() // never an io.Reader: wazero polls only files without blocking
	if err != nil {
		return nil, p.fail(ports.CodeExhausted, err.Error())
	}
	in := &instance{p: p, stdin: stdin, guestEnd: guestEnd, stderr: ends{max: p.limits.Stderr},
		thaw: make(chan struct{}), dead: make(chan struct{}), done: make(chan struct{})}
	in.stdout = lines{max: p.limits.Line, line: in.heard, overflow: func(what string) {
		in.die(ports.CodeOversized, what+" over the limit")
	}}
	in.clock.fire = func() {
		in.kill(p.fail(ports.CodeDeadline, fmt.Sprintf("ran longer than %v", p.limits.Deadline)))
	}
	cfg := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithArgs(p.args()...).
		WithStdin(guestEnd).WithStdout(&in.stdout).WithStderr(&in.stderr).
		WithSysNanotime().WithNanosleep(in.sleep).WithRandSource(random{in})
	if p.granted("clock.now") { // else the engine's clock, which starts in 2022 and ticks when it is read
		cfg = cfg.WithSysWalltime()
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), mmapmem.Allocator{Limit: p.limits.Memory})
	if in.mod, err = p.mod.rt.wz.InstantiateModule(ctx, p.mod.code, cfg); err != nil {
		_, _ = stdin.Close(), guestEnd.Close()
		return nil, p.fail(ports.CodeBadModule, err.Error())
	}
	in.flag = in.mod.ExportedGlobal(wasmguard.KillExport).(api.MutableGlobal) // _start exists, so there is code
	go in.live(context.Background())                                          // it outlives the call that made it, values of its context included
	return in, nil
}

func (p *Plugin) granted(tool string) bool {
	return slices.ContainsFunc(p.grants, func(g ports.Grant) bool { return g.Covers(tool) })
}

func (p *Plugin) args() []string {
	if p.entry == "" {
		return []string{"plugin"}
	}
	return []string{"plugin", p.entry}
}

// live is the guest's goroutine: it runs the program to its end and frees everything.
func (in *instance) live(ctx context.Context) {
	err := in.run(ctx)
	in.kill(in.explain(err))
	in.clock.pause()
	// Only now, for wazero polls and reads this file by number: closed earlier, the number might
	// already be another file of this process.
	_ = in.guestEnd.Close()
	_ = in.mod.Close(ctx) // unmaps memory: no guest code may be running
	in.p.gone()
	close(in.done)
}

func (in *instance) run(ctx context.Context) error {
	select {
	case <-in.thaw:
	case <-in.dead:
		return in.cause
	}
	for _, name := range []string{wasmguard.StartExport, "_start"} {
		if f := in.mod.ExportedFunction(name); f != nil {
			if _, err := f.Call(ctx); err != nil {
				return err
			}
		}
	}
	return &sys.ExitError{}
}

// explain turns what ended the guest into an error with a code.
func (in *instance) explain(err error) error {
	if e, ok := errors.AsType[*ports.Error](err); ok {
		return e
	}
	what := "trapped"
	if e, ok := errors.AsType[*sys.ExitError](err); ok {
		what = fmt.Sprintf("exited with %d", e.ExitCode())
	}
	if line := in.stderr.telling(); line != "" {
		what += ": " + line
	}
	return in.p.fail(ports.CodeFault, what)
}

// kill makes the guest return, whatever it is doing; the first cause stays. It does not wait.
func (in *instance) kill(cause error) {
	in.once.Do(func() {
		in.cause = cause
		in.flag.Set(1)       // compiled code traps at its next tick
		close(in.dead)       // a frozen or sleeping guest panics
		_ = in.stdin.Close() // a reading one sees the end of input; a blocked writer of ours returns
	})
}

// stop kills and waits until everything is freed, but no longer than the grace time: a guest that holds
// out that long keeps its place under the live cap.
func (in *instance) stop(cause error) {
	in.kill(cause)
	select {
	case <-in.done:
	case <-time.After(in.p.limits.Grace):
	}
}

func (in *instance) healthy() bool {
	select {
	case <-in.dead:
		return false
	default:
		return true
	}
}

// die ends the guest from within one of its host calls.
func (in *instance) die(code, msg string) {
	in.kill(in.p.fail(code, msg))
	panic(in.cause)
}

// sleep is the guest's nanosleep. It can be cut at any moment, so it needs no slices.
func (in *instance) sleep(ns int64) {
	t := time.NewTimer(time.Duration(ns))
	defer t.Stop()
	select {
	case <-t.C:
	case <-in.dead:
		panic(in.cause)
	}
}

// random is the guest's entropy. A guest may ask for its whole memory at once, so a killed one is cut.
type random struct{ in *instance }

func (r random) Read(b []byte) (int, error) {
	if !r.in.healthy() {
		panic(r.in.cause)
	}
	return rand.Read(b[:min(len(b), 64<<10)])
}
