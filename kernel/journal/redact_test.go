package journal

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestRedactJSON(t *testing.T) {
	r := NewRedactor()
	r.Add(`hush "hush"`)
	for name, tt := range map[string]struct{ in, want string }{
		"untouched":          {`{"a": [1, 2.5e3, true, null, "x\n\u00e9"] , "b":{}}`, `{"a":[1,2.5e3,true,null,"x\n\u00e9"],"b":{}}`},
		"by name":            {`{"password":"a","Api-Key":"b","accessToken":"c","user":"d"}`, `{"password":"[redacted]","Api-Key":"[redacted]","accessToken":"[redacted]","user":"d"}`},
		"numbers":            {`{"otp":123456,"pin":1,"max_tokens":4096,"token":7}`, `{"otp":"[redacted]","pin":"[redacted]","max_tokens":4096,"token":7}`},
		"empty and null":     {`{"password":"","token":null,"secret":false}`, `{"password":"","token":null,"secret":false}`},
		"nested":             {`{"cookies":[{"a":"}"}],"b":{"credentials":{"x":["y"]}}}`, `{"cookies":"[redacted]","b":{"credentials":"[redacted]"}}`},
		"placeholder":        {`{"Authorization":"Bearer {{secret:OPENAI}}"}`, `{"Authorization":"Bearer {{secret:OPENAI}}"}`},
		"escaped name":       {`{"pass\u0077ord":"a"}`, `{"pass\u0077ord":"[redacted]"}`},
		"by value":           {`{"text":"say hush \"hush\" now"}`, `{"text":"say [redacted] now"}`},
		"by value in a key":  {`{"hush \"hush\"":1}`, `{"[redacted]":1}`},
		"json in json":       {`{"raw":"{\"password\":\"a1b2\",\"n\":1}"}`, `{"raw":"{\"password\":\"[redacted]\",\"n\":1}"}`},
		"query":              {`"https://x.test/?token=abcdef&x=1"`, `"https://x.test/?token=[redacted]&x=1"`},
		"keeps < and &":      {`"<b> & password=abc"`, `"<b> & password=[redacted]"`},
		"not json":           {`{"a": password=abcd`, `"{\"a\": password=[redacted]"`},
		"card":               {`{"n":"4111 1111-1111 1111","m":4111111111111111,"k":"4111111111111112"}`, `{"n":"[redacted]","m":"[redacted]","k":"4111111111111112"}`},
		"times are no cards": {`[1764500000000,"2026-11-30 12:00:00","order 5500000000000"]`, `[1764500000000,"2026-11-30 12:00:00","order 5500000000000"]`},
		"scalar":             {` 12 `, `12`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := string(r.JSON(json.RawMessage(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	if r.JSON(nil) != nil {
		t.Error("nothing became something")
	}
}

func TestRedactText(t *testing.T) {
	r := NewRedactor()
	for _, secret := range []string{"sk-proj-abcdefghij0123456789", "ghp_abcdefghijklmnopqrst0123", "github_pat_11ABCDEFG0abcdefghijklmn", "xoxb-1234567890-abcdef",
		"AKIAIOSFODNN7EXAMPLE", "AIzaSyA1234567890abcdefghijklmnopqrstuv", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
		"Bearer abc.def-ghi", "Basic dXNlcjpwYXNzd29yZA==", "4242 4242 4242 4242", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"} {
		if got := r.Text("before " + secret + " after"); got != "before [redacted] after" {
			t.Errorf("%s: %q", secret, got)
		}
	}
	for _, plain := range []string{"", "a password is needed", "Token: yes", "ask-me-anything-about-it", "the key = the answer", "Basic English", "Bearer of news",
		"id 7c4a8d09ca3762af61e59520943dc26494f8941b", "eyJust a word", "phone +49 170 1234567", "password: ok"} {
		if got := r.Text(plain); got != plain && plain != "Token: yes" && plain != "password: ok" {
			t.Errorf("%q became %q", plain, got)
		}
	}
}

func TestRedactValues(t *testing.T) {
	r := NewRedactor()
	value := "correct horse/battery"
	r.Add(value)
	r.Add("abc") // too short to look for
	r.Add(value)
	for name, text := range map[string]string{
		"plain": value, "query": url.QueryEscape(value), "base64": base64.StdEncoding.EncodeToString([]byte(value)),
		"basic": base64.StdEncoding.EncodeToString([]byte("bob:" + value)),
	} {
		got := r.Text("x " + text + " y")
		if !strings.Contains(got, Redacted) || len(got) > len("x  y")+len(Redacted)+12 {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.Text("abc"); got != "abc" {
		t.Errorf("got %q", got)
	}
}

func FuzzRedactJSON(f *testing.F) {
	r := NewRedactor()
	r.Add("sesame-open")
	for _, s := range []string{`{"password":{"a":["}"]},"b":"sesame-open"}`, `["\\\"",{"":[]}]`, `{"token":"\ud800"}`, `"\"`, "4111111111111111", "[[[[[]]]]]", `{"a":"{\"otp\":\"123\"}"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := r.JSON(in)
		if len(in) > 0 && !json.Valid(out) {
			t.Fatalf("%q became %q", in, out)
		}
		if strings.Contains(string(out), "sesame-open") {
			t.Errorf("leaked: %q", out)
		}
		var a, b any
		if json.Unmarshal(in, &a) == nil && json.Unmarshal(out, &b) == nil && reflect.TypeOf(a) != reflect.TypeOf(b) {
			if _, ok := b.(string); !ok {
				t.Errorf("%q changed shape: %q", in, out)
			}
		}
		if again := r.JSON(out); string(again) != string(out) && len(in) > 0 {
			t.Logf("not stable: %q, %q", out, again) // a key may turn secret by what was taken out of it
		}
	})
}

func BenchmarkRedactSnapshot(b *testing.B) {
	r := NewRedactor()
	r.Add("a-secret-value-of-some-length")
	page := strings.Repeat("  textbox \"Password (forgot?)\" [e12] value=\"a@b.c\"\n  link \"Orders 2026-11-30\" [e13] url=/orders?id=12345\n", 300)
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		r.Text(page)
	}
}
