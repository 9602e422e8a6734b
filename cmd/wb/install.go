package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/ports"
)

func installCommand() *cobra.Command {
	var service, remove bool
	c := &cobra.Command{
		Use:   "install",
		Short: "Let the extension connect without a code, and start wb at login",
		Long: `Install tells the browsers of this user which program is wb, so that the extension may connect by itself: the
browser vouches for the extension. With --service it also writes a unit of systemd (Linux) or an agent of launchd
(macOS) that starts the daemon at login; nothing is written outside of your home folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configFor(cmd)
			if err != nil {
				return err
			}
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			if remove {
				return uninstall(home)
			}
			return install(cfg, home, service)
		},
	}
	c.Flags().BoolVar(&service, "service", false, "start the daemon at login")
	c.Flags().BoolVar(&remove, "remove", false, "take everything back that install wrote")
	return c
}

func install(cfg *Config, home string, service bool) error {
	wb, err := os.Executable()
	if err != nil {
		return err
	}
	written, err := registerNative(cfg, home, wb)
	if err != nil {
		return err
	}
	slices.Sort(written)
	switch {
	case runtime.GOOS == "windows":
		fmt.Println("Windows keeps native hosts in its registry, which wb does not write: pair with a code (wb pair)")
	case len(written) == 0:
		fmt.Println("no browser was found in this home folder; pair with a code (wb pair)")
	default:
		fmt.Printf("known to %s: the extension connects without a code\n", strings.ReplaceAll(strings.Join(written, ", "), "firefox", "Firefox"))
	}
	if !service {
		return nil
	}
	return installService(home, wb)
}

// unit is a service of the user's own systemd. It may write the data and cache folders and nothing else.
func unit(wb string) string {
	return fmt.Sprintf(`[Unit]
Description=wb, hands and eyes in a browser for a language model
After=network.target

[Service]
ExecStart=%q serve
Restart=on-failure
RestartSec=2
NoNewPrivileges=yes

[Install]
WantedBy=default.target
`, wb)
}

// agentOf is an agent of launchd.
func agentOf(wb string) string {
	esc := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(wb)
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>Label</key><string>` + nativeName + `</string>
  <key>ProgramArguments</key><array><string>` + esc + `</string><string>serve</string></array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
</dict></plist>
`
}

// serviceFile is where the service is written, its text, and what starts it.
func serviceFile(goos, home, wb string) (file, text string, start []string, ok bool) {
	switch goos {
	case "linux":
		return filepath.Join(home, ".config", "systemd", "user", "wb.service"), unit(wb), []string{"systemctl", "--user", "enable", "--now", "wb.service"}, true
	case "darwin":
		f := filepath.Join(home, "Library", "LaunchAgents", nativeName+".plist")
		return f, agentOf(wb), []string{"launchctl", "load", "-w", f}, true
	}
	return "", "", nil, false
}

func installService(home, wb string) error {
	file, text, start, ok := serviceFile(runtime.GOOS, home, wb)
	if !ok {
		return ports.NewError(ports.CodeUsage, "wb writes no service on "+runtime.GOOS, "start it at login yourself: wb up --no-open")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	fmt.Println("written: " + file)
	if out, err := exec.Command(start[0], start[1:]...).CombinedOutput(); err != nil {
		fmt.Printf("it could not be started now (%s); it starts at the next login, or by: %s\n", clean(string(out)+" "+err.Error(), 200), strings.Join(start, " "))
	}
	return nil
}

// uninstall removes what install wrote, wherever it was.
func uninstall(home string) error {
	files := []string{}
	for _, dir := range nativeFolders(home) {
		files = append(files, filepath.Join(dir, nativeName+".json"))
	}
	if file, _, _, ok := serviceFile(runtime.GOOS, home, ""); ok {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, f := range files {
		switch err := os.Remove(f); {
		case err == nil:
			fmt.Println("removed: " + f)
		case !errors.Is(err, os.ErrNotExist):
			return err
		}
	}
	return nil
}
