package sqlite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wb-agent/wb/ports"
)

func TestVerifyFindsTampering(t *testing.T) {
	for name, tt := range map[string]struct{ sql, want string }{
		"nothing":         {"SELECT 1", ""},
		"intent changed":  {"UPDATE calls SET tool = 'read' WHERE id = 'c1'", "call 2 (read): the intent was changed"},
		"outcome changed": {"UPDATE calls SET result = '{}' WHERE id = 'c1'", "call 2 (click): the outcome was changed"},
		"outcome removed": {"UPDATE calls SET status = '', result = NULL, ended = 0 WHERE id = 'c1'", "outcome was changed"},
		"outcome made up": {"UPDATE calls SET status = 'ok' WHERE id = 'c3'", "call 4 (click): the outcome was changed"},
		"call removed":    {"DELETE FROM calls WHERE id = 'c1'", "call 2 was removed"},
		"call added":      {"INSERT INTO calls (id, parent, run, sender, tool, tab, mutates, at) VALUES ('x', '', '', '', 'pay', '', 1, 1)", "(pay) was added"},
		"link removed":    {"DELETE FROM chain WHERE n = 3", "does not follow"},
		"link changed":    {"UPDATE chain SET digest = zeroblob(32) WHERE n = 2", "link 2 does not follow"},
		"blob changed":    {"UPDATE blobs SET data = 'x'", "was changed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := fresh(t)
			s := open(t, path, Options{})
			for i := range 4 {
				id := fmt.Sprint("c", i)
				begun(t, s, id)
				if i == 3 {
					break
				}
				out := ports.Outcome{ID: id, Status: "ok", Result: json.RawMessage(`{"a":1}`), At: time.Now()}
				if i == 2 {
					out.Result = json.RawMessage(`"` + strings.Repeat("x", ports.InlineMax) + `"`)
				}
				if err := s.End(t.Context(), out); err != nil {
					t.Fatal(err)
				}
			}
			if err := raw(t, path, tt.sql).Close(); err != nil {
				t.Fatal(err)
			}
			head, err := s.Verify(t.Context())
			if tt.want == "" {
				if err != nil || len(head) != 32 {
					t.Errorf("got %x, %v", head, err)
				}
				return
			}
			if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestChainSurvivesPruning(t *testing.T) {
	s := open(t, fresh(t), Options{})
	var heads [][]byte
	for i := range 6 {
		run := fmt.Sprint("r", i%3)
		if err := s.PutRun(t.Context(), ports.Run{ID: run, Status: "success", Started: time.Unix(int64(i%3), 0)}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Begin(t.Context(), ports.Intent{ID: fmt.Sprint(i), Run: run, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
	for _, keep := range []int{2, 1} {
		if n, err := s.Prune(t.Context(), ports.Retention{Runs: keep}); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		head, err := s.Verify(t.Context())
		if err != nil {
			t.Errorf("%d runs left: %v", keep, err)
		}
		heads = append(heads, head)
	}
	if bytes.Equal(heads[0], heads[1]) {
		t.Error("pruning left no trace in the chain")
	}
	links := 0
	if err := s.read(t.Context(), func(c *conn) error {
		_, err := c.first("SELECT COUNT(*) FROM chain", nil, func(r row) { links = int(r.int(0)) })
		return err
	}); err != nil || links > 8 {
		t.Errorf("%d links are kept, %v", links, err)
	}
}
