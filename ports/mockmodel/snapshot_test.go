package mockmodel

import (
	"strings"
	"testing"
)

const snapshot = `Page "Shop"
- navigation "Main"
  - link "Orders" [e3] url=/orders
  - textbox "Email" [e12] value="a@b.c" required
dialog "New order" [e20]
  button "Save" [e21] disabled
  button "Save and close" [f2e7]
  textbox "Say \"hi\"" [e30]
row "Tea" [e40]
  button "Delete" [e41]
row "Coffee" [e42]
  button "Delete" [e43]
  checkbox [e44] checked
  text "see [e99]"`

func TestRender(t *testing.T) {
	c := &Conversation{Messages: []Message{
		{Role: "user", Text: "go to http://x.test/a now"},
		{Role: "assistant", Calls: []Call{{ID: "1", Name: "read"}}},
		{Role: "tool", CallID: "1", Tool: "read", Text: snapshot},
		{Role: "assistant", Calls: []Call{{ID: "2", Name: "click"}}},
		{Role: "tool", CallID: "2", Tool: "click", Text: `{"changed":"button \"Save\" [e51]\ntotal: 12.50"}`},
	}}
	for name, tt := range map[string]struct{ in, want, err string }{
		"newest text first":     {`{{ref role="button" name="Save"}}`, "e51", ""},
		"older text, exact":     {`{{ref name="Orders"}}`, "e3", ""},
		"frame":                 {`{{ref role="button" name="save and"}}`, "f2e7", ""},
		"attributes follow":     {`{{ ref role="textbox" name="Email" }}`, "e12", ""},
		"quotes in a name":      {`{{ref name="Say \"hi\""}}`, "e30", ""},
		"nth":                   {`{{ref name="Delete" nth=2}}`, "e43", ""},
		"after a line":          {`{{ref name="Delete" after="Coffee"}}`, "e43", ""},
		"no name":               {`{{ref role="checkbox"}}`, "e44", ""},
		"a bare name":           {`{{ref "Save"}}`, "", "role=, name="},
		"several":               {`{{ref name="Delete"}}`, "", "2 elements fit"},
		"none":                  {`{{ref role="button" name="Pay"}}`, "", `no element fits role="button" name="Pay"; there is button "Save" [e51]`},
		"a ref in a name":       {`{{ref role="text"}}`, "", "no element"},
		"group of the result":   {`{{match "total: ([0-9.]+)"}}`, "12.50", ""},
		"whole match":           {`{{match "total"}}`, "total", ""},
		"no match":              {`{{match "absent"}}`, "", "not found in"},
		"bad expression":        {`{{match "("}}`, "", "missing closing"},
		"user text":             {`see {{user "https?://\\S+"}}!`, "see http://x.test/a!", ""},
		"unknown template":      {`{{pick "x"}}`, "", "there is no template pick"},
		"secrets are not ours":  {`Bearer {{secret:KEY}}`, `Bearer {{secret:KEY}}`, ""},
		"braces are not ours":   {`{{}} {{ 1+1 }}`, `{{}} {{ 1+1 }}`, ""},
		"no argument for match": {`{{match}}`, "", "takes one expression"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.Render(tt.in)
			if tt.err == "" && (err != nil || got != tt.want) || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %q, %v; want %q, %q", got, err, tt.want, tt.err)
			}
		})
	}
}

func FuzzPick(f *testing.F) {
	f.Add(snapshot, "button", "Save", "", 0)
	f.Add(`["button \"a\" [e1]"]`, "", "", "a", 1)
	f.Fuzz(func(t *testing.T, text, role, name, after string, nth int) {
		ref, err := want{role, name, after, nth}.pick(text)
		if (ref == "") == (err == nil) {
			t.Errorf("ref %q, error %v", ref, err)
		}
		if err == nil && !refMark.MatchString("["+ref+"]") {
			t.Errorf("%q is no ref", ref)
		}
	})
}
