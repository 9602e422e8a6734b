package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A run logs in to PocketBase's dashboard with a password that it never sees, makes a collection with a
// field, and a record in it. PocketBase's own API and file say what is there.
func TestAppPocketBase(t *testing.T) {
	t.Parallel()
	needBrowser(t)
	const email, password = "ada@example.org", "correct-horse-77"
	bin := buildPocketBase(t)
	data, addr := t.TempDir(), freeAddress(t)
	if out, err := exec.CommandContext(t.Context(), bin, "superuser", "upsert", email, password, "--dir", data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	server(t, exec.CommandContext(t.Context(), bin, "serve", "--http", addr, "--dir", data), addr)

	p := newPerson(t, "pocketbase.yaml", 64_000)
	origin := "http://" + addr
	p.env = append(p.env, "WB_SECRET_POCKETBASE="+password, "WB_SECRET_POCKETBASE_ORIGINS="+origin)
	if seen := p.wb(t, exitOK, "call", "get_accessibility_tree", "--url", origin+"/_/"); !strings.Contains(seen, `textbox "Password`) {
		t.Errorf("the first look, at a page that draws itself, shows %q", seen)
	}
	events := p.wb(t, exitOK, "run", "Log in as ada@example.org with the password that is kept as POCKETBASE. Make a collection teapots with a text field title, and a record in it: Red teapot.",
		"--url", origin+"/_/", "--json")

	for _, title := range pocketBaseTitles(t, origin, email, password) {
		if title != "Red teapot" {
			t.Errorf("the record's title is %q", title)
		}
	}
	onDisk := ""
	for _, f := range []string{"data.db", "data.db-wal"} {
		b, _ := os.ReadFile(filepath.Join(data, f)) // the write-ahead log may be gone
		onDisk += string(b)
	}
	if !strings.Contains(onDisk, "Red teapot") || !strings.Contains(onDisk, "CREATE TABLE `teapots`") {
		t.Error("the collection or its record is not in PocketBase's file")
	}

	trace := p.wb(t, exitOK, "trace", "export", runID(t, events))
	for where, text := range map[string]string{"events": events, "trace": trace} {
		if strings.Contains(text, password) {
			t.Errorf("the password is in the %s", where)
		}
	}
	for i, r := range p.model.Requests() {
		if bytes.Contains(r.Body, []byte(password)) {
			t.Errorf("the password went to the model in request %d", i)
		}
	}
	nowhereIn(t, p.data, password)
}

func buildPocketBase(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "pocketbase")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", bin, ".")
	cmd.Dir, cmd.Env = filepath.Join(apps, "pocketbase"), append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("%s", out)
	}
	need(t, "PocketBase, which go build downloads", err)
	return bin
}

// pocketBaseTitles are the titles of all records of the collection, by PocketBase's own API.
func pocketBaseTitles(t *testing.T, origin, email, password string) (titles []string) {
	t.Helper()
	var auth struct{ Token string }
	body, err := json.Marshal(map[string]string{"identity": email, "password": password})
	if err != nil {
		t.Fatal(err)
	}
	fetchJSON(t, http.MethodPost, origin+"/api/collections/_superusers/auth-with-password", "", body, &auth)
	var records struct{ Items []struct{ Title string } }
	fetchJSON(t, http.MethodGet, origin+"/api/collections/teapots/records", auth.Token, nil, &records)
	for _, r := range records.Items {
		titles = append(titles, r.Title)
	}
	if len(titles) != 1 {
		t.Errorf("%d records, want 1: %q", len(titles), titles)
	}
	return titles
}

func fetchJSON(t *testing.T, method, url, token string, body []byte, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }() // it was read
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", method, url, res.Status)
	}
	if err := json.NewDecoder(res.Body).Decode(into); err != nil {
		t.Fatal(err)
	}
}
