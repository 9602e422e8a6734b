package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/sqlite"
)

// An export is gzipped JSON: what a person's wb knows, in one file that any wb of the same format version reads.
const (
	exportFormat  = "wb-export"
	exportVersion = 1
)

// maxExport bounds an export, in bytes as it lies in the file and as it is read.
const (
	maxExport = 40 << 20
	maxBundle = 512 << 20
)

// bundleFile is an export. Keys names the secrets that Secrets, an age file, holds.
type bundleFile struct {
	Format   string           `json:"format"`
	Version  int              `json:"version"`
	At       time.Time        `json:"at"`
	Settings json.RawMessage  `json:"settings,omitempty"`
	Keys     []string         `json:"keys,omitempty"`
	Secrets  string           `json:"secrets,omitempty"`
	Runs     []sqlite.Carried `json:"runs,omitempty"`
}

// summary is what there is to be taken along or deleted.
type summary struct {
	Conversations int      `json:"conversations"`
	Runs          int      `json:"runs"`
	Bytes         int64    `json:"bytes"`
	Keys          []string `json:"keys"`
	Clients       int      `json:"clients"`
}

func (d *daemon) dataSummary(ctx context.Context, _ struct{}) (any, error) {
	runs, err := d.store.Runs(ctx, 1_000_000)
	if err != nil {
		return nil, err
	}
	clients, err := d.clients.list(ctx)
	if err != nil {
		return nil, err
	}
	s := summary{Runs: len(runs), Keys: append([]string{}, d.secrets.Stored(ctx)...), Clients: len(clients)}
	talks := map[string]bool{}
	for _, r := range runs {
		if t := taskOf(r); t.Session != "" {
			talks[t.Session] = true
		}
	}
	s.Conversations = len(talks)
	for _, name := range []string{"wb.db", "wb.db-wal"} {
		if info, err := os.Stat(filepath.Join(d.config().DataDir, name)); err == nil {
			s.Bytes += info.Size()
		}
	}
	return s, nil
}

// exportData puts all finished runs and the page's settings into one file, and with a passphrase the stored keys.
func (d *daemon) exportData(ctx context.Context, a struct {
	Passphrase string `json:"passphrase"`
}) (any, error) {
	d.moving.Lock()
	defer d.moving.Unlock()
	now := time.Now()
	f := bundleFile{Format: exportFormat, Version: exportVersion, At: now.UTC(), Settings: ports.JSON(d.config().layers.page().k.Raw())}
	if a.Passphrase != "" {
		d.redact.Add(a.Passphrase)
		sealed, err := d.secrets.Seal(ctx, a.Passphrase)
		if err != nil {
			return nil, err
		}
		f.Keys, f.Secrets = d.secrets.Stored(ctx), sealed
	}
	if err := d.store.Carry(ctx, func(c sqlite.Carried) error {
		f.Runs = append(f.Runs, c)
		return nil
	}); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&limited{w: &b, left: maxExport})
	err := json.NewEncoder(z).Encode(f)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"name": "wb-" + now.Format("2006-01-02") + ".json.gz", "data": b.Bytes()}, nil
}

// limited fails rather than let an export grow beyond what can be carried.
type limited struct {
	w    io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	if l.left -= len(b); l.left < 0 {
		return 0, ports.NewError(ports.CodeOversized, "the export is larger than 40 MB", "keep fewer tasks, or copy the data folder while wb is stopped")
	}
	return l.w.Write(b)
}

// deleteData deletes conversations, or everything that wb keeps but plugins and files that a person wrote.
func (d *daemon) deleteData(ctx context.Context, a struct {
	What string `json:"what"`
}) (any, error) {
	d.moving.Lock()
	defer d.moving.Unlock()
	var err error
	switch a.What {
	case "conversations":
		err = d.panel.Forget(func() error { return d.store.Erase(ctx, false, "") })
	case "everything":
		err = d.panel.Forget(func() error { return d.eraseAll(ctx) })
	default:
		return nil, ports.NewError(ports.CodeInvalidArgs, "nothing of that name can be deleted", `use "conversations" or "everything"`)
	}
	if err != nil {
		return nil, err
	}
	d.pairings.notify("changed", map[string]bool{"forgotten": true})
	return struct{}{}, nil
}

// eraseAll forgets keys first: what is left after an error is told of, and can be deleted again. The pairings end
// once the answer is on its way.
func (d *daemon) eraseAll(ctx context.Context) error {
	for _, name := range d.secrets.Stored(ctx) {
		if err := d.secrets.Delete(ctx, name); err != nil {
			return err
		}
	}
	if err := d.resetSettings(); err != nil {
		return err
	}
	if err := d.browser.Close(); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(d.config().DataDir, "profiles")); err != nil {
		return err
	}
	paired, err := d.clients.list(ctx)
	if err != nil {
		return err
	}
	if err := d.store.Erase(ctx, true, hostSpace, "serve"); err != nil {
		return err
	}
	time.AfterFunc(200*time.Millisecond, func() {
		for _, c := range paired {
			_ = d.relay.Revoke(context.WithoutCancel(ctx), c.ID) // it is forgotten; this ends its connections
		}
	})
	return nil
}
