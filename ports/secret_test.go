package ports_test

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/wb-agent/wb/ports"
)

func TestSecretForms(t *testing.T) {
	for _, value := range []string{"hunter2", "sk-abc/def+ghi=", `a "quoted" \ one`, "ünïcödé & <tags>", "p%40ss?x=1", "0123456789abcdef", strings.Repeat("long", 100)} {
		quoted, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{
			"plain": "x" + value + "y", "query": "k=" + url.QueryEscape(value), "path": "/" + url.PathEscape(value), "json": string(quoted),
			"query, lower case": strings.ToLower(url.QueryEscape(strings.ToLower(value))),
			"base64":            base64.StdEncoding.EncodeToString([]byte(value)), "base64url": base64.RawURLEncoding.EncodeToString([]byte(value)),
			"basic auth": base64.StdEncoding.EncodeToString([]byte("user:" + value)), "basic auth, other length": base64.StdEncoding.EncodeToString([]byte("me:" + value + ":more")),
		} {
			look := value
			if strings.HasSuffix(name, "lower case") {
				look = strings.ToLower(value)
			}
			if !found(ports.SecretForms(look), text) {
				t.Errorf("%s of %q is not found in %s", name, look, text)
			}
		}
		if forms := ports.SecretForms(value); found(forms, "some other text, Zm9vYmFy") {
			t.Errorf("%q is found in other text: %q", value, forms)
		}
	}
	if forms := ports.SecretForms(""); forms != nil {
		t.Errorf("nothing has forms: %q", forms)
	}
}

func found(forms []string, text string) bool {
	for _, f := range forms {
		if strings.Contains(text, f) {
			return true
		}
	}
	return false
}
