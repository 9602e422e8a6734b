package host

import (
	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// smallLine is what a pipe takes at once from a guest that reads: such a line is written in place.
const smallLine = 4 << 10

// send writes a line to the guest, in order. A long one, and any line behind it, is written by another
// goroutine, because it may be the guest's own goroutine that sends; that writer ends when the guest
// has read everything or is killed. Errors are not reported: the guest is gone then, and dead tells.
func (in *instance) send(m abi.Message) {
	line := abi.Line(m)
	in.sending.Lock()
	defer in.sending.Unlock()
	switch {
	case in.queued > 0 && in.queued+len(line) > in.p.limits.Output:
		in.kill(in.p.fail(ports.CodeOversized, "it asks and does not read the answers"))
	case in.writer:
		in.queue(line)
	case len(line) <= smallLine:
		_, _ = in.stdin.Write(line)
	default:
		in.writer = true
		in.queue(line)
		go in.drain()
	}
}

func (in *instance) queue(line []byte) {
	in.outbox = append(in.outbox, line)
	in.queued += len(line)
}

func (in *instance) drain() {
	for {
		in.sending.Lock()
		if len(in.outbox) == 0 {
			in.writer = false
			in.sending.Unlock()
			return
		}
		line := in.outbox[0]
		in.outbox = in.outbox[1:]
		in.queued -= len(line)
		in.sending.Unlock()
		_, _ = in.stdin.Write(line)
	}
}
