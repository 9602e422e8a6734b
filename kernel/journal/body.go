package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync"
)

// bodyStats says what was read of a body.
type bodyStats struct {
	Bytes  int64  `json:"bytes"`
	Reads  int64  `json:"reads"`
	SHA256 string `json:"sha256"`
	Whole  bool   `json:"whole"` // read to its end
}

// body counts and hashes what is read and tells done once, at the end or when it is closed.
type body struct {
	rc   io.ReadCloser
	done func(bodyStats) error

	mu    sync.Mutex
	stats bodyStats
	sum   hash.Hash
	told  bool
	err   error // what done answered
}

func newBody(rc io.ReadCloser, done func(bodyStats) error) *body {
	return &body{rc: rc, done: done, sum: sha256.New()}
}

// Read reads on. A failure to record the end takes the place of io.EOF.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.rc.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.told {
		b.stats.Bytes += int64(n)
		b.stats.Reads++
		b.sum.Write(p[:n])
	}
	if err == io.EOF {
		b.stats.Whole = b.stats.Whole || !b.told
		if terr := b.tell(); terr != nil {
			return n, terr
		}
	}
	return n, err
}

// Close closes the body and records what was read of it.
func (b *body) Close() error {
	err := b.rc.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if terr := b.tell(); terr != nil && err == nil {
		err = terr
	}
	return err
}

// tell is called under mu.
func (b *body) tell() error {
	if !b.told {
		b.told = true
		b.stats.SHA256 = hex.EncodeToString(b.sum.Sum(nil))
		b.err = b.done(b.stats)
	}
	return b.err
}
