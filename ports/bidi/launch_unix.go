//go:build unix

package bidi

import (
	"os/exec"
	"syscall"
)

// killGroup ends the browser and everything it started.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// running says whether there is a process of that id.
func running(pid int) bool { return syscall.Kill(pid, 0) != syscall.ESRCH }
