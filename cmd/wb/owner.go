package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// ownerFormat is how a lease names the process that holds it: its id, its machine in words, a mark of the
// machine since its boot, when the process started, and something that is never used twice.
const ownerFormat = "process %d on %s [%s %s %s]"

// owner names this process in leases.
func owner() string {
	name, err := os.Hostname()
	if err != nil || strings.ContainsAny(name, " \n") {
		name = "this-machine"
	}
	return fmt.Sprintf(ownerFormat, os.Getpid(), name, place(), startOf(os.Getpid()), newID())
}

// ownerDead reports whether a lease's owner has certainly ended. Of another machine, another container or
// another boot nobody knows: such a lease runs out by itself.
func ownerDead(owner string) bool {
	var pid int
	var host, at, started, id string
	if n, err := fmt.Sscanf(owner, ownerFormat, &pid, &host, &at, &started, &id); n < 4 && err != nil {
		return false
	}
	if at != place() || pid <= 0 {
		return false
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return true // where it opens the process, and there is none
	}
	defer func() { _ = p.Release() }() // nothing was done with it
	if errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone) {
		return true
	}
	now := startOf(pid)
	return now != started && now != "-" && started != "-"
}

// place marks the machine since its boot and, in a container, the container: process ids mean nothing
// beyond that.
func place() string {
	host, _ := os.Hostname() // each part that is not to be had is empty on this machine every time
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\n" + string(boot) + space))
	return hex.EncodeToString(sum[:6])
}

// startOf is when a process started, in ticks since the boot, "-" where that is not known, and "dead" of a
// process that has ended and waits to be collected.
func startOf(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "-"
	}
	_, rest, ok := strings.Cut(string(b[strings.LastIndexByte(string(b), ')')+1:]), " ")
	f := strings.Fields(rest)
	if !ok || len(f) < 20 {
		return "-"
	}
	if f[0] == "Z" || f[0] == "X" {
		return "dead"
	}
	return f[19]
}
