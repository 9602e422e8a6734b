// Command browser finds a Chromium for the demo, and with -all a Firefox for the tests too. What is missing it
// installs from Debian where it may. It prints the paths.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/wb-agent/wb/ports/bidi"
	"github.com/wb-agent/wb/ports/cdp"
)

func main() {
	all := flag.Bool("all", false, "Firefox too")
	flag.Parse()
	find := []struct {
		name string
		find func() (string, error)
		pkgs []string
	}{{"Chromium", cdp.Find, []string{"chromium", "fonts-dejavu-core"}}, {"Firefox", bidi.Find, []string{"firefox-esr"}}}
	if !*all {
		find = find[:1]
	}
	for _, f := range find {
		path, err := f.find()
		if err != nil {
			if err = install(f.name, f.pkgs, err); err == nil {
				path, err = f.find()
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "error:", err)
			os.Exit(1)
		}
		fmt.Println("browser:", path)
	}
}

func install(name string, pkgs []string, missing error) error {
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("%w; install %s and run it again", missing, name)
	}
	fmt.Fprintf(os.Stderr, "no %s here: installing Debian's package\n", name)
	for _, args := range [][]string{{"update"}, append([]string{"install", "-y", "--no-install-recommends"}, pkgs...)} {
		cmd := exec.Command(apt, args...)
		if os.Geteuid() != 0 {
			cmd = exec.Command("sudo", append([]string{apt}, args...)...)
		}
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("apt-get %v: %w; install %s by hand", args, err, name)
		}
	}
	return nil
}
