package mmapmem

import (
	"os"
	"syscall"
)

// Mapped is a file's content.
type Mapped struct{ Bytes []byte }

// Release gives the memory back to the system for now; it is read from the file again when needed.
func (m Mapped) Release() {
	if len(m.Bytes) > 0 {
		_ = syscall.Madvise(m.Bytes, syscall.MADV_DONTNEED) // only memory is saved
	}
}

// File maps a file read-only. Nothing may refer to Bytes after done. The file must only ever be
// replaced, never changed in place.
func File(path string) (m Mapped, done func(), err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return m, nil, err
	}
	b, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return m, nil, &os.PathError{Op: "mmap", Path: path, Err: err}
	}
	return Mapped{b}, func() { _ = syscall.Munmap(b) }, nil
}
