//go:build unix

package cdp

import (
	"os/exec"
	"syscall"
)

// killGroup ends the browser and everything it started.
func killGroup(cmd *exec.Cmd) {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
}
