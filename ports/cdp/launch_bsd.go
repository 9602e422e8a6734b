//go:build unix && !linux

package cdp

import (
	"os"
	"os/exec"
	"syscall"
)

// passPipe hands the pipe to the child as descriptors 3 and 4, in its own process group. When we die the
// pipe closes, and the browser ends by itself.
func passPipe(cmd *exec.Cmd, in, out *os.File) {
	cmd.ExtraFiles = []*os.File{in, out}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
