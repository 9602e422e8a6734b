package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"

	"github.com/wb-agent/wb/ports"
)

// lockVersion is of the lock file's format.
const lockVersion = 1

// pluginLock is plugins.lock: what a person agreed to, by plugin id.
type pluginLock struct {
	Version int            `json:"version"`
	Plugins map[string]pin `json:"plugins"`
}

// pin is one plugin as it was when a person added it. Files that differ from it are not run.
type pin struct {
	Version  string        `json:"version"`
	Manifest string        `json:"manifest_sha256"` // of plugin.json, in hex
	Entry    string        `json:"entry_sha256"`
	Grants   []ports.Grant `json:"grants"`        // granted, which may be less than asked
	Source   string        `json:"source"`        // where it came from
	Key      string        `json:"key,omitempty"` // Ed25519 public key in base64: updates must be signed with it
}

var pinnedHash = regexp.MustCompile(`^[0-9a-f]{64}$`)

// parseLock reads a lock file. What it does not understand is an error: half a lock would allow something
// else than it says.
func parseLock(b []byte) (pluginLock, error) {
	var l pluginLock
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return l, err
	}
	if dec.More() {
		return l, errors.New("more than one object")
	}
	if l.Version != lockVersion {
		return l, fmt.Errorf("version %d is not read by this wb", l.Version)
	}
	for id, p := range l.Plugins {
		if !pluginID.MatchString(id) || !pinnedHash.MatchString(p.Manifest) || !pinnedHash.MatchString(p.Entry) {
			return l, fmt.Errorf("plugin %.60q: id or hash is not well-formed", id)
		}
	}
	return l, nil
}

// readLock reads path; a file that is not there is an empty lock.
func readLock(path string) (pluginLock, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return pluginLock{Version: lockVersion}, nil
	}
	var l pluginLock
	if err == nil {
		l, err = parseLock(b)
	}
	if err != nil {
		return l, &ports.Error{Code: ports.CodeUsage, Msg: path, Err: err,
			Fix: "restore it, or delete it and add the plugins again: wb plugin add"}
	}
	return l, nil
}

// write makes path appear whole or not at all, for the user's eyes only.
func (l pluginLock) write(path string) error {
	b, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return err
	}
	if err := replaceFile(path, append(b, '\n')); err != nil {
		return storageError(path, err)
	}
	return nil
}

// set pins a plugin.
func (l *pluginLock) set(id string, p pin) {
	if l.Plugins == nil {
		l.Plugins = map[string]pin{}
	}
	l.Plugins[id] = p
}

func storageError(what string, err error) error {
	return &ports.Error{Code: ports.CodeStorage, Msg: what, Err: err, Fix: "check that the folder may be written to and the disk is not full"}
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
