package cdp

import (
	"bufio"
	"context"
	"io"
	"os"
	"sync"

	"github.com/coder/websocket"
)

// maxMessage bounds one message of the browser: a full-page picture fits, a runaway answer does not.
const maxMessage = 256 << 20

// pipe speaks to our own Chromium: JSON texts ended by NUL on its file descriptors 3 and 4.
type pipe struct {
	r  *bufio.Reader
	in *os.File // what the browser writes
	w  *os.File // what the browser reads
	mu sync.Mutex
}

func newPipe(in, out *os.File) *pipe { return &pipe{r: bufio.NewReaderSize(in, 1<<20), in: in, w: out} }

func (p *pipe) Read() ([]byte, error) {
	var whole []byte
	for {
		b, err := p.r.ReadSlice(0)
		whole = append(whole, b...)
		switch {
		case err == bufio.ErrBufferFull && len(whole) < maxMessage:
		case err != nil:
			return nil, err
		default:
			return whole[:len(whole)-1], nil
		}
	}
}

func (p *pipe) Write(b []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.w.Write(append(b, 0))
	if err == nil && n != len(b)+1 {
		err = io.ErrShortWrite
	}
	return err
}

func (p *pipe) Close() error {
	p.w.Close()
	return p.in.Close()
}

// socket speaks to a browser that listens.
type socket struct {
	c    *websocket.Conn
	ctx  context.Context
	stop context.CancelFunc
}

func dial(ctx context.Context, url string) (*socket, error) {
	c, _, err := websocket.Dial(ctx, url, &websocket.DialOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		return nil, err
	}
	c.SetReadLimit(maxMessage)
	life, stop := context.WithCancel(context.Background())
	return &socket{c: c, ctx: life, stop: stop}, nil
}

func (s *socket) Read() ([]byte, error) {
	_, b, err := s.c.Read(s.ctx)
	return b, err
}

func (s *socket) Write(b []byte) error { return s.c.Write(s.ctx, websocket.MessageText, b) }

func (s *socket) Close() error {
	s.stop()
	return s.c.CloseNow()
}
