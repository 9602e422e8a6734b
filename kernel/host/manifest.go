package host

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"time"

	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

// Manifest is plugin.json: what must be known before a plugin's code runs. Its tools are declared in
// the code.
type Manifest struct {
	ID        string         `json:"id"` // ^[a-z][a-z0-9-]*$, at most 40 characters
	Version   string         `json:"version"`
	ABI       int            `json:"abi"`              // of wb; 0 for a plain MCP server
	Runtime   string         `json:"runtime"`          // wasm, builtin; data and js are known but not supported yet
	Entry     string         `json:"entry,omitempty"`  // wasm: file beside plugin.json; builtin: argv[1] [id]
	SHA256    string         `json:"sha256,omitempty"` // of the entry, in hex; required for wasm
	Summary   string         `json:"summary"`          // one line for people
	Grants    []ports.Grant  `json:"grants,omitempty"` // asked
	Instances Mode           `json:"instances,omitempty"`
	Limits    ManifestLimits `json:"limits,omitzero"`
}

// ManifestLimits is what a plugin may ask about its limits; zero is the default.
type ManifestLimits struct {
	DeadlineMS int `json:"deadline_ms,omitempty"` // at most 120,000
	MemoryMiB  int `json:"memory_mib,omitempty"`  // at most 512
	Live       int `json:"live,omitempty"`        // at most 64
	Idle       int `json:"idle,omitempty"`        // at most 8
}

var (
	idForm   = regexp.MustCompile(`^[a-z][a-z0-9-]{0,39}$`)
	hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ParseManifest reads and checks a plugin.json. Errors are CodeUsage and name the field.
func ParseManifest(b []byte) (Manifest, error) {
	var m Manifest
	if err := knownFields(b, manifestFields); err != nil {
		return m, err
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields() // of what lies deeper
	if err := dec.Decode(&m); err != nil {
		return m, badManifest(err.Error(), "")
	}
	return m, m.check()
}

func badManifest(msg, fix string) error {
	return ports.NewError(ports.CodeUsage, "plugin.json: "+msg, fix)
}

func (m Manifest) check() error {
	switch {
	case !idForm.MatchString(m.ID):
		return badManifest(fmt.Sprintf("id %q", m.ID), "use lower-case letters, digits and dashes, such as my-plugin")
	case m.Version == "":
		return badManifest("version is missing", `add "version": "0.1.0"`)
	case m.ABI != 0 && m.ABI != abi.Version:
		return badManifest(fmt.Sprintf("abi %d is not spoken here", m.ABI), fmt.Sprintf("build it against abi %d", abi.Version))
	case m.Summary == "":
		return badManifest("summary is missing", "say in one line what the plugin does")
	case m.Instances != "" && m.Instances != Pool && m.Instances != PerRun && m.Instances != Single:
		return badManifest(fmt.Sprintf("instances %q", m.Instances), "use pool, run or single")
	}
	if err := m.Limits.check(); err != nil {
		return err
	}
	for _, g := range m.Grants {
		if g.Tool == "" || g.Tool == "http.fetch" && len(g.Origins) == 0 {
			return badManifest(fmt.Sprintf("grant %q", g.Tool), "name a tool, and for http.fetch its origins")
		}
	}
	return m.checkRuntime()
}

func (m Manifest) checkRuntime() error {
	switch m.Runtime {
	case "builtin":
		return nil
	case "wasm":
		if m.Entry == "" || path.Base(m.Entry) != m.Entry || m.Entry == ".." || m.Entry == "." {
			return badManifest(fmt.Sprintf("entry %q", m.Entry), "name the .wasm file beside plugin.json")
		}
		if !hashForm.MatchString(m.SHA256) {
			return badManifest("sha256 is missing or not 64 hex digits", "wb plugin build writes it")
		}
		return nil
	case "data", "js":
		return badManifest("runtime "+m.Runtime+" is not supported yet by this version", "build it to WASI and use runtime wasm")
	}
	return badManifest(fmt.Sprintf("runtime %q", m.Runtime), "use wasm")
}

func (l ManifestLimits) check() error {
	for _, f := range []struct {
		name   string
		v, max int
	}{{"deadline_ms", l.DeadlineMS, 120_000}, {"memory_mib", l.MemoryMiB, 512}, {"live", l.Live, 64}, {"idle", l.Idle, 8}} {
		if f.v < 0 || f.v > f.max {
			return badManifest(fmt.Sprintf("limits.%s is %d", f.name, f.v), fmt.Sprintf("use 1 to %d", f.max))
		}
	}
	return nil
}

// Config is the manifest's plugin with what was granted of what it asks.
func (m Manifest) Config(granted []ports.Grant) Config {
	c := Config{ID: m.ID, Instances: m.Instances, Builtin: m.Runtime == "builtin", Grants: Both(m.Grants, granted),
		Limits: Limits{Deadline: time.Duration(m.Limits.DeadlineMS) * time.Millisecond,
			Memory: uint64(m.Limits.MemoryMiB) << 20, Live: m.Limits.Live, Idle: m.Limits.Idle}}
	if c.Builtin {
		c.Entry = orElse(m.Entry, m.ID)
	}
	if m.Instances == "" && m.ABI == 0 && !c.Builtin {
		c.Instances = PerRun // a foreign server keeps state
	}
	return c
}

// Open loads a third party's plugin. Code that is not what the manifest names is CodeBadModule.
func (r *Runtime) Open(ctx context.Context, m Manifest, code []byte, granted []ports.Grant) (*Plugin, error) {
	if m.Runtime != "wasm" {
		return nil, badManifest("runtime "+m.Runtime+" has no code of its own", "")
	}
	if sum := sha256.Sum256(code); hex.EncodeToString(sum[:]) != m.SHA256 {
		return nil, ports.NewError(ports.CodeBadModule, "plugin "+m.ID+": "+m.Entry+" is not the file that plugin.json names (sha256 differs)",
			"add it again from a source you trust")
	}
	mod, err := r.load(ctx, code)
	if err != nil {
		return nil, err
	}
	return mod.Plugin(m.Config(granted))
}

// ParseBuiltins reads the list of built-in plugins: an object of id to {summary, grants, instances,
// limits}. They come back in the order of their ids, asking exactly what they are granted.
func ParseBuiltins(b []byte) ([]Manifest, error) {
	var list map[string]Manifest
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, badManifest("the list of built-ins: "+err.Error(), "")
	}
	var out []Manifest
	for _, id := range slices.Sorted(maps.Keys(list)) {
		m := list[id]
		m.ID, m.Entry, m.Runtime, m.Version, m.ABI = id, id, "builtin", "built-in", abi.Version
		if err := m.check(); err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
