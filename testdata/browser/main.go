// Command browser finds a Chromium for the tests and the demo, and installs Debian's where there is none
// and it may. It prints the path.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/wb-agent/wb/ports/cdp"
)

func main() {
	path, err := cdp.Find()
	if err != nil {
		if path, err = install(err); err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
	}
	fmt.Println("browser:", path)
}

func install(missing error) (string, error) {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return "", fmt.Errorf("%w; install Chromium or Chrome and run it again", missing)
	}
	fmt.Fprintln(os.Stderr, "no Chromium here: installing Debian's package")
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"}} {
		cmd := exec.Command(apt, args...)
		if os.Geteuid() != 0 {
			cmd = exec.Command("sudo", append([]string{apt}, args...)...)
		}
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("apt-get %v: %w; install chromium by hand", args, err)
		}
	}
	return cdp.Find()
}
