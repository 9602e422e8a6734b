package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/wb-agent/wb/ports"
)

const mimePDF = "application/pdf"

// converse puts the person's words into the transcript: after that of the run before, if there is one, and with
// the files given along.
func (s *session) converse(ctx context.Context) error {
	if s.task.After != "" {
		if err := s.follow(ctx, s.task.After); err != nil {
			return err
		}
	}
	m := userText(s.task.Goal)
	for _, f := range s.task.Files {
		b, ok := s.parent.Attach[f.Name]
		switch {
		case !ok:
			return ports.NewError(ports.CodeInvalidArgs, fmt.Sprintf("the file %q did not arrive", f.Name), "attach it again")
		case strings.HasPrefix(f.MIME, "image/") && s.end.Vision:
			m.Content = append(m.Content, ports.Part{Type: "image", MIME: f.MIME, Data: b})
		case f.MIME == mimePDF && s.end.PDF:
			m.Content = append(m.Content, ports.Part{Type: "file", MIME: f.MIME, Name: f.Name, Data: b})
		case strings.HasPrefix(f.MIME, "text/"):
			m.Content = append(m.Content, ports.Part{Type: "text", Text: s.fence("file " + f.Name + "\n" + string(b))})
		case strings.HasPrefix(f.MIME, "image/"):
			return ports.NewError(ports.CodeUsage, s.end.Model+" does not read pictures", "choose a model that does, or leave the picture out")
		case f.MIME == mimePDF:
			return ports.NewError(ports.CodeUsage, s.end.Model+" does not read PDF files", "choose a model that does (its provider's entry says pdf: true), or attach the text")
		default:
			return ports.NewError(ports.CodeUsage, fmt.Sprintf("%q is %s, which wb does not read", f.Name, f.MIME), "attach a picture, a PDF file or text")
		}
	}
	s.Messages = append(s.Messages, m)
	return nil
}

// follow takes over what an earlier run of the conversation said, saw and noted. What it left without an answer
// was not run: that run has ended.
func (s *session) follow(ctx context.Context, run string) error {
	r, err := s.a.o.Runs.Run(ctx, run)
	if err != nil {
		return err
	}
	var old state
	if len(r.State) == 0 || json.Unmarshal(r.State, &old) != nil {
		return nil // it kept nothing: the conversation begins anew
	}
	s.Nonce, s.Messages, s.Scratch, s.Progress = old.Nonce, old.Messages, old.Scratch, old.Progress
	s.MaxRef, s.URL, s.Title = old.MaxRef, old.URL, old.Title
	for _, tc := range s.unanswered() {
		s.answer(tc, "not run: the run was stopped", true)
	}
	return nil
}

// arrive looks where the run begins, in a tab that the person already has open.
func (s *session) arrive(ctx context.Context) {
	res, err := s.call(ctx, ports.FromKernel, "browser.read", json.RawMessage(`{"op":"state"}`))
	var at struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	if err == nil && json.Unmarshal(res.Data, &at) == nil {
		s.URL, s.Title = at.URL, at.Title
	}
}
