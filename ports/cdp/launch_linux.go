package cdp

import (
	"os"
	"os/exec"
	"syscall"
)

// passPipe hands the pipe to the child as descriptors 3 and 4, in its own process group, to be killed when
// the thread that starts it ends.
func passPipe(cmd *exec.Cmd, in, out *os.File) {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
