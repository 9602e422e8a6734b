package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wb-agent/wb/plugins/sdk"
)

// noInput is the code of a driver that has no trusted input. It is not the guard's refusal, after which
// nothing is tried.
const noInput = "no_input"

// byScript does a gesture over the script channel, where the page script refuses what no person could do.
func (a *action) byScript(args map[string]any) (*sdk.Receipt, error) {
	a.receipt.Channel = script
	ref, _ := args["ref"].(string)
	if ref == "" {
		ref = a.on.Ref
	}
	kind, _ := args["kind"].(string)
	switch {
	case ref == "":
		return a.notDone("this browser has no pointer of its own; name the target by its ref"), nil
	case kind == "click":
		return a.delivered(act(a.h, "click", map[string]any{"ref": ref, "force": args["force"] == true}, nil))
	case kind == "hover":
		return a.delivered(act(a.h, "hover", map[string]any{"ref": ref}, nil))
	case kind == "text" && strings.HasPrefix(fmt.Sprint(args["text"]), "{{secret:"):
		return a.notDone("a secret is typed by trusted input only, which this browser does not give"), nil
	case kind == "text":
		return a.delivered(act(a.h, "fill", map[string]any{"ref": ref, "text": args["text"], "clear": a.clear}, nil))
	case kind == "keys":
		return a.delivered(act(a.h, "keys", map[string]any{"ref": ref, "keys": args["keys"]}, nil))
	}
	return a.notDone(fmt.Sprintf("a %s needs trusted input, which this browser does not give", kind)), nil
}

func (a *action) delivered(err error) (*sdk.Receipt, error) {
	if err != nil {
		return a.failed(err)
	}
	return nil, nil
}

// doubt takes a verdict of done back where the click did not reach its target, and says so where nothing
// came of it; or where all that was expected had been so before and nothing was seen to change.
func (a *action) doubt(s settled) {
	r := &a.receipt
	already := len(r.Expected) > 0 && len(r.Effects) == 0 && r.URL == "" &&
		!slices.ContainsFunc(r.Expected, func(e sdk.Expected) bool { return e.Evidence != alreadySo })
	switch {
	case already && r.Verdict == sdk.Done:
		r.Verdict, r.Reason = sdk.Unknown, "all that was expected was so already, and nothing was seen to change"
	case len(r.Expected) > 0 || a.name != "click":
	case s.Delivery == "pressed":
		r.Verdict, r.Reason = sdk.Unknown, "it went away or moved when it was pressed, before the click was complete; look at the page"
	case s.Delivery == "elsewhere":
		r.Verdict, r.Reason = sdk.Unknown, "the click landed on "+cut(s.Landed, 80)+" instead; look at the page"
	}
}

// unmet says how an expectation failed.
func unmet(e sdk.Expected) string {
	s := fmt.Sprintf("expected %s, but it is %s", e.Expected, e.Actual)
	if e.Evidence != "" {
		s += " (" + e.Evidence + ")"
	}
	return s
}

// alreadySo is the page script's evidence for a condition that stood at the baseline too.
const alreadySo = "it was so before the action already"
