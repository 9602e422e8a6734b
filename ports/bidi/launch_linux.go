package bidi

import (
	"context"
	"net"
	"net/http"
	"os/exec"
	"syscall"
)

// ownGroup gives the browser a process group, to be killed when the thread that starts it ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// quickAck acknowledges each read at once: Firefox writes 32 KiB pieces and waits for the acknowledgement, which
// Linux delays by 40 ms.
type quickAck struct {
	net.Conn
	raw syscall.RawConn
}

func (q quickAck) arm() {
	_ = q.raw.Control(func(fd uintptr) { // without it answers are slower, no more
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_QUICKACK, 1)
	})
}

func (q quickAck) Read(b []byte) (int, error) {
	q.arm()
	n, err := q.Conn.Read(b)
	q.arm()
	return n, err
}

func client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		tcp, ok := c.(*net.TCPConn)
		if !ok {
			return c, nil
		}
		raw, err := tcp.SyscallConn()
		if err != nil {
			return c, nil
		}
		return quickAck{c, raw}, nil
	}}}
}
