package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// What of one value a journal keeps, in bytes. Beyond it lie a prefix of text, and of other values only
// their size and hash: a page of 100 MB is no record.
const (
	maxText  = 4 << 20
	keptText = 256 << 10
	maxBytes = 16 << 20
)

// stored is a result as it lies in a record: pictures by hash, a body by its figures.
type stored struct {
	Content []storedContent `json:"content,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	IsError bool            `json:"is_error,omitempty"`
	Body    *bodyStats      `json:"body,omitempty"`
}

type storedContent struct {
	Type string `json:"type"`
	Text string `json:"text,omitempty"`
	MIME string `json:"mime,omitempty"`
	URI  string `json:"uri,omitempty"`
	Blob string `json:"blob,omitempty"` // hash of Data
	Size int    `json:"size,omitempty"` // bytes of Data; without a hash they are not kept
}

// encode redacts a result and moves its bytes into blobs.
func (j *Journal) encode(res ports.Result, body *bodyStats) (json.RawMessage, map[string][]byte) {
	s := stored{IsError: res.IsError, Body: body}
	var blobs map[string][]byte
	for _, c := range res.Content {
		sc := storedContent{Type: c.Type, Text: j.text(c.Text), MIME: c.MIME, URI: j.text(c.URI), Size: len(c.Data)}
		if len(c.Data) > 0 && len(c.Data) <= maxBytes {
			if blobs == nil {
				blobs = map[string][]byte{}
			}
			sum := sha256.Sum256(c.Data)
			sc.Blob = hex.EncodeToString(sum[:])
			blobs[sc.Blob] = c.Data
		}
		s.Content = append(s.Content, sc)
	}
	if len(res.Data) > 0 {
		s.Data = j.keep(res.Data)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // cannot be: every part is valid JSON
		return json.RawMessage(`{"is_error":true}`), nil
	}
	return bytes.TrimSpace(buf.Bytes()), blobs
}

// keep redacts a JSON value, or says what it was if it is too large.
func (j *Journal) keep(raw json.RawMessage) json.RawMessage {
	if len(raw) > maxText {
		return json.RawMessage(fmt.Sprintf(`{"not_kept":{"bytes":%d,"sha256":"%x"}}`, len(raw), sha256.Sum256(raw)))
	}
	return j.opt.Redact.JSON(raw)
}

// text redacts a text, cuts one that is too large, and says so. It cuts after redacting a little more, so
// that no half of a secret is left at the edge.
func (j *Journal) text(s string) string {
	if len(s) <= maxText {
		return j.opt.Redact.Text(s)
	}
	kept := j.opt.Redact.Text(s[:2*keptText])
	return strings.ToValidUTF8(kept[:min(len(kept), keptText)], "") + fmt.Sprintf("\n[%d bytes in all, the rest is not kept]", len(s))
}

// ResultOf reads the result of a finished call back, redacted as it was stored and without its Body.
// Missing blobs are CodeStorage.
func ResultOf(ctx context.Context, store ports.Store, rec ports.Record) (ports.Result, error) {
	raw := rec.Result
	if rec.ResultBlob != "" {
		b, err := store.Blob(ctx, rec.ResultBlob)
		if err != nil {
			return ports.Result{}, err
		}
		raw = b
	}
	if len(raw) == 0 {
		return ports.Result{}, nil
	}
	var s stored
	if err := json.Unmarshal(raw, &s); err != nil {
		return ports.Result{}, storage("record of "+rec.Tool+" is not readable", err)
	}
	res := ports.Result{Data: s.Data, IsError: s.IsError}
	for _, c := range s.Content {
		content := ports.Content{Type: c.Type, Text: c.Text, MIME: c.MIME, URI: c.URI}
		if c.Blob != "" {
			b, err := store.Blob(ctx, c.Blob)
			if err != nil {
				return ports.Result{}, err
			}
			content.Data = b
		}
		res.Content = append(res.Content, content)
	}
	return res, nil
}

// ArgsOf reads the arguments of a call back, redacted as they were stored.
func ArgsOf(ctx context.Context, store ports.Store, rec ports.Record) (json.RawMessage, error) {
	if rec.ArgsBlob == "" {
		return rec.Args, nil
	}
	return store.Blob(ctx, rec.ArgsBlob)
}
