package main

import (
	"fmt"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// projectKeys are what a project file may set: how a run goes, not what it may touch. All else starts
// programs (browser.path, cache_dir), widens what is allowed (policy, allow_origins), says where a page's
// text is sent (base_url), or keeps and deletes what the person has (data_dir, retention).
var projectKeys = []string{"provider", "max_steps", "timeout", "locale", "log", "browser.headed",
	"providers.*.model", "providers.*.tier", "providers.*.context", "providers.*.vision", "providers.*.pdf", "providers.*.no_tools"}

// mayBeStrange refuses settings of a file that somebody else may have written, and that wb reads only
// because it was started beside it.
func mayBeStrange(l layer) error {
	for _, key := range l.k.Keys() {
		if matchesAny(projectKeys, key) || key == "mode" && l.k.String(key) == string(ports.ModeAsk) {
			continue
		}
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%s sets %s, which a file that lies in a folder may not", l.name, key),
			"if you trust it, name it:  --config "+l.name+"  (without, a project file may set mode: ask, "+strings.Join(projectKeys, ", ")+")")
	}
	return nil
}
