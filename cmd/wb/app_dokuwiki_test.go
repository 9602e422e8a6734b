package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	wikiSource = "/usr/share/dokuwiki"
	wikiConfig = "/etc/dokuwiki"
	// wikiPreload moves everything that DokuWiki reads and writes into the copy.
	wikiPreload = "<?php\ndefine('DOKU_CONF', dirname(__DIR__).'/conf/');\n"
	wikiLocal   = "<?php\n$conf['title'] = 'Test wiki';\n$conf['useacl'] = 0;\n$conf['savedir'] = dirname(__DIR__).'/data';\n"
	wikiPage    = "====== Teapots ======\n\nWe have **no** teapots.\n"
)

// A run edits a page of a DokuWiki: it opens the editor, replaces the text and saves. The page's file says
// what came of it.
func TestAppDokuWiki(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	php, err := exec.LookPath("php")
	need(t, "Debian's php-cli", err)
	_, err = os.Stat(filepath.Join(wikiSource, "doku.php"))
	need(t, "Debian's dokuwiki", err)
	wiki := copyWiki(t)
	addr := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), php, "-S", addr, "-t", wiki)
	cmd.Env = append(os.Environ(), "PHP_CLI_SERVER_WORKERS=4")
	server(t, cmd, addr)

	p := newPerson(t, "dokuwiki.yaml", 64_000)
	p.wb(t, exitOK, "run", "Edit the page: we have two red teapots now.", "--url", "http://"+addr+"/doku.php?id=teapots", "--json")

	b, err := os.ReadFile(filepath.Join(wiki, "data", "pages", "teapots.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.ReplaceAll(string(b), "\r\n", "\n"), "====== Teapots ======\n\nWe have **two** red teapots.\n\n  * one for Ada\n  * one for “Grace” & Søren"; strings.TrimSpace(got) != want {
		t.Errorf("the page holds %q, want %q", got, want)
	}
}

// copyWiki makes a wiki of its own from what Debian installed, and returns its folder.
func copyWiki(t *testing.T) string {
	t.Helper()
	wiki := t.TempDir()
	copyTree(t, wikiSource, wiki)
	for _, f := range []string{"acronyms.conf", "dokuwiki.php", "entities.conf", "interwiki.conf", "license.php", "mime.conf", "plugins.php", "plugins.required.php", "scheme.conf", "smileys.conf", "wordblock.conf"} {
		b, err := os.ReadFile(filepath.Join(wikiConfig, f))
		if err != nil {
			t.Fatal(err)
		}
		writeIn(t, wiki, "conf/"+f, string(b))
	}
	writeIn(t, wiki, "inc/preload.php", wikiPreload)
	writeIn(t, wiki, "conf/local.php", wikiLocal)
	writeIn(t, wiki, "data/pages/teapots.txt", wikiPage)
	for _, dir := range []string{"attic", "cache", "index", "locks", "log", "media", "media_attic", "media_meta", "meta", "tmp"} {
		if err := os.MkdirAll(filepath.Join(wiki, "data", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return wiki
}

func writeIn(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// copyTree copies a folder; a link to a folder or file becomes what it leads to, if that can be read.
func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil // a link into what only the web server's user reads
		case d.Type()&fs.ModeSymlink != 0 && info.IsDir():
			target, err := filepath.EvalSymlinks(path)
			if err != nil {
				return err
			}
			copyTree(t, target, filepath.Join(to, rel))
			return nil
		case info.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), b, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}
