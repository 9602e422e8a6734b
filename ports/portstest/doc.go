// Package portstest holds the suite that every implementation of a port passes, as testing/fstest does
// for file systems: the same one runs on the store in memory and on the one in a file, on a tool in
// process and on one in a guest. A suite takes a function that opens a fresh implementation.
package portstest
