package host

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"

	"github.com/wb-agent/wb/kernel/host/mmapmem"
	"github.com/wb-agent/wb/plugins/wasmguard"
	"github.com/wb-agent/wb/ports"
)

// maxBuiltins is how large the built-ins may be, decompressed.
const maxBuiltins = 64 << 20

// openCache makes the cache folder. One that others may write to would let them run code as this user.
func openCache(dir string) (wazero.CompilationCache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, cacheError(err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return nil, cacheError(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 { // there these bits mean nothing
		return nil, ports.NewError(ports.CodeUsage, "cache folder "+dir+": others may write to it", "chmod 700 "+dir)
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil, cacheError(err)
	}
	return cache, nil
}

func cacheError(err error) error {
	return &ports.Error{Code: ports.CodeStorage, Msg: "plugin cache", Fix: "free disk space, or name another cache folder", Err: err}
}

// LoadBuiltins compiles the module that holds the built-in plugins: guarded already, compressed with
// zstd. The decompressed file lies beside the compilation cache and is mapped rather than read, because
// the engine refers to it as long as it lives; without a cache folder it stays in memory. It returns at
// once: who needs the code first waits for it, and learns what was wrong with it.
func (r *Runtime) LoadBuiltins(ctx context.Context, compressed []byte) (*Module, error) {
	if r.dir == "" {
		raw, err := decompress(compressed)
		if err != nil {
			return nil, err
		}
		return r.compile(ctx, raw)
	}
	sum := sha256.Sum256(compressed)
	file := filepath.Join(r.dir, "builtins-"+hex.EncodeToString(sum[:8])+".wasm")
	return r.later(ctx, file, decompressedTo(file, compressed), func() ([]byte, error) { return decompress(compressed) }), nil
}

// load guards and compiles a third party's module. The guarded form lies beside the compilation cache,
// so that it is made once for each module and each revision of the guard.
func (r *Runtime) load(ctx context.Context, code []byte) (*Module, error) {
	if r.dir == "" {
		return r.Compile(ctx, code)
	}
	sum := sha256.Sum256(code)
	file := filepath.Join(r.dir, fmt.Sprintf("guarded-%d-%s.wasm", wasmguard.Revision, hex.EncodeToString(sum[:])))
	if _, err := os.Stat(file); err == nil { // it was sound when it was written
		return r.later(ctx, file, true, nil), nil
	}
	return r.mapped(ctx, file, false, func() ([]byte, error) {
		guarded, err := wasmguard.Rewrite(code, wasmguard.Options{})
		if err != nil {
			return nil, badModule(err.Error())
		}
		return guarded, nil
	})
}

// later is mapped on a goroutine of its own; Close waits for it.
func (r *Runtime) later(ctx context.Context, file string, there bool, produce func() ([]byte, error)) *Module {
	m := &Module{rt: r, key: keyOf(file), ready: make(chan struct{})}
	r.loading.Go(func() {
		defer close(m.ready)
		got, err := r.mapped(context.WithoutCancel(ctx), file, there, produce)
		if err != nil {
			m.err = err
			return
		}
		m.code, m.min = got.code, got.min
	})
	return m
}

// keyOf is what a file of code is called, without its folder.
func keyOf(file string) string { return strings.TrimSuffix(filepath.Base(file), ".wasm") }

// mapped compiles a guarded module from a file, which is made first where it is not there.
func (r *Runtime) mapped(ctx context.Context, file string, there bool, produce func() ([]byte, error)) (*Module, error) {
	if !there {
		raw, err := produce()
		if err != nil {
			return nil, err
		}
		if err := writeFile(file, raw); err != nil {
			return nil, err
		}
	}
	raw, done, err := mmapmem.File(file)
	if err != nil {
		return nil, cacheError(err)
	}
	m, err := r.compile(ctx, raw.Bytes)
	if err != nil {
		done()
		return nil, err
	}
	raw.Release() // what instances need of it comes back by itself
	m.key = keyOf(file)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unmap = append(r.unmap, done)
	return m, nil
}

func decompress(compressed []byte) ([]byte, error) {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxBuiltins))
	if err != nil {
		return nil, fmt.Errorf("plugin host: zstd: %w", err)
	}
	defer d.Close()
	raw, err := d.DecodeAll(compressed, nil)
	if err != nil {
		return nil, &ports.Error{Code: ports.CodeBadModule, Msg: "built-in plugins", Fix: "run make generate and build wb again", Err: err}
	}
	return raw, nil
}

// decompressedTo reports whether file holds what compressed promises, by its size: it is only ever
// written whole.
func decompressedTo(file string, compressed []byte) bool {
	var h zstd.Header
	info, err := os.Stat(file)
	return err == nil && h.Decode(compressed) == nil && h.HasFCS && uint64(info.Size()) == h.FrameContentSize
}

// writeFile makes file appear whole or not at all.
func writeFile(file string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".module-*")
	if err != nil {
		return cacheError(err)
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(b)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return cacheError(err)
	}
	return nil
}
