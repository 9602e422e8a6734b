package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/wb-agent/wb/ports"
)

// Eval implements ports.Evaluator. The value of an expression is awaited; statements answer what their last one
// comes to, or null where they wait for something. CodeInvalidArgs if the code does not parse or throws.
func (t *Tab) Eval(ctx context.Context, name, code string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, scriptTime)
	defer cancel()
	f, _, err := t.enter(ctx, name)
	if err != nil {
		return nil, err
	}
	var text string
	for _, body := range bodies(code) {
		text, err = t.evaluate(ctx, f.id, told(body), "")
		if err == nil || !strings.Contains(err.Error(), "SyntaxError") {
			break // it parsed, so it has run and must not run again
		}
	}
	return evalAnswer(text, err)
}

// bodies are the forms in which code may parse, all but one of which do not. Only the last needs the page's leave
// to evaluate strings.
func bodies(code string) []string {
	list := []string{"return await(\n" + code + "\n)"}
	if strings.Contains(code, "await") {
		return append(list, code)
	}
	return append(list, "return await(0,eval)("+string(ports.JSON(code))+")")
}

// told runs a body and answers "v" with its value as JSON, or "x" with what it threw: Firefox fails to tell of an
// error that has no stack.
func told(body string) string {
	return `(async()=>{try{return "v"+(JSON.stringify(await(async()=>{` + body + "\n" + `})())??"null")}catch(e){return "x"+e}})()`
}

func evalAnswer(text string, err error) (json.RawMessage, error) {
	var f *failure
	switch threw, ok := strings.CutPrefix(text, "x"); {
	case ok:
		err = errors.New(cut(threw, 300))
	case err == nil && strings.HasPrefix(text, "v"):
		return json.RawMessage(text[1:]), nil
	case err == nil:
		return json.RawMessage("null"), nil
	case ports.CodeOf(err) != "" || errors.As(err, &f):
		return nil, scriptError(err)
	}
	return nil, &ports.Error{Code: ports.CodeInvalidArgs, Msg: "the code threw", Fix: "correct it", Err: err}
}
