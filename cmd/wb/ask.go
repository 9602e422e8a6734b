package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/wb-agent/wb/ports"
)

// nobody answers for a run that no person attends.
type nobody struct{}

// Ask refuses, with the question, so that whoever reads the outcome knows what was missing.
func (nobody) Ask(_ context.Context, q ports.Question) (ports.Answer, error) {
	return ports.Answer{}, ports.NewError(ports.CodeNeedsUser, "nobody is here to answer: "+clean(q.Text, 500),
		"put the answer into the task and run it again, or run it on a terminal")
}

// terminal asks the person at the keyboard. One question at a time.
type terminal struct {
	in    *bufio.Reader
	out   io.Writer
	asked chan struct{} // holds one: whose turn it is
}

// askerFor is the terminal where there is one, else nobody.
func askerFor(in, out *os.File) ports.Asker {
	if !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return nobody{}
	}
	return &terminal{in: bufio.NewReader(in), out: out, asked: make(chan struct{}, 1)}
}

// Ask prints the question and reads a line. It returns when ctx ends; the line that is then typed goes to
// the next question.
func (t *terminal) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	select {
	case t.asked <- struct{}{}:
		defer func() { <-t.asked }()
	case <-ctx.Done():
		return ports.Answer{}, context.Cause(ctx)
	}
	_, _ = fmt.Fprintf(t.out, "\r\033[K\n%s\n", clean(q.Text, 2000))
	if q.Reason != "" {
		_, _ = fmt.Fprintf(t.out, "(%s)\n", clean(q.Reason, 500))
	}
	for i, o := range q.Options {
		_, _ = fmt.Fprintf(t.out, "  %d  %s\n", i+1, clean(o, 200))
	}
	if len(q.Options) > 0 {
		_, _ = fmt.Fprintf(t.out, "1 to %d, or your own words ", len(q.Options))
	}
	_, _ = fmt.Fprint(t.out, "> ")
	line := make(chan string, 1)
	go func() {
		l, err := t.in.ReadString('\n')
		if err != nil {
			l = ""
		}
		line <- strings.TrimSpace(l)
	}()
	select {
	case l := <-line:
		return answerTo(q, l), nil
	case <-ctx.Done():
		return ports.Answer{}, context.Cause(ctx)
	}
}

// answerTo reads a number or an option's own text as an option, nothing as "cancel", and the rest as words.
func answerTo(q ports.Question, line string) ports.Answer {
	if line == "" {
		return ports.Answer{Choice: "cancel"}
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(q.Options) {
		return ports.Answer{Choice: q.Options[n-1]}
	}
	for _, o := range q.Options {
		if strings.EqualFold(line, o) {
			return ports.Answer{Choice: o}
		}
	}
	return ports.Answer{Text: line}
}
