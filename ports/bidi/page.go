package bidi

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"image"
	_ "image/jpeg" // the two formats that a browser gives
	_ "image/png"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wb-agent/wb/ports"
)

const scriptTime = 20 * time.Second

// entrance is what is called in the sandbox.
const entrance = `function(k,o,a,f,b){return Object.hasOwn(globalThis,"__wb")?__wb.call(k,o,a,{frame:f,base:b}):""}`

// Read implements ports.Page.
func (t *Tab) Read(ctx context.Context, name, op string, args json.RawMessage) (json.RawMessage, error) {
	switch op {
	case "baseline":
		return t.watch.Baseline(ctx, name, args)
	case "settle":
		return t.watch.Settle(ctx, args)
	case "late":
		return t.watch.Late(ctx)
	case "check":
		return t.watch.Check(ctx, name, args)
	case "snapshot", "find":
		t.hint(ctx, name)
	}
	return t.script(ctx, name, "read", op, args)
}

// Act implements ports.Page.
func (t *Tab) Act(ctx context.Context, name, op string, args json.RawMessage) (json.RawMessage, error) {
	return t.script(ctx, name, "act", op, args)
}

// named finds a frame, "" meaning f0; with Browser.mu held.
func (t *Tab) named(name string) *frame {
	for _, f := range t.b.frames {
		if f.tab == t && frameName(f.n) == cmp.Or(name, "f0") {
			return f
		}
	}
	return nil
}

// enter waits until a frame's document can be asked and returns a copy of the frame.
func (t *Tab) enter(ctx context.Context, name string) (f frame, base int, err error) {
	if err := t.b.alive(); err != nil {
		return f, 0, err
	}
	soon, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	err = t.b.until(soon, func() (bool, error) {
		if err := t.trouble(); err != nil {
			return false, err
		}
		g := t.named(name)
		if g == nil {
			return false, ports.NewError(ports.CodeStaleRef, "no frame "+cut(name, 20)+" in this tab", "take a new snapshot: the frame is gone")
		}
		f, base = *g, t.maxRef
		return g.ready, nil
	})
	if ports.CodeOf(err) == ports.CodeTimeout && ctx.Err() == nil {
		err = nil // half a page is better than none
	}
	return f, base, err
}

// script runs one operation of the page script. A reading one is asked again of the next document when its
// own goes away under it; the outcome of an acting one is then unknown.
func (t *Tab) script(ctx context.Context, name, kind, op string, args json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptLimit(args))
	defer cancel()
	for range 20 {
		f, base, err := t.enter(ctx, name)
		if err != nil {
			return nil, err
		}
		text, err := t.function(ctx, f.id, sandbox, entrance, kind, op, string(args), frameName(f.n), base)
		switch {
		case err == nil && text == "":
			if _, err = t.evaluate(ctx, f.id, t.b.script, sandbox); err == nil {
				continue
			}
		case err == nil:
			return t.answer(text)
		}
		var lost *failure
		if !errors.As(err, &lost) || !strings.Contains(lost.code, "no such frame") && !strings.Contains(lost.text, "destroyed") && !strings.Contains(lost.text, "discarded") && !strings.Contains(lost.text, "actor") {
			return nil, scriptError(err)
		}
		if kind != "read" {
			return nil, &ports.Error{Code: ports.CodeUnknown, Msg: "the document went away during " + op, Fix: "look at the page before doing it again", Err: err}
		}
	}
	return nil, ports.NewError(ports.CodeTimeout, "the page is replaced again and again", "wait, then look again")
}

func scriptError(err error) error {
	if ports.CodeOf(err) != "" {
		return err
	}
	return &ports.Error{Code: ports.CodeFault, Msg: "the page script failed: " + cut(err.Error(), 300), Fix: "take a new snapshot and try again", Err: err}
}

// scriptLimit is scriptTime, and what an operation itself is told to wait.
func scriptLimit(args json.RawMessage) time.Duration {
	var a struct{ Timeout float64 }
	_ = json.Unmarshal(args, &a) // the page script says what is wrong with them
	return scriptTime + time.Duration(min(max(a.Timeout, 0), 120_000))*time.Millisecond
}

// answer parses what the script said, which comes from a process that a page may have taken over.
func (t *Tab) answer(text string) (json.RawMessage, error) {
	var a struct {
		OK    json.RawMessage `json:"ok"`
		Error *struct {
			Code, Message, Fix string
			Near               []near
		} `json:"error"`
		MaxRef int `json:"maxRef"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, ports.NewError(ports.CodeFault, "the page script's answer is not JSON", "reload the page")
	}
	t.b.mu.Lock()
	if a.MaxRef > t.maxRef && a.MaxRef < 1<<30 {
		t.maxRef = a.MaxRef
	}
	t.b.mu.Unlock()
	if a.Error == nil {
		return a.OK, nil
	}
	return nil, &ports.Error{Code: a.Error.Code, Msg: a.Error.Message, Fix: withNear(a.Error.Fix, a.Error.Near)}
}

// near is a live element that may be meant by a stale ref.
type near struct{ Ref, Role, Name string }

// withNear adds candidates to what to do.
func withNear(fix string, list []near) string {
	for i, n := range list {
		fix += map[bool]string{true: ": ", false: ", "}[i == 0] + n.Role + " " + strconv.Quote(n.Name) + " [" + n.Ref + "]"
	}
	return fix
}

// value is a result of script.evaluate and script.callFunction.
type value struct {
	Type   string `json:"type"`
	Result struct {
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	} `json:"result"`
	Exception struct {
		Text string `json:"text"`
	} `json:"exceptionDetails"`
}

func (v value) text() (string, error) {
	if v.Type == "exception" {
		return "", errors.New(cut(v.Exception.Text, 300))
	}
	var s string
	if v.Result.Type != "string" || json.Unmarshal(v.Result.Value, &s) != nil {
		return "", nil
	}
	return s, nil
}

func target(context, world string) obj {
	if world == "" {
		return obj{"context": context}
	}
	return obj{"context": context, "sandbox": world}
}

// function calls a function with strings and numbers and returns the string that it answers, "" for others.
func (t *Tab) function(ctx context.Context, context, world, code string, args ...any) (string, error) {
	list := []obj{}
	for _, a := range args {
		kind := "string"
		switch a.(type) {
		case int, float64:
			kind = "number"
		}
		list = append(list, obj{"type": kind, "value": a})
	}
	var v value
	err := t.call(ctx, "script.callFunction", obj{"functionDeclaration": code, "target": target(context, world), "arguments": list, "awaitPromise": true, "userActivation": true}, &v)
	if err != nil {
		return "", err
	}
	return v.text()
}

func (t *Tab) evaluate(ctx context.Context, context, expression, world string) (string, error) {
	var v value
	if err := t.call(ctx, "script.evaluate", obj{"expression": expression, "target": target(context, world), "awaitPromise": true}, &v); err != nil {
		return "", err
	}
	return v.text()
}

// Frames implements ports.Page.
func (t *Tab) Frames(ctx context.Context) ([]ports.Frame, error) {
	if err := t.problem(); err != nil {
		return nil, err
	}
	t.b.mu.Lock()
	var list []frame
	for _, f := range t.b.frames {
		if f.tab == t {
			list = append(list, *f)
		}
	}
	names := map[string]string{}
	for _, f := range list {
		names[f.id] = frameName(f.n)
	}
	t.b.mu.Unlock()
	slices.SortFunc(list, func(a, b frame) int { return cmp.Compare(a.n, b.n) })
	var out []ports.Frame
	for _, f := range list {
		p := ports.Frame{ID: frameName(f.n), URL: f.url, Origin: originOf(f.url), Parent: names[f.parent]}
		if f.n != 0 {
			p.Owner = t.owners(ctx, f)[f.id]
		}
		out = append(out, p)
	}
	return out, nil
}

// owners are the refs of the elements that hold a frame's siblings, by browsing context.
func (t *Tab) owners(ctx context.Context, f frame) map[string]string {
	t.b.mu.Lock()
	p, base := t.b.frames[f.parent], t.maxRef
	if p == nil {
		t.b.mu.Unlock()
		return nil
	}
	parent := *p
	if f.owner != "" && f.ownerIn == parent.document {
		t.b.mu.Unlock()
		return map[string]string{f.id: f.owner}
	}
	t.b.mu.Unlock()
	const list = `function(f,b){if(!Object.hasOwn(globalThis,"__wb"))return [];const out=[],walk=(r)=>{for(const e of r.querySelectorAll("*")){if(/^i?frame$/.test(e.localName)&&e.contentWindow)out.push([__wb.refOfNode(e,{frame:f,base:b}),e.contentWindow]);if(e.shadowRoot)walk(e.shadowRoot)}};walk(document);return out}`
	var v struct {
		Result struct {
			Value []struct {
				Value []struct {
					Type  string          `json:"type"`
					Value json.RawMessage `json:"value"`
				} `json:"value"`
			} `json:"value"`
		} `json:"result"`
	}
	args := []obj{{"type": "string", "value": frameName(parent.n)}, {"type": "number", "value": base}}
	if t.call(ctx, "script.callFunction", obj{"functionDeclaration": list, "target": target(parent.id, sandbox), "arguments": args, "awaitPromise": false}, &v) != nil {
		return nil
	}
	out := map[string]string{}
	t.b.mu.Lock()
	defer t.b.mu.Unlock()
	for _, pair := range v.Result.Value {
		var ref string
		var win struct {
			Context string `json:"context"`
		}
		if len(pair.Value) != 2 || json.Unmarshal(pair.Value[0].Value, &ref) != nil || json.Unmarshal(pair.Value[1].Value, &win) != nil {
			continue
		}
		out[win.Context] = ref
		if n, err := strconv.Atoi(ref[strings.LastIndexByte(ref, 'e')+1:]); err == nil && n < 1<<30 {
			t.maxRef = max(t.maxRef, n)
		}
		if g := t.b.frames[win.Context]; g != nil {
			g.owner, g.ownerIn = ref, parent.document
		}
	}
	return out
}

func sizeOf(b []byte) (w, h int) {
	c, _, err := image.DecodeConfig(bytes.NewReader(b))
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

// ask runs a reading operation and decodes its answer.
func (t *Tab) ask(ctx context.Context, name, op string, args, out any) error {
	raw, err := json.Marshal(args)
	if err != nil {
		return err
	}
	answer, err := t.script(ctx, name, "read", op, raw)
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, out)
}
