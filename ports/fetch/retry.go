package fetch

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/wb-agent/wb/ports"
)

// How often a request is sent again, and how long at most it waits for it.
const (
	maxRetries = 3
	maxWait    = 60 * time.Second
	firstWait  = 500 * time.Millisecond
)

// retry decides whether to send again, and when.
func retry(asked bool, attempt int, res ports.FetchResponse, err error) (wait time.Duration, again bool) {
	if !asked || attempt >= maxRetries {
		return 0, false
	}
	if err != nil {
		return backoff(attempt), transient(err)
	}
	switch res.Status {
	case http.StatusTooManyRequests, 500, 502, 503, 504, 529:
	default:
		return 0, false
	}
	if after, ok := retryAfter(res.Headers["Retry-After"], time.Now()); ok {
		return min(after, maxWait), true
	}
	return backoff(attempt), true
}

// backoff doubles each time, with jitter so that many clients do not come back at once.
func backoff(attempt int) time.Duration {
	d := firstWait << attempt
	return d/2 + rand.N(d)
}

// retryAfter reads seconds or an HTTP date.
func retryAfter(v string, now time.Time) (time.Duration, bool) {
	if v == "" {
		return 0, false
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		if !(n >= 0) {
			return 0, false
		}
		return time.Duration(min(n, maxWait.Seconds()) * float64(time.Second)), true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}
