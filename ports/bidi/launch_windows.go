package bidi

import (
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// ownGroup gives the browser a process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killGroup ends the browser with its children.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run() // gone already is as good
	_ = cmd.Process.Kill()
}

// running says whether there is a process of that id.
func running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

func client() *http.Client { return http.DefaultClient }
