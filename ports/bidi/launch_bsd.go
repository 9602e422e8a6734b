//go:build unix && !linux

package bidi

import (
	"net/http"
	"os/exec"
	"syscall"
)

// ownGroup gives the browser a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func client() *http.Client { return http.DefaultClient }
