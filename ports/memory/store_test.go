package memory

import (
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/portstest"
)

func TestStore(t *testing.T) {
	portstest.Store(t, func(*testing.T) ports.Store { return New(time.Now) })
}

func TestRunStore(t *testing.T) {
	portstest.RunStore(t, func(_ *testing.T, now func() time.Time) portstest.Runs { return New(now) })
}

func TestKV(t *testing.T) {
	portstest.KV(t, func(*testing.T) ports.KV { return New(time.Now) })
}
