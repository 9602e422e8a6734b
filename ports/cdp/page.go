package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"

	"github.com/wb-agent/wb/ports"
)

// scriptTime bounds an operation of the page script, beyond what the operation is told to wait.
const scriptTime = 20 * time.Second

// entrance is what is called in the isolated world. The page cannot shadow an own property of the global.
const entrance = `function(k,o,a,f,b){return Object.hasOwn(globalThis,"__wb")?__wb.call(k,o,a,{frame:f,base:b}):""}`

// Read implements ports.Page.
func (t *Tab) Read(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error) {
	switch op {
	case "baseline":
		return t.watch.Baseline(ctx, frame, args)
	case "settle":
		return t.watch.Settle(ctx, args)
	case "check":
		return t.watch.Check(ctx, frame, args)
	case "late":
		return t.watch.Late(ctx)
	case "snapshot", "find":
		t.hint(ctx, frame)
	}
	return t.script(ctx, frame, "read", op, args)
}

// Act implements ports.Page.
func (t *Tab) Act(ctx context.Context, frame, op string, args json.RawMessage) (json.RawMessage, error) {
	return t.script(ctx, frame, "act", op, args)
}

// script runs one operation of the page script. A reading one is asked again of the next document when its
// own goes away under it; the outcome of an acting one is then unknown.
func (t *Tab) script(ctx context.Context, frameName, kind, op string, args json.RawMessage) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptLimit(args))
	defer cancel()
	for {
		f, base, err := t.enter(ctx, frameName)
		if err != nil {
			return nil, err
		}
		text, err := t.callScript(ctx, f, base, kind, op, args)
		switch {
		case err == nil && text == "":
			err = t.inject(ctx, f)
			if err == nil {
				continue
			}
		case err == nil:
			return t.answer(text)
		}
		if !contextLost(err) {
			return nil, t.scriptError(ctx, f, err)
		}
		if kind != "read" {
			return nil, &ports.Error{Code: ports.CodeUnknown, Msg: "the document went away during " + op, Fix: "look at the page before doing it again", Err: err}
		}
		t.b.mu.Lock()
		if g := t.frames[f.id]; g != nil && g.isolated == f.isolated {
			g.isolated = ""
		}
		t.b.mu.Unlock()
	}
}

// scriptLimit is scriptTime, and what an operation itself is told to wait.
func scriptLimit(args json.RawMessage) time.Duration {
	var a struct{ Timeout float64 }
	_ = json.Unmarshal(args, &a) // the page script says what is wrong with them
	return scriptTime + time.Duration(min(max(a.Timeout, 0), 120_000))*time.Millisecond
}

// parseTime is how long an operation waits for a top document that is being parsed still.
const parseTime = 3 * time.Second

// parsed waits a while for the top document's DOM, so that nobody looks at half a page by mistake.
func (t *Tab) parsed(ctx context.Context, name string) {
	if name != "" && name != "f0" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, parseTime)
	defer cancel()
	_ = t.b.wait(ctx, func() (bool, error) { // who asks looks for trouble itself
		f := t.top()
		return f == nil || f.ready == f.loader || t.trouble() != nil, nil
	})
}

// enter waits until a frame's isolated world is there and returns a copy of the frame.
func (t *Tab) enter(ctx context.Context, name string) (f frame, base int, err error) {
	if err = t.ready(ctx); err != nil {
		return f, 0, err
	}
	t.parsed(ctx, name)
	err = t.b.wait(ctx, func() (bool, error) {
		if err := t.trouble(); err != nil {
			return false, err
		}
		g := t.named(name)
		if g == nil {
			return false, noFrame(name)
		}
		f, base = *g, t.maxRef
		return g.isolated != "" && g.session != "", nil
	})
	return f, base, err
}

func (t *Tab) callScript(ctx context.Context, f frame, base int, kind, op string, args json.RawMessage) (string, error) {
	p := runtime.CallFunctionOnParams{
		FunctionDeclaration: entrance, UniqueContextID: f.isolated, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(kind == "act"),
		Arguments: arguments(kind, op, string(args), f.name(), base),
	}
	var r runtime.CallFunctionOnResult
	if err := t.call(ctx, f.session, runtime.CommandCallFunctionOn, p, &r); err != nil {
		return "", err
	}
	return resultText(r.Result, r.ExceptionDetails)
}

func arguments(list ...any) []*runtime.CallArgument {
	out := make([]*runtime.CallArgument, len(list))
	for i, v := range list {
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte("null")
		}
		out[i] = &runtime.CallArgument{Value: jsonv2.Value(b)}
	}
	return out
}

func resultText(r *runtime.RemoteObject, exc *runtime.ExceptionDetails) (string, error) {
	if exc != nil {
		msg := exc.Text
		if exc.Exception != nil {
			msg += " " + exc.Exception.Description
		}
		return "", errors.New(cut(msg, 300))
	}
	var s string
	if r == nil || json.Unmarshal(r.Value, &s) != nil {
		return "", errors.New("the page script gave no answer")
	}
	return s, nil
}

// inject brings the script into a world that does not have it, such as one that was there before us.
func (t *Tab) inject(ctx context.Context, f frame) error {
	var r runtime.EvaluateResult
	if err := t.call(ctx, f.session, runtime.CommandEvaluate, runtime.EvaluateParams{Expression: t.b.script, UniqueContextID: f.isolated}, &r); err != nil {
		return err
	}
	if r.ExceptionDetails != nil {
		_, err := resultText(nil, r.ExceptionDetails)
		return err
	}
	return nil
}

// answer parses what the script said. It comes from a renderer that a page may have taken over, so it is
// checked like any input.
func (t *Tab) answer(text string) (json.RawMessage, error) {
	var a struct {
		OK    json.RawMessage `json:"ok"`
		Error *struct {
			Code    string          `json:"code"`
			Message string          `json:"message"`
			Fix     string          `json:"fix"`
			Near    json.RawMessage `json:"near"`
		} `json:"error"`
		MaxRef int `json:"maxRef"`
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return nil, &ports.Error{Code: ports.CodeCrashed, Msg: "the page script answered nonsense", Err: err}
	}
	t.b.mu.Lock()
	if a.MaxRef > t.maxRef && a.MaxRef < 1<<30 {
		t.maxRef = a.MaxRef
	}
	t.b.mu.Unlock()
	if a.Error == nil {
		return a.OK, nil
	}
	e := ports.NewError(a.Error.Code, a.Error.Message, a.Error.Fix)
	if near := nearest(a.Error.Near); near != "" {
		e.Fix += ": " + near
	}
	return nil, e
}

// nearest writes the candidates of a stale ref as one line.
func nearest(raw json.RawMessage) string {
	var list []struct{ Ref, Role, Name, In string }
	if len(raw) == 0 || json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var out []string
	for _, c := range list {
		s := c.Role + " " + strconv.Quote(c.Name) + " [" + c.Ref + "]"
		if c.In != "" {
			s += " in " + c.In
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// contextLost tells a document that went away from an operation that failed.
func contextLost(err error) bool {
	if err == nil || ports.CodeOf(err) != "" {
		return false
	}
	s := err.Error()
	for _, sign := range []string{"context was destroyed", "Cannot find context", "uniqueContextId not found", "navigated or closed", "session closed", "Session with given id not found", "Target closed"} {
		if strings.Contains(s, sign) {
			return true
		}
	}
	return false
}

// scriptError gives a failure its code, and frees a page that was too busy to answer.
func (t *Tab) scriptError(ctx context.Context, f frame, err error) error {
	if ctx.Err() != nil {
		t.interrupt(f.session)
		return late(ctx, "the page")
	}
	if ports.CodeOf(err) != "" {
		return err
	}
	if strings.Contains(err.Error(), "terminated") {
		return &ports.Error{Code: ports.CodeTimeout, Msg: "the page was busy and was interrupted", Fix: "try again", Err: err}
	}
	return &ports.Error{Code: ports.CodeCrashed, Msg: "the page script failed", Fix: "take a new snapshot and try again", Err: err}
}

// Eval implements ports.Evaluator: code runs in the page's own world; a promise is awaited; the answer is
// JSON of its value.
func (t *Tab) Eval(ctx context.Context, frameName, code string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	f, _, err := t.enter(ctx, frameName)
	if err != nil {
		return nil, err
	}
	var r runtime.EvaluateResult
	err = t.call(ctx, f.session, runtime.CommandEvaluate, runtime.EvaluateParams{
		Expression: code, UniqueContextID: f.main, ReturnByValue: new(true), AwaitPromise: new(true), UserGesture: new(true), ReplMode: new(true),
	}, &r)
	if err != nil && strings.Contains(err.Error(), "reference chain") {
		return nil, &ports.Error{Code: ports.CodeInvalidArgs, Msg: "the value cannot be written as JSON", Fix: "let the code end with a plain value", Err: err}
	}
	if err != nil {
		return nil, t.scriptError(ctx, f, err)
	}
	if r.ExceptionDetails != nil {
		_, err := resultText(nil, r.ExceptionDetails)
		return nil, &ports.Error{Code: ports.CodeInvalidArgs, Msg: "the code threw", Fix: "correct it", Err: err}
	}
	if r.Result == nil || len(r.Result.Value) == 0 {
		return json.RawMessage("null"), nil
	}
	return json.RawMessage(r.Result.Value), nil
}

func quoted(s string) string { return strconv.Quote(cut(s, 200)) }
