package agent

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/wb-agent/wb/ports"
)

//go:embed prompts/system.tmpl
var systemPrompt string

// prompt renders the system prompt: who the model is, by mode and tier, and where it is, fresh each turn.
func (s *session) prompt(env environment) (string, error) {
	t, err := template.New("system").Parse(systemPrompt)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{"Mode": s.task.Mode, "Tier": s.task.Tier, "Nonce": s.Nonce, "Env": env,
		"Scratch": s.Scratch, "Schema": string(s.task.Output), "Left": s.task.MaxTurns - s.Step, "Careful": s.task.Careful})
	return b.String(), err
}

// environment is what a person would see at a glance.
type environment struct {
	Tab    *tabInfo
	Others []tabInfo
	Time   string
	Locale string
	News   []string // what the browser did since the last turn
}

type tabInfo struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	State   string `json:"state"`
	Current bool   `json:"current"`
}

// surroundings reads the environment. A browser that does not answer is news; one that is gone, or a
// journal that takes no more records, is an error: there is nothing to go on with.
func (s *session) surroundings(ctx context.Context) (environment, error) {
	env := environment{Time: s.a.o.Clock.Now().Format("Monday 2006-01-02 15:04 MST"), Locale: s.a.o.Locale}
	res, err := s.call(ctx, ports.FromKernel, "browser.tabs", json.RawMessage(`{"op":"list"}`))
	switch ports.CodeOf(err) {
	case ports.CodeBrowserGone, ports.CodeNoBrowser, ports.CodeStorage:
		return env, err
	}
	if err != nil {
		env.News = append(env.News, "the browser does not answer: "+err.Error())
		return env, nil
	}
	var tabs []tabInfo
	if err := json.Unmarshal(res.Data, &tabs); err != nil {
		return env, ports.NewError(ports.CodeFault, "browser.tabs: "+err.Error(), "")
	}
	for _, t := range tabs {
		t.Title = oneLine(t.Title, 100)
		t.URL = oneLine(t.URL, 300)
		if t.Current {
			env.Tab = &t
			s.tab, s.URL, s.Title = t.ID, t.URL, t.Title
		} else if len(env.Others) < 10 {
			env.Others = append(env.Others, t)
		}
	}
	return env, nil
}

// ask sends the transcript to the model.
func (s *session) ask(ctx context.Context, tools []ports.ToolDecl) (ports.ChatReply, error) {
	env, err := s.surroundings(ctx)
	if err != nil {
		return ports.ChatReply{}, err
	}
	system, err := s.prompt(env)
	if err != nil {
		return ports.ChatReply{}, err
	}
	e := ports.Endpoint{ID: s.end.ID, Model: s.task.Model}
	window := s.window()
	if s.task.Careful {
		page, err := s.pageNow(ctx)
		if err != nil {
			return ports.ChatReply{}, err
		}
		window = append(window, page)
	}
	messages, pictures := detached(window)
	req := ports.ChatRequest{Endpoint: e, System: system, Messages: messages, Tools: tools,
		Temperature: s.task.Temperature, MaxTokens: s.task.MaxTokens, Stream: true}
	s.emit(ports.Event{Kind: ports.EventStep, Call: s.callID(s.Calls + 1), Data: ports.JSON(map[string]int{"step": s.Step, "of": s.task.MaxTurns})})
	res, err := s.attach(ctx, ports.FromKernel, "model.chat", ports.JSON(req), pictures)
	if err != nil {
		return ports.ChatReply{}, err
	}
	var reply ports.ChatReply
	if err := json.Unmarshal(res.Data, &reply); err != nil {
		return reply, ports.NewError(ports.CodeModel, "the provider's reply is not one: "+err.Error(), "")
	}
	reply.Message.Role = "assistant"
	s.Usage.Input += reply.Usage.Input
	s.Usage.Output += reply.Usage.Output
	s.Usage.CacheRead += reply.Usage.CacheRead
	s.Usage.CacheWrite += reply.Usage.CacheWrite
	return reply, nil
}

// detached takes pictures and files out of messages and leaves their keys.
func detached(ms []ports.Message) ([]ports.Message, map[string][]byte) {
	var bytes map[string][]byte
	for i, m := range ms {
		parts := slices.Clone(m.Content)
		for j, p := range parts {
			if p.Type == "text" {
				continue
			}
			if bytes == nil {
				bytes = map[string][]byte{}
			}
			key := fmt.Sprintf("%s-%d-%d", p.Type, i, j)
			bytes[key] = p.Data
			parts[j] = ports.Part{Type: p.Type, MIME: p.MIME, Name: p.Name, Handle: key}
		}
		ms[i].Content = parts
	}
	return ms, bytes
}

// defaultBudget is how many characters of a tool's result a model sees where the tool names no budget.
const defaultBudget = 8000

// shown is a result as the model reads it: capped by whole lines, and fenced off as data unless wb itself
// wrote it.
func (s *session) shown(spec ports.Spec, res ports.Result) string {
	text := res.Text()
	if text == "" && len(res.Data) > 0 {
		text = string(res.Data)
	}
	if text == "" {
		text = "(no output)"
	}
	text = capLines(text, min(orElse(spec.Budget, defaultBudget), s.charLimit()/3))
	if spec.Trusted {
		return text
	}
	return s.fence(text)
}

// fence wraps data that somebody else wrote. The nonce is the run's, so text cannot close its own fence.
func (s *session) fence(text string) string {
	text = strings.ReplaceAll(text, s.Nonce, "[nonce]")
	return fmt.Sprintf("<data %s>\n%s\n</data %s>", s.Nonce, strings.TrimRight(text, "\n"), s.Nonce)
}

// shownError is an error as the model reads it: what happened and what to do. Its text may quote a page.
func (s *session) shownError(err error) string {
	text := fmt.Sprintf("error (%s): %s", orElse(ports.CodeOf(err), "failed"), strings.ReplaceAll(oneLine(err.Error(), 2000), s.Nonce, "[nonce]"))
	if f := ports.FixOf(err); f != "" {
		text += "\nwhat to do: " + f
	}
	return text
}

// images are a result's pictures, for models that read them.
func (s *session) images(res ports.Result) []ports.Part {
	var out []ports.Part
	for _, c := range res.Content {
		switch {
		case c.Type != "image":
		case s.end.Vision:
			out = append(out, ports.Part{Type: "image", MIME: c.MIME, Data: c.Data})
		default:
			out = append(out, ports.Part{Type: "text", Text: "(a picture, which this model does not read)"})
		}
	}
	return out
}

// capLines cuts text to whole lines within max characters and says what is missing. A first line that is
// itself too long is cut inside.
func capLines(text string, max int) string {
	runes := []rune(text)
	if len(runes) <= max {
		return text
	}
	cut := string(runes[:max])
	if i := strings.LastIndexByte(cut, '\n'); i > 0 {
		cut = cut[:i+1]
	}
	rest := text[len(cut):]
	return fmt.Sprintf("%s\n(cut: %d more lines, %d characters; ask for less, or for the next page)",
		strings.TrimRight(cut, "\n"), strings.Count(rest, "\n")+1, len([]rune(rest)))
}

// oneLine flattens text and cuts it at n characters.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > n {
		return string(r[:n]) + "…"
	}
	return text
}

// decodeArgs reads what a model wrote as arguments: an object, nothing, or an object in a string.
func decodeArgs(raw string) (json.RawMessage, error) {
	raw = strings.TrimSpace(raw)
	if raw == "" || raw == "null" {
		return json.RawMessage("{}"), nil
	}
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		return nil, fmt.Errorf("the arguments are not JSON (%w): send one JSON object, and nothing was done", err)
	}
	if inner, ok := v.(string); ok {
		return decodeArgs(inner)
	}
	if _, ok := v.(map[string]any); !ok {
		return nil, fmt.Errorf("the arguments are not a JSON object: nothing was done")
	}
	return json.RawMessage(raw), nil
}

// argsForShow is the arguments for events: JSON, or the raw text as a JSON string.
func argsForShow(raw string) json.RawMessage {
	if args, err := decodeArgs(raw); err == nil {
		return args
	}
	return ports.JSON(oneLine(raw, 500))
}

func textOf(m ports.Message) string {
	var parts []string
	for _, p := range m.Content {
		if p.Type == "text" {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n")
}

var refNumber = regexp.MustCompile(`\b(?:f\d+)?e(\d{1,7})\b`)

// noteRefs remembers the highest number that can be a ref in what was shown, in whatever form, so that a
// browser started later does not use it again for another element. Seven digits keep a page that writes
// refs of its own from using the numbers up.
func (s *session) noteRefs(text string) {
	for _, m := range refNumber.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && n > s.MaxRef {
			s.MaxRef = n
		}
	}
}

func (s *session) spec(name string) (ports.Spec, bool) {
	specs := s.a.o.Specs()
	i := slices.IndexFunc(specs, func(p ports.Spec) bool { return p.Name == name })
	if i < 0 || !s.offers(specs[i]) {
		return ports.Spec{}, false
	}
	return specs[i], true
}

func (s *session) names() []string {
	var out []string
	for _, d := range s.tools() {
		out = append(out, d.Name)
	}
	return out
}
