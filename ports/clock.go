package ports

import "time"

// Clock is time for everything that decides by it, so that tests can own it.
type Clock interface {
	Now() time.Time
}

// ClockFunc makes a function, such as time.Now, a Clock.
type ClockFunc func() time.Time

// Now returns f().
func (f ClockFunc) Now() time.Time { return f() }
