// Package cdp drives Chromium over the DevTools protocol: a browser that wb launches on a pipe, or one that
// is attached by URL. It implements ports.Browser and knows nothing about tools, models or policy.
//
// Read conn.go (one connection, many sessions), browser.go and session.go (what is attached and how it is
// set up), frames.go (documents and their isolated worlds), then page.go: the path of every operation.
package cdp
