package page

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/wb-agent/wb/plugins/sdk"
)

type uploadIn struct {
	Ref    string            `json:"ref_id" doc:"ref of the file field; it may be hidden behind a button"`
	Name   string            `json:"name" min:"1" max:"200" doc:"file name with its ending"`
	Text   string            `json:"text,omitempty" max:"2000000" doc:"content"`
	Base64 string            `json:"base64,omitempty" max:"8000000" doc:"content that is not text"`
	MIME   string            `json:"mime,omitempty" max:"100"`
	Expect []json.RawMessage `json:"expect,omitempty" doc:"as in click_ax"`
}

// upload puts a file into a file field. Its content comes with the call: no path of this machine is read.
func upload(h *sdk.Host, in uploadIn) (*sdk.Receipt, error) {
	f, err := element(h, in.Ref)
	if err != nil {
		return nil, err
	}
	a, err := begin(h, "upload", f, in.Expect)
	if err != nil {
		return nil, err
	}
	a.receipt.Channel = script
	content := in.Base64
	if content == "" {
		content = base64.StdEncoding.EncodeToString([]byte(in.Text))
	}
	var after facts
	file := map[string]string{"name": in.Name, "base64": content, "mime": in.MIME}
	if err := act(h, "attach", map[string]any{"ref": f.Ref, "files": []any{file}}, &after); err != nil {
		return a.failed(err)
	}
	r, s, err := a.watch()
	if r != nil || err != nil {
		return r, err
	}
	a.receipt.After = cut(in.Name, shownMax)
	if len(a.expect) > 0 {
		return a.conclude(s, ""), nil
	}
	if now, err := element(h, f.Ref); err == nil && now.Value == "" {
		return a.notDone("the page took the file out of the field again"), nil
	}
	a.receipt.Verdict = sdk.Done
	a.receipt.Effects = append([]string{fmt.Sprintf("%s is in the field", cut(in.Name, shownMax))}, a.receipt.Effects...)
	return &a.receipt, nil
}
