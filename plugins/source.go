package plugins

import (
	"embed"
	"io/fs"
)

//go:embed sdk/*.go sdk/abi/*.go sdk/sdktest/*.go sdk/sse/*.go sdk/chat/*.go
var source embed.FS

// SDK returns the sources of the SDK as they lie in this module, below "sdk", tests included. They go into
// the scaffold of a new plugin, which so builds without a network.
func SDK() fs.FS { return source }
