package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/bidi"
)

// openFirefox starts a Firefox that has the extension installed and knows wb by native messaging: script answers
// there. The test watches it from outside.
func openFirefox(t *testing.T, home, script string) *bidi.Browser {
	t.Helper()
	if _, err := bidi.Find(); err != nil {
		t.Skip("no Firefox:", err)
	}
	profile, ext := t.TempDir(), filepath.Join(home, "extension")
	if err := writeExtensionTo(ext); err != nil {
		t.Skip(err)
	}
	for path, text := range map[string]string{
		filepath.Join(profile, "extensions", firefoxID):                               ext,
		filepath.Join(home, ".mozilla", "native-messaging-hosts", nativeName+".json"): string(nativeManifest(script, "firefox")),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", home)
	b, err := bidi.Launch(t.Context(), bidi.Options{Profile: profile, Prefs: map[string]any{
		"xpinstall.signatures.required": false, "extensions.autoDisableScopes": 0, "extensions.startupScanScopes": 15, "extensions.experiments.enabled": false,
		"network.dns.localDomains": "a.test,b.test,c.test,evil.test,other.test",
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// firefox is a person's Firefox beside the daemon.
func (r *daemonRig) firefox() *bidi.Browser {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	wb := filepath.Join(r.t.TempDir(), "wb") // the test binary is wb under this name
	if err := os.Symlink(self, wb); err != nil {
		r.t.Fatal(err)
	}
	home := r.t.TempDir()
	script := filepath.Join(home, "host.sh")
	r.write(script, fmt.Sprintf("#!/bin/sh\nexport HOME=%s XDG_CONFIG_HOME=%s WB_DATA_DIR=%s\nexec %s native-host \"$@\"\n", home, home, r.cfg.DataDir, wb), 0o755)
	return openFirefox(r.t, home, script)
}

// A person's own tab of Firefox: the run works there by script, with their cookies, and orders once.
func TestLentTabFirefox(t *testing.T) {
	r := newDaemonRig(t, string(demoPlaybook))
	b := r.firefox()
	client := r.paired()
	tabs, err := b.Tabs(t.Context())
	if err != nil || len(tabs) != 1 {
		t.Fatalf("%+v %v", tabs, err)
	}
	tab, err := b.Tab(t.Context(), tabs[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Nav(t.Context(), ports.Nav{URL: r.url}); err != nil {
		t.Fatal(err)
	}
	o := r.look(client)
	o.begin("Order two red teapots for Ada", "1", "act") // the number of a fresh Firefox's first tab
	if out := r.outcome(o, 1); out.Status != "success" {
		t.Fatalf("%+v", out)
	}
	if n := r.shop.Posts(); n != 1 {
		t.Errorf("%d orders in the shop, want 1", n)
	}
}
