package cdp

import (
	"context"

	"github.com/chromedp/cdproto/page"

	"github.com/wb-agent/wb/ports"
)

// maxDialogs is how many dialogs a document may open before a person does something.
const maxDialogs = 10

// dialog is an open JavaScript dialog.
type dialog struct {
	kind, text string
	session    string
	answered   bool
}

type dialogOpening struct {
	URL     string `json:"url"`
	Message string `json:"message"`
	Type    string `json:"type"`
}

// onDialog decides what happens to a dialog: an alert is accepted, a question waits for an answer, and the
// one that asks to stay on the page is answered for a navigation of ours.
func (t *Tab) onDialog(sid string, e dialogOpening) bool {
	t.dialogs++
	answer := func(accept bool, why string) bool {
		t.b.conn.post(sid, page.CommandHandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: accept}, nil)
		t.b.note(ports.Notice{Kind: "dialog", Tab: t.id, Text: e.Type + " " + quoted(e.Message) + " " + why, URL: e.URL})
		return true
	}
	switch {
	case e.Type == "beforeunload" && t.going != nil:
		t.asked = !t.going.Force
		return answer(t.going.Force, "was answered for the navigation")
	case t.dialogs > maxDialogs:
		return answer(false, "was dismissed: the page opens too many")
	case e.Type == "alert":
		return answer(true, "was accepted by itself")
	}
	t.dialog = &dialog{kind: e.Type, text: e.Message, session: sid}
	t.halt()
	t.b.note(ports.Notice{Kind: "dialog", Tab: t.id, Text: e.Type + " " + quoted(e.Message) + " waits for an answer", URL: e.URL})
	return true
}

type dialogClosed struct {
	Result bool `json:"result"`
}

func (t *Tab) onDialogClosed(_ string, e dialogClosed) bool {
	if t.dialog != nil {
		text := "dismissed"
		if e.Result {
			text = "accepted"
		}
		t.b.note(ports.Notice{Kind: "dialog_closed", Tab: t.id, Text: t.dialog.kind + " was " + text})
	}
	t.dialog = nil
	t.unhalt()
	return true
}

// Dialog implements ports.TabControl.
func (t *Tab) Dialog(ctx context.Context, accept bool, text string) error {
	if err := t.b.alive(); err != nil {
		return err
	}
	t.b.mu.Lock()
	d := t.dialog
	err := t.trouble()
	if d != nil && !d.answered {
		d.answered, err = true, nil
	} else if err == nil {
		err = ports.NewError(ports.CodeUsage, "no dialog is open", "go on without one")
	}
	t.b.mu.Unlock()
	if err != nil {
		return err
	}
	p := page.HandleJavaScriptDialogParams{Accept: accept}
	if accept && d.kind == "prompt" {
		p.PromptText = text
	}
	if err := (session{c: t.b.conn, id: d.session}).Call(ctx, page.CommandHandleJavaScriptDialog, p, nil); err != nil {
		return t.b.wrong(ctx, err)
	}
	return t.b.wait(ctx, func() (bool, error) { return t.dialog != d || t.closed, nil })
}
