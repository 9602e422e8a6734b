package ports

import (
	"context"
	"encoding/json"
	"time"
)

// Store keeps the journal. Methods may be used from many goroutines and by many processes at once. An
// error is CodeStorage and says whether the disk is full, the file locked, or its content corrupt; after
// an error from Begin nothing was stored.
type Store interface {
	// Begin stores an intent and returns its sequence number, which grows without end. With
	// intent.Mutates it is on the disk before Begin returns.
	Begin(ctx context.Context, in Intent) (seq int64, err error)
	// End stores how the call ended. A second End of the same call replaces the first.
	End(ctx context.Context, out Outcome) error
	// Since returns the records of a run ("" for all) with Seq > seq, oldest first, at most limit.
	Since(ctx context.Context, run string, seq int64, limit int) ([]Record, error)
	// Blob returns what a record's value points to; CodeStorage if it is gone.
	Blob(ctx context.Context, hash string) ([]byte, error)
}

// RunStore keeps runs and their leases.
type RunStore interface {
	// PutRun makes or replaces the row of r.ID.
	PutRun(ctx context.Context, r Run) error
	// Run returns one run; CodeUsage if there is none.
	Run(ctx context.Context, id string) (Run, error)
	// Runs lists runs, the newest first.
	Runs(ctx context.Context, limit int) ([]Run, error)
	// Lease takes or renews the sole right to work on name until l.Expires. Held by another owner and
	// not expired it is CodeBusy. An l.Expires in the past gives it up.
	Lease(ctx context.Context, name string, l Lease) error
	// Prune deletes the oldest finished runs, their records and unused blobs beyond the limits, and
	// returns how many runs went.
	Prune(ctx context.Context, keep Retention) (int, error)
}

// KV is a plugin's own small memory. Keys are at most 256 bytes, values 64 KiB, 1 MiB a space.
type KV interface {
	Get(ctx context.Context, space, key string) (value []byte, ok bool, err error)
	Put(ctx context.Context, space, key string, value []byte) error
	Delete(ctx context.Context, space, key string) error
	Keys(ctx context.Context, space, prefix string) ([]string, error)
}

// Intent is a call that is about to be made. Args is redacted already.
type Intent struct {
	ID      string          `json:"id"`
	Parent  string          `json:"parent,omitempty"`
	Run     string          `json:"run,omitempty"`
	From    string          `json:"from"`
	Tool    string          `json:"tool"`
	Tab     string          `json:"tab,omitempty"`
	Args    json.RawMessage `json:"args,omitempty"`
	Mutates bool            `json:"mutates,omitempty"`
	At      time.Time       `json:"at"`
}

// Outcome is how a call ended.
type Outcome struct {
	ID     string
	Status string // ok, error (the tool's own), failed (a Go error), crashed, unknown
	Code   string // of the error
	Text   string // of the error, redacted
	Result json.RawMessage
	At     time.Time
	// Blobs are bytes that Result names by their hash, such as pictures. They are stored with the outcome.
	Blobs map[string][]byte
}

// InlineMax is the size in bytes up to which arguments and results lie in the record itself. A longer
// value is a blob, and its record holds the hash: SHA-256 in lower-case hex.
const InlineMax = 32 << 10

// Record is an intent with its outcome; Status is "" while there is none.
type Record struct {
	Seq int64 `json:"seq"`
	Intent
	Status string          `json:"status,omitempty"`
	Code   string          `json:"code,omitempty"`
	Text   string          `json:"text,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Ended  time.Time       `json:"ended,omitzero"`
	// ArgsBlob and ResultBlob are hashes where a value over 32 KB lies outside of the row.
	ArgsBlob   string `json:"args_blob,omitempty"`
	ResultBlob string `json:"result_blob,omitempty"`
}

// Run is the row of one run. Spec and State belong to the agent.
type Run struct {
	ID      string          `json:"id"`
	Parent  string          `json:"parent,omitempty"`
	Goal    string          `json:"goal"`
	Status  string          `json:"status"` // running, success, partial, failed, refused, needs_user, interrupted
	Spec    json.RawMessage `json:"spec,omitempty"`
	State   json.RawMessage `json:"state,omitempty"`
	Started time.Time       `json:"started"`
	Ended   time.Time       `json:"ended,omitzero"`
}

// Lease says who works on something.
type Lease struct {
	Owner   string
	Started time.Time
	Expires time.Time
}

// Retention bounds the journal; a zero field does not bound.
type Retention struct {
	Runs  int
	Age   time.Duration
	Bytes int64
}
