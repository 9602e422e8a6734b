package portstest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

// KV tests plugin memory. open returns a fresh, empty one.
func KV(t *testing.T, open func(t *testing.T) ports.KV) {
	t.Run("round trip", func(t *testing.T) { kvRoundTrip(t, open(t)) })
	t.Run("limits", func(t *testing.T) { kvLimits(t, open(t)) })
}

func kvRoundTrip(t *testing.T, kv ports.KV) {
	ctx := t.Context()
	for _, k := range []string{"b", "a/1", "a/2", "a%", "ä"} {
		if err := kv.Put(ctx, "s1", k, []byte(k)); err != nil {
			t.Fatal(err)
		}
	}
	if err := kv.Put(ctx, "s2", "b", nil); err != nil {
		t.Fatal(err)
	}
	if err := kv.Put(ctx, "s1", "b", []byte{0, 255}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ space, prefix, want string }{
		{"s1", "", "[a% a/1 a/2 b ä]"}, {"s1", "a/", "[a/1 a/2]"}, {"s1", "%", "[]"}, {"s2", "", "[b]"}, {"s3", "", "[]"},
	} {
		keys, err := kv.Keys(ctx, tt.space, tt.prefix)
		if got := fmt.Sprint(keys); err != nil || got != tt.want {
			t.Errorf("Keys(%s, %q) = %s, %v; want %s", tt.space, tt.prefix, got, err, tt.want)
		}
	}
	if v, ok, err := kv.Get(ctx, "s1", "b"); !bytes.Equal(v, []byte{0, 255}) || !ok || err != nil {
		t.Errorf("Get = %v, %v, %v", v, ok, err)
	}
	if v, ok, err := kv.Get(ctx, "s2", "b"); len(v) != 0 || !ok || err != nil {
		t.Errorf("an empty value: %v, %v, %v", v, ok, err)
	}
	for range 2 {
		if err := kv.Delete(ctx, "s1", "b"); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := kv.Get(ctx, "s1", "b"); ok || err != nil {
		t.Errorf("deleted: %v, %v", ok, err)
	}
}

func kvLimits(t *testing.T, kv ports.KV) {
	ctx := t.Context()
	full := make([]byte, 64<<10)
	code(t, kv.Put(ctx, "s", "", nil), ports.CodeOversized)
	code(t, kv.Put(ctx, "s", strings.Repeat("k", 257), nil), ports.CodeOversized)
	code(t, kv.Put(ctx, "s", "k", append(full, 0)), ports.CodeOversized)
	for i := range 15 {
		if err := kv.Put(ctx, "s", fmt.Sprint(i), full); err != nil {
			t.Fatal(err)
		}
	}
	if err := kv.Put(ctx, "s", "0", full); err != nil {
		t.Errorf("the same key again: %v", err)
	}
	code(t, kv.Put(ctx, "s", "last", full), ports.CodeOversized)
	if err := kv.Put(ctx, "other", "last", full); err != nil {
		t.Errorf("another space: %v", err)
	}
}
