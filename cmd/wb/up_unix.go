//go:build !windows

package main

import (
	"os/exec"
	"syscall"
)

// detach lets the daemon outlive this terminal.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
