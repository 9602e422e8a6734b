package journal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/wb-agent/wb/kernel/journal"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/memory"
)

// fixture is a journal on a store whose End can be made to fail.
type fixture struct {
	*memory.Store
	j       *journal.Journal
	failing error
	log     strings.Builder
}

func (f *fixture) End(ctx context.Context, out ports.Outcome) error {
	if f.failing != nil {
		return f.failing
	}
	return f.Store.End(ctx, out)
}

func newFixture(edit func(*journal.Options)) *fixture {
	f := &fixture{Store: memory.New(time.Now)}
	n := 0
	opt := journal.Options{
		Clock: ports.ClockFunc(time.Now), NewID: func() string { n++; return fmt.Sprint("id", n) },
		Mutates: func(tool string) bool { return tool != "read" },
		Log:     slog.New(slog.NewTextHandler(&f.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if edit != nil {
		edit(&opt)
	}
	f.j = journal.New(f, opt)
	return f
}

// call makes a call the way the kernel does.
func (f *fixture) call(ctx context.Context, tool string, do func() (ports.Result, error)) (res ports.Result, err error) {
	_, rec, err := f.j.Begin(ctx, ports.Call{Tool: tool, Run: "r", Args: json.RawMessage(`{"a":1}`)})
	if err != nil {
		return ports.Result{}, err
	}
	defer func() { res, err = rec.End(recover(), res, err) }()
	return do()
}

func (f *fixture) last(t *testing.T) ports.Record {
	t.Helper()
	recs, err := f.Since(context.Background(), "r", 0, 100)
	if err != nil || len(recs) == 0 {
		t.Fatal("no record", err)
	}
	return recs[len(recs)-1]
}

func TestStatuses(t *testing.T) {
	refused := ports.NewError(ports.CodeRefused, "no password=hunter2", "")
	for name, tt := range map[string]struct {
		do           func() (ports.Result, error)
		status, code string
	}{
		"ok":      {func() (ports.Result, error) { return ports.TextResult("hi"), nil }, journal.StatusOK, ""},
		"error":   {func() (ports.Result, error) { return ports.ErrorResult("hi"), nil }, journal.StatusError, ""},
		"failed":  {func() (ports.Result, error) { return ports.Result{}, refused }, journal.StatusFailed, ports.CodeRefused},
		"plain":   {func() (ports.Result, error) { return ports.Result{}, errors.New("x") }, journal.StatusFailed, ""},
		"unknown": {func() (ports.Result, error) { return ports.Result{}, ports.NewError(ports.CodeUnknown, "x", "") }, journal.StatusUnknown, ports.CodeUnknown},
		"panic":   {func() (ports.Result, error) { panic("token=abcdefgh") }, journal.StatusCrashed, ports.CodeCrashed},
		"index":   {func() (ports.Result, error) { return ports.Result{}, errors.New("abc"[len(t.Name())*99:]) }, journal.StatusCrashed, ports.CodeCrashed},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(nil)
			_, err := f.call(t.Context(), "click", tt.do)
			rec := f.last(t)
			if rec.Status != tt.status || rec.Code != tt.code || ports.CodeOf(err) != tt.code || rec.Ended.IsZero() {
				t.Errorf("got %+v, error %v", rec, err)
			}
			if strings.Contains(rec.Text, "hunter2") || strings.Contains(rec.Text+f.log.String(), "abcdefgh") {
				t.Errorf("not redacted: %q, log %q", rec.Text, f.log.String())
			}
			if tt.status == journal.StatusCrashed && !strings.Contains(f.log.String(), "journal_test.go") {
				t.Errorf("the stack is lost: %s", f.log.String())
			}
		})
	}
}

func TestOutcomeThatCannotBeStored(t *testing.T) {
	for tool, want := range map[string]string{"click": ports.CodeUnknown, "read": ports.CodeStorage} {
		f := newFixture(nil)
		closed := false
		res, err := f.call(t.Context(), tool, func() (ports.Result, error) {
			f.failing = ports.NewError(ports.CodeStorage, "disk full", "free some space")
			return ports.Result{Body: closer{strings.NewReader("x"), &closed}}, nil
		})
		if ports.CodeOf(err) != want || res.Body != nil || !closed || !strings.Contains(ports.FixOf(err), "free some space") {
			t.Errorf("%s: %v, fix %q, closed %v", tool, err, ports.FixOf(err), closed)
		}
	}
}

type closer struct {
	io.Reader
	closed *bool
}

func (c closer) Close() error { *c.closed = true; return nil }

func TestIntentThatCannotBeStored(t *testing.T) {
	f := newFixture(func(o *journal.Options) { o.NewID = func() string { return "same" } })
	ran := 0
	do := func() (ports.Result, error) { ran++; return ports.Result{}, nil }
	if _, err := f.call(t.Context(), "click", do); err != nil {
		t.Fatal(err)
	}
	if _, err := f.call(t.Context(), "click", do); ports.CodeOf(err) != ports.CodeStorage || ran != 1 {
		t.Errorf("got %v, ran %d times", err, ran)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.call(ctx, "click", do); ports.CodeOf(err) != ports.CodeCancelled || ran != 1 {
		t.Errorf("cancelled: %v, ran %d times", err, ran)
	}
}

func TestOutcomeIsStoredAfterCancel(t *testing.T) {
	f := newFixture(nil)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := f.call(ctx, "click", func() (ports.Result, error) { cancel(); return ports.Result{}, ctx.Err() })
	if rec := f.last(t); rec.Status != journal.StatusFailed || !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", rec, err)
	}
}

func TestBody(t *testing.T) {
	for name, tt := range map[string]struct {
		take func(io.ReadCloser)
		want string
	}{
		"to its end":      {func(b io.ReadCloser) { _, _ = io.ReadAll(b) }, `"body":{"bytes":5,"reads":6,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824","whole":true}`},
		"closed midway":   {func(b io.ReadCloser) { _, _ = io.ReadFull(b, make([]byte, 2)); _ = b.Close() }, `"bytes":2,"reads":2,`},
		"closed twice":    {func(b io.ReadCloser) { _ = b.Close(); _ = b.Close() }, `"bytes":0,"reads":0,`},
		"read after that": {func(b io.ReadCloser) { _, _ = io.ReadAll(b); _, _ = b.Read(make([]byte, 1)); _ = b.Close() }, `"bytes":5,"reads":6,`},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(nil)
			res, err := f.call(t.Context(), "read", func() (ports.Result, error) {
				return ports.Result{Data: json.RawMessage(`{"status":200}`), Body: io.NopCloser(iotest.OneByteReader(strings.NewReader("hello")))}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			tt.take(res.Body)
			if got := string(f.last(t).Result); !strings.Contains(got, tt.want) || !strings.Contains(got, `"status":200`) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestBodyWhoseEndCannotBeStored(t *testing.T) {
	f := newFixture(nil)
	res, err := f.call(t.Context(), "read", func() (ports.Result, error) {
		return ports.Result{Body: io.NopCloser(strings.NewReader("hello"))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f.failing = errors.New("gone")
	if _, err := io.ReadAll(res.Body); ports.CodeOf(err) != ports.CodeStorage {
		t.Errorf("read: %v", err)
	}
	if err := res.Body.Close(); ports.CodeOf(err) != ports.CodeStorage {
		t.Errorf("close: %v", err)
	}
}

func TestMetadataKeepsNoValues(t *testing.T) {
	f := newFixture(func(o *journal.Options) { o.Metadata = true })
	res, err := f.call(t.Context(), "read", func() (ports.Result, error) {
		return ports.Result{Content: []ports.Content{{Type: "text", Text: "private"}}, Body: io.NopCloser(strings.NewReader("private"))}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadAll(res.Body)
	if rec := f.last(t); rec.Args != nil || strings.Contains(string(rec.Result), "private") || !strings.Contains(string(rec.Result), `"bytes":7`) || rec.Tool != "read" {
		t.Errorf("got %+v", rec)
	}
	_, _ = f.call(t.Context(), "click", func() (ports.Result, error) { return ports.Result{}, errors.New("private") })
	if rec := f.last(t); rec.Text != "" || rec.Status != journal.StatusFailed {
		t.Errorf("got %+v", rec)
	}
}
