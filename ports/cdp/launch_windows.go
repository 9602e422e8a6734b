package cdp

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// passPipe hands the pipe to the child as inherited handles that are named on its command line.
func passPipe(cmd *exec.Cmd, in, out *os.File) {
	read, write := syscall.Handle(in.Fd()), syscall.Handle(out.Fd())
	for _, h := range []syscall.Handle{read, write} {
		_ = syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{read, write}, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
	cmd.Args = append(cmd.Args, "--remote-debugging-io-pipes="+strconv.Itoa(int(read))+","+strconv.Itoa(int(write)))
}

// killGroup ends the browser with its children, which end when it does.
func killGroup(cmd *exec.Cmd) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
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
