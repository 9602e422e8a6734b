// Package bidi drives a Firefox that wb starts, over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/).
//
// The page script runs in a sandbox of every document, the same bytes as in Chromium; input is the browser's
// own and trusted. Read launch.go, then conn.go for the wire, browser.go and events.go for what is known of
// tabs and frames, page.go for the script, input.go for gestures.
package bidi
