package relay

import "testing"

// FuzzParse: no frame of a stranger crashes the daemon, and what is taken is either a request or an answer.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"hello","params":{}}`, `{"jsonrpc":"2.0","method":"a"}`, `{"jsonrpc":"2.0","id":1,"result":null}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x","data":{"code":"a","fix":"b"}}}`, `[]`, `{}`, `{"jsonrpc":"2.0","id":9e99}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := parse(b)
		if err == nil && m.Method == "" && (m.ID == nil || (m.Result == nil) == (m.Error == nil)) {
			t.Errorf("%s was taken: %+v", b, m)
		}
	})
}
