package cdp

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/wb-agent/wb/ports"
)

// Find returns the path of a Chromium-based browser: Chrome, Chromium, Edge or Brave, the real binary
// rather than a distribution's wrapper. CodeNoBrowser if there is none.
func Find() (string, error) {
	return find(runtime.GOOS, os.Getenv, isProgram, exec.LookPath)
}

func find(goos string, env func(string) string, there func(string) bool, look func(string) (string, error)) (string, error) {
	for _, p := range candidates(goos, env) {
		if there(p) {
			return p, nil
		}
	}
	for _, name := range []string{"google-chrome-stable", "google-chrome", "chromium", "chromium-browser", "chrome", "microsoft-edge", "brave-browser"} {
		if p, err := look(name); err == nil {
			return p, nil
		}
	}
	return "", ports.NewError(ports.CodeNoBrowser, "no Chrome, Chromium, Edge or Brave found", "install one (Debian: apt install chromium) or name it with --browser PATH")
}

func candidates(goos string, env func(string) string) []string {
	switch goos {
	case "darwin":
		return underEach([]string{"/Applications", filepath.Join(env("HOME"), "Applications")},
			"Google Chrome.app/Contents/MacOS/Google Chrome", "Chromium.app/Contents/MacOS/Chromium",
			"Microsoft Edge.app/Contents/MacOS/Microsoft Edge", "Brave Browser.app/Contents/MacOS/Brave Browser")
	case "windows":
		return underEach([]string{env("ProgramFiles"), env("ProgramFiles(x86)"), env("LocalAppData")},
			`Google\Chrome\Application\chrome.exe`, `Chromium\Application\chrome.exe`,
			`Microsoft\Edge\Application\msedge.exe`, `BraveSoftware\Brave-Browser\Application\brave.exe`)
	}
	return []string{
		"/opt/google/chrome/chrome", "/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser", "/usr/lib/chromium-browser/chromium-browser",
		"/opt/microsoft/msedge/msedge", "/opt/brave.com/brave/brave",
	}
}

func underEach(roots []string, paths ...string) []string {
	var out []string
	for _, p := range paths {
		for _, r := range roots {
			if r != "" {
				out = append(out, filepath.Join(r, p))
			}
		}
	}
	return out
}

func isProgram(p string) bool {
	st, err := os.Stat(p)
	return err == nil && st.Mode().IsRegular()
}
