// Command paged is a server without any SDK: its list has two pages, and grows when a tool is called.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	grown := false
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct{ Cursor string }
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"paged","version":"0"}}`
		case "tools/list":
			switch {
			case m.Params.Cursor == "":
				result = `{"tools":[{"name":"a.b","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}],"nextCursor":"2"}`
			case grown:
				result = `{"tools":[{"name":"c","inputSchema":{"type":"object"},"annotations":{"destructiveHint":true}},{"name":"d","inputSchema":{"type":"object"}}]}`
			default:
				result = `{"tools":[{"name":"c","inputSchema":{"type":"object"}}]}`
			}
		case "tools/call":
			grown = true
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			result = fmt.Sprintf(`{"content":[{"type":"text","text":%q},{"type":"of the future"},{"type":"resource","resource":{"uri":"x:y","blob":"AAE="}}]}`, in.Text())
		}
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}
