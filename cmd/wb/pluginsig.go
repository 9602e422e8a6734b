package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"

	"github.com/wb-agent/wb/ports"
)

// checkSignature checks plugin.json.sig, Ed25519 over the bytes of plugin.json, which names the entry's
// hash. The key is the one given now, else the one that was pinned; it returns the one to pin. Without
// either a signature proves nothing and is not looked at.
func checkSignature(b bundle, given, pinned string) (string, error) {
	key := firstOf(given, pinned)
	if key == "" {
		return "", nil
	}
	pub, err := publicKey(key)
	if err != nil {
		return "", err
	}
	fail := func(what string) error {
		fix := "get it from its author again; do not add it otherwise"
		if given == "" {
			fix += "; if the author has a new key, give it with --key"
		}
		return ports.NewError(ports.CodeRefused, "plugin "+b.m.ID+": "+what, fix)
	}
	if b.sig == nil {
		return "", fail("it is not signed: no " + sigName)
	}
	sig := b.sig
	if len(sig) != ed25519.SignatureSize {
		sig, err = base64.StdEncoding.DecodeString(string(bytes.TrimSpace(sig)))
	}
	if err != nil || !ed25519.Verify(pub, b.manifest, sig) {
		return "", fail("the signature is not made with the key")
	}
	return base64.StdEncoding.EncodeToString(pub), nil
}

// publicKey reads 32 bytes or their PKIX form, in base64.
func publicKey(s string) (ed25519.PublicKey, error) {
	b, err := base64.StdEncoding.DecodeString(s)
	if err == nil && len(b) == ed25519.PublicKeySize {
		return b, nil
	}
	if err == nil {
		if k, err := x509.ParsePKIXPublicKey(b); err == nil {
			if pub, ok := k.(ed25519.PublicKey); ok {
				return pub, nil
			}
		}
	}
	return nil, ports.NewError(ports.CodeUsage, "--key is not an Ed25519 public key", "give its 32 bytes, or its PKIX form, in base64")
}
