package wasmguard

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// A change of what the guard writes must come with a new Revision: guarded modules are kept on disk under
// it. When this fails, raise Revision and put the new hash here.
func TestRevision(t *testing.T) {
	const revision, want = 1, "338ea04480d4e932b162dbec43c8e60819258bc1f3fbf51449466792f8bd3a5b"
	// (module (memory (export "memory") 1) (func $f (loop (br 0))) (func (export "_start") (call $f)))
	module := []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x03\x03\x02\x00\x00" + "\x05\x03\x01\x00\x01" +
		"\x07\x13\x02\x06memory\x02\x00\x06_start\x00\x01" + "\x0a\x0e\x02\x07\x00\x03\x40\x0c\x00\x0b\x0b\x04\x00\x10\x00\x0b")
	out, err := Rewrite(module, Options{})
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(out)
	if got := hex.EncodeToString(sum[:]); Revision != revision || got != want {
		t.Errorf("revision %d writes %s; revision %d wrote %s", Revision, got, revision, want)
	}
}
