// Package scripted drives tabs of a browser whose extensions have no debugger (Firefox), through such an extension.
//
// The page script runs as a content script of every frame, the same bytes as elsewhere. There is no trusted input
// (CodeNoInput): the script channel is left. JavaScript dialogs are the person's to answer. What the extension
// answers is extension/src/background/scriptedcommands.ts; read browser.go, then events.go for what is known of
// tabs and frames, page.go for the script, and nav.go.
package scripted
