package host

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/wb-agent/wb/ports"
)

// listRevision grows with every change of how a list is read from a guest.
const listRevision = 1

// keptTool is a listed tool on disk.
type keptTool struct {
	Real string     `json:"real"`
	Spec ports.Spec `json:"spec"`
}

// listFile is where a plugin's list of tools lies, "" where nothing is kept. The name holds everything that
// the list depends on: the code, who it runs as, and what it was granted.
func (p *Plugin) listFile() string {
	if p.mod.rt.dir == "" || p.mod.key == "" {
		return ""
	}
	sum := sha256.Sum256(ports.JSON([]any{listRevision, p.mod.key, p.id, p.entry, p.builtin, p.grants}))
	return filepath.Join(p.mod.rt.dir, "tools-"+hex.EncodeToString(sum[:16])+".json")
}

// kept reads the list of an earlier process, so that a plugin that is not used need not start.
func (p *Plugin) kept() ([]listed, bool) {
	file := p.listFile()
	if file == "" {
		return nil, false
	}
	b, err := os.ReadFile(file)
	var tools []keptTool
	if err != nil || json.Unmarshal(b, &tools) != nil {
		return nil, false // it is asked for, and written anew
	}
	list := make([]listed, len(tools))
	for i, t := range tools {
		list[i] = listed{t.Real, t.Spec}
	}
	return list, p.checkList(list) == nil
}

// keep writes the list down. Without it the next process asks again, which is all that is lost.
func (p *Plugin) keep(list []listed) {
	file := p.listFile()
	if file == "" {
		return
	}
	tools := make([]keptTool, len(list))
	for i, l := range list {
		tools[i] = keptTool{l.real, l.spec}
	}
	_ = writeFile(file, ports.JSON(tools))
}
