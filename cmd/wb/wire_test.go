package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/local"
	"github.com/wb-agent/wb/ports/panel"
	"github.com/wb-agent/wb/ports/relay"
)

// Both ends of the wire are held to one file of messages: here each is read without an unknown field and written
// as it was; extension/src/shared/messages.ts holds the types of the other end to it when they are checked.
func TestWireMessages(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "relay", "messages.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	into := map[string]any{
		"challenge": &relay.Challenge{}, "hello": &relay.Hello{}, "hello of a panel": &relay.Hello{}, "welcome": &relay.Welcome{}, "pair": &relay.Pair{},
		"paired": &relay.Paired{}, "told": &relay.Told{}, "command": &relay.Command{}, "failure": &relay.Failure{}, "event": &panel.Event{},
		"session": &panel.Info{}, "start": &panel.Start{}, "question": &panel.Question{}, "answer": &ports.Answer{},
		"provider entry": &providerEntry{}, "new provider": &newProvider{}, "offer": &offer{}, "grant": &grant{}, "client": &clientInfo{},
		"local server": &local.Server{}, "check": &check{}, "import": &brought{},
	}
	for name, raw := range all {
		v := into[name]
		if v == nil {
			t.Errorf("%s: no type here reads it", name)
			continue
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(v); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var was, is any
		if err := json.Unmarshal(raw, &was); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(ports.JSON(v), &is); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(was, is); d != "" {
			t.Errorf("%s is written otherwise than read (-read +written):\n%s", name, d)
		}
	}
	for name := range into {
		if all[name] == nil {
			t.Errorf("%s: testdata/relay has no example", name)
		}
	}
}
