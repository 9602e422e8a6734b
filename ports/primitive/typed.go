package primitive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Vault is what typing needs of the secrets: a value by its name, and who must learn what was typed.
type Vault struct {
	Secrets ports.Secrets
	Seen    func(value string) // told each value that goes into a secret field, so that it can be redacted
}

var secretName = regexp.MustCompile(`^\{\{secret:([A-Za-z0-9_-]{1,64})\}\}$`)

// typed is the text that is really typed. A text that is {{secret:NAME}} stands for the secret: the value
// goes from here into a secret field of an origin that it is bound to, and nobody else ever sees it.
func (b *Browser) typed(ctx context.Context, t ports.Tab, in ports.Input) (string, error) {
	name := secretName.FindStringSubmatch(in.Text)
	if in.Ref == "" {
		if name != nil {
			return "", refused("a secret is typed into a field by its ref", "use set_field")
		}
		return in.Text, nil
	}
	var field struct {
		Secret bool   `json:"secret"`
		Origin string `json:"origin"`
	}
	raw, err := t.Read(ctx, ports.FrameOf(in.Ref), "element", ports.JSON(map[string]string{"ref": in.Ref}))
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(raw, &field); err != nil {
		return "", ports.NewError(ports.CodeFault, "page script: "+err.Error(), "")
	}
	text := in.Text
	switch {
	case name != nil && !field.Secret:
		return "", refused("a secret is typed only into a password, one-time code or card field", "what other fields hold is shown to the model")
	case name != nil:
		if text, err = b.resolve(ctx, name[1], field.Origin); err != nil {
			return "", err
		}
	}
	if field.Secret && b.vault.Seen != nil {
		b.vault.Seen(text)
	}
	return text, nil
}

func (b *Browser) resolve(ctx context.Context, name, origin string) (string, error) {
	if b.vault.Secrets == nil {
		return "", refused("no secrets are kept here", "")
	}
	s, err := b.vault.Secrets.Secret(ctx, name)
	if err != nil {
		return "", err
	}
	if !slices.Contains(s.Origins, origin) {
		return "", refused(fmt.Sprintf("secret %s is not bound to %s", name, origin), fmt.Sprintf("wb secret set %s --origin %s", name, origin))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.echoes = append(b.echoes, ports.SecretForms(s.Value)...)
	return s.Value, nil
}

// withoutSecrets takes the values that were typed by name out of what a page says afterwards: it may show
// them, and a model must not read them.
func (b *Browser) withoutSecrets(f ports.CallFunc) ports.CallFunc {
	return func(ctx context.Context, c ports.Call) (ports.Result, error) {
		res, err := f(ctx, c)
		b.mu.Lock()
		defer b.mu.Unlock()
		clean := func(s string) string {
			for _, form := range b.echoes {
				if len(form) >= minEcho {
					s = strings.ReplaceAll(s, form, "[redacted]")
				}
			}
			return s
		}
		if len(b.echoes) == 0 {
			return res, err
		}
		if s := clean(string(res.Data)); json.Valid([]byte(s)) {
			res.Data = json.RawMessage(s)
		}
		for i := range res.Content {
			res.Content[i].Text = clean(res.Content[i].Text)
		}
		if e := (*ports.Error)(nil); errors.As(err, &e) {
			err = &ports.Error{Code: e.Code, Msg: clean(e.Msg), Fix: clean(e.Fix)}
		}
		return res, err
	}
}

// minEcho is the length in bytes below which a value is not looked for: it would be found everywhere.
const minEcho = 4

func refused(msg, fix string) error { return ports.NewError(ports.CodeRefused, msg, fix) }
