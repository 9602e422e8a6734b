package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/wb-agent/wb/plugins"
	"github.com/wb-agent/wb/plugins/sdk/abi"
	"github.com/wb-agent/wb/ports"
)

//go:embed scaffold
var scaffold embed.FS

// scaffoldFiles are the templates and what each becomes.
var scaffoldFiles = map[string]string{"main.go.tmpl": "main.go", "main_test.go.tmpl": "main_test.go", "plugin.json.tmpl": manifestName,
	"go.mod.tmpl": "go.mod", "sdk.mod.tmpl": "wb/go.mod", "README.md.tmpl": "README.md", "gitignore.tmpl": ".gitignore"}

func pluginNewCommand() *cobra.Command {
	var dir string
	c := &cobra.Command{
		Use: "new NAME", Short: "Write a Go plugin of one tool with its test; it builds without a network", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if dir == "" {
				dir = args[0]
			}
			if err := newPlugin(args[0], dir); err != nil {
				return err
			}
			fmt.Printf("%s\nnext: cd %s && wb plugin test && wb plugin add .\n", filepath.Join(dir, "main.go"), dir)
			return nil
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "folder to write to [NAME]")
	return c
}

// newPlugin writes a scaffold into a folder that is new or empty, whole or not at all.
func newPlugin(id, dir string) error {
	if !pluginID.MatchString(id) {
		return ports.NewError(ports.CodeUsage, fmt.Sprintf("%q is not a plugin id", clean(id, 60)), "use lower-case letters, digits and dashes, such as my-plugin")
	}
	if err := checkID(id); err != nil {
		return err
	}
	if es, err := os.ReadDir(dir); err == nil && len(es) > 0 {
		return ports.NewError(ports.CodeUsage, dir+" is not empty", "name a new folder with --dir")
	}
	files, err := scaffolded(id)
	if err != nil {
		return err
	}
	parent := filepath.Join(dir, "..")
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return storageError(parent, err)
	}
	tmp, err := os.MkdirTemp(parent, ".wb-new-")
	if err != nil {
		return storageError(parent, err)
	}
	defer os.RemoveAll(tmp) // emptied already if all went well
	if err := writeTree(tmp, files); err != nil {
		return err
	}
	return moveInto(tmp, dir)
}

func writeTree(dir string, files map[string][]byte) error {
	for name, b := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return storageError(file, err)
		}
		if err := os.WriteFile(file, b, 0o666); err != nil {
			return storageError(file, err)
		}
	}
	return nil
}

// moveInto makes tmp the folder dir; one that is there already is kept, and is empty.
func moveInto(tmp, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return storageError(dir, err)
	}
	es, err := os.ReadDir(tmp)
	if err != nil {
		return storageError(tmp, err)
	}
	for _, e := range es {
		if err := os.Rename(filepath.Join(tmp, e.Name()), filepath.Join(dir, e.Name())); err != nil {
			return storageError(dir, err)
		}
	}
	return nil
}

// scaffolded is a new plugin's files by path, the SDK's sources among them.
func scaffolded(id string) (map[string][]byte, error) {
	out := map[string][]byte{}
	data := struct {
		ID, Tool, Version string
		ABI               int
	}{id, strings.ReplaceAll(id, "-", "_"), version, abi.Version}
	for name, to := range scaffoldFiles {
		t, err := template.ParseFS(scaffold, "scaffold/"+name)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, data); err != nil {
			return nil, err
		}
		out[to] = b.Bytes()
	}
	sdk := plugins.SDK()
	return out, fs.WalkDir(sdk, "sdk", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(p, "_test.go") {
			return err
		}
		b, err := fs.ReadFile(sdk, p)
		out[path.Join("wb/plugins", p)] = b
		return err
	})
}
