package bidi

import (
	"context"
	"crypto/rand"
	"time"
)

// hintTime bounds what is asked before a look; a page that does not answer is looked at without.
const hintTime = 1500 * time.Millisecond

// hint shows the page script of a frame what it cannot see from its world: closed shadow roots, and what listens.
// It never fails a look.
func (t *Tab) hint(ctx context.Context, name string) {
	ctx, cancel := context.WithTimeout(ctx, hintTime)
	defer cancel()
	f, _, err := t.enter(ctx, name)
	if err != nil {
		return
	}
	t.closedRoots(ctx, f)
	const ask = `function(secret,name){if(Object.hasOwn(globalThis,"__wb"))__wb.askHook(secret,name);return ""}`
	_, _ = t.function(ctx, f.id, sandbox, ask, t.b.secret, "wb"+rand.Text()) // the hints are that many less
}

// closedRoots shows the script the closed shadow roots of elements that draw something it cannot see.
func (t *Tab) closedRoots(ctx context.Context, f frame) {
	var v struct {
		Result struct {
			Value []struct {
				Value struct {
					ShadowRoot *struct {
						SharedID string `json:"sharedId"`
						Value    struct {
							Mode string `json:"mode"`
						} `json:"value"`
					} `json:"shadowRoot"`
				} `json:"value"`
			} `json:"value"`
		} `json:"result"`
	}
	const hosts = `function(){return Object.hasOwn(globalThis,"__wb")?__wb.hosts():[]}`
	p := obj{"functionDeclaration": hosts, "target": target(f.id, sandbox), "awaitPromise": false, "serializationOptions": obj{"includeShadowTree": "all", "maxDomDepth": 1}}
	if t.call(ctx, "script.callFunction", p, &v) != nil {
		return
	}
	args := []obj{}
	for _, h := range v.Result.Value {
		if r := h.Value.ShadowRoot; r != nil && r.SharedID != "" && r.Value.Mode == "closed" {
			args = append(args, obj{"sharedId": r.SharedID})
		}
	}
	if len(args) == 0 {
		return
	}
	const learn = `function(...roots){if(Object.hasOwn(globalThis,"__wb"))__wb.learnAll(roots)}`
	_ = t.call(ctx, "script.callFunction", obj{"functionDeclaration": learn, "target": target(f.id, sandbox), "arguments": args, "awaitPromise": false}, nil) // as above
}
