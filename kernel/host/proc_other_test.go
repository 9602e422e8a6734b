//go:build !unix

package host

import (
	"testing"
	"time"
)

func cpuTime(t testing.TB) time.Duration { t.Skip("no rusage here"); return 0 }

func rss(t testing.TB) int { t.Skip("no /proc here"); return 0 }
