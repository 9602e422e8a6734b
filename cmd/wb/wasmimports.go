package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// wasmImports lists what a core wasm module imports, as "module.name", sorted. It reads no further than the
// import section, so it also serves for modules that the host refuses.
func wasmImports(bin []byte) ([]string, error) {
	if !bytes.HasPrefix(bin, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errors.New("not a core wasm module")
	}
	r := wasmReader{bytes.NewReader(bin[8:])}
	for {
		id, err := r.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		body, err2 := r.bytes()
		if err = errors.Join(err, err2); err != nil {
			return nil, fmt.Errorf("module cut short: %w", err)
		}
		if id == 2 {
			return importSection(wasmReader{bytes.NewReader(body)})
		}
	}
}

func importSection(r wasmReader) ([]string, error) {
	n, err := r.u32()
	if err != nil {
		return nil, err
	}
	var out []string
	for range n {
		module, err1 := r.bytes()
		name, err2 := r.bytes()
		if err := errors.Join(err1, err2, r.skipKind()); err != nil {
			return nil, fmt.Errorf("import section: %w", err)
		}
		out = append(out, string(module)+"."+string(name))
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// wasmReader reads the binary format.
type wasmReader struct{ *bytes.Reader }

func (r wasmReader) u32() (uint32, error) {
	v, err := binary.ReadUvarint(r)
	if err == nil && v > 1<<32-1 {
		err = errors.New("a number is too large")
	}
	return uint32(v), err
}

// bytes reads a length and that many bytes.
func (r wasmReader) bytes() ([]byte, error) {
	n, err := r.u32()
	if err != nil {
		return nil, err
	}
	if int64(n) > int64(r.Len()) {
		return nil, io.ErrUnexpectedEOF
	}
	b := make([]byte, n)
	_, err = io.ReadFull(r, b)
	return b, err
}

// skipKind passes over what an import is: a function, table, memory or global.
func (r wasmReader) skipKind() error {
	kind, err := r.ReadByte()
	if err != nil {
		return err
	}
	switch kind {
	case 0: // function: its type
		_, err = r.u32()
	case 1: // table: element type, limits
		_, err = r.ReadByte()
		err = errors.Join(err, r.skipLimits())
	case 2:
		err = r.skipLimits()
	case 3: // global: value type, whether it changes
		_, err1 := r.ReadByte()
		_, err2 := r.ReadByte()
		err = errors.Join(err1, err2)
	default:
		err = fmt.Errorf("unknown kind %d", kind)
	}
	return err
}

func (r wasmReader) skipLimits() error {
	flags, err := r.ReadByte()
	if err != nil {
		return err
	}
	_, err = binary.ReadUvarint(r)
	if err == nil && flags&1 != 0 {
		_, err = binary.ReadUvarint(r)
	}
	return err
}
