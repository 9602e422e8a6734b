package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/wb-agent/wb/kernel/agent"
	"github.com/wb-agent/wb/ports"
	"github.com/wb-agent/wb/ports/panel"
)

// history reads conversations out of the runs that are stored: there is no second copy of them.
type history struct{ d *daemon }

// maxHistory is how many runs are looked through.
const maxHistory = 2000

// taskOf is what a stored run was asked; empty where it kept nothing.
func taskOf(r ports.Run) agent.Task {
	var t agent.Task
	if json.Unmarshal(r.Spec, &t) != nil {
		return agent.Task{}
	}
	return t
}

// List implements panel.History.
func (h history) List(ctx context.Context, query string, limit int) ([]panel.Info, error) {
	runs, err := h.d.store.Runs(ctx, maxHistory)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	var out []panel.Info
	for _, r := range runs { // the newest first: it says how the conversation stands, the oldest what it is about
		t := taskOf(r)
		if t.Session == "" || r.Parent != "" {
			continue
		}
		i, known := at[t.Session]
		if !known {
			i = len(out)
			at[t.Session] = i
			out = append(out, panel.Info{ID: t.Session, At: r.Started.UnixMilli(), Status: r.Status, URL: t.URL})
		}
		out[i].Title = clean(t.Goal, 80)
	}
	query = strings.ToLower(query)
	out = slices.DeleteFunc(out, func(i panel.Info) bool { return !strings.Contains(strings.ToLower(i.Title), query) })
	return out[:min(limit, len(out))], nil
}

// of lists the runs of a conversation, oldest first.
func (h history) of(ctx context.Context, session string) ([]ports.Run, error) {
	runs, err := h.d.store.Runs(ctx, maxHistory)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(r ports.Run) bool { return taskOf(r).Session != session || r.Parent != "" })
	slices.Reverse(runs)
	return runs, nil
}

// Load implements panel.History.
func (h history) Load(ctx context.Context, session string) (events []panel.Event, last string, err error) {
	runs, err := h.of(ctx, session)
	if err != nil {
		return nil, "", err
	}
	for _, r := range runs {
		full, err := h.d.store.Run(ctx, r.ID)
		if err != nil {
			return nil, "", err
		}
		e, err := h.events(ctx, full)
		if err != nil {
			return nil, "", err
		}
		events, last = append(events, e...), r.ID
	}
	return events, last, nil
}

// Delete implements panel.History.
func (h history) Delete(ctx context.Context, session string) error {
	runs, err := h.of(ctx, session)
	if err != nil {
		return err
	}
	ids := make([]string, 0, len(runs))
	for _, r := range runs {
		ids = append(ids, r.ID)
	}
	return h.d.store.Forget(ctx, ids)
}

// events tells a stored run as it was told live: what was asked, said, called and answered.
func (h history) events(ctx context.Context, r ports.Run) ([]panel.Event, error) {
	var s struct {
		Messages []ports.Message `json:"messages"`
	}
	if len(r.State) > 0 {
		if err := json.Unmarshal(r.State, &s); err != nil {
			return nil, &ports.Error{Code: ports.CodeStorage, Msg: "run " + r.ID + ": " + err.Error(), Fix: "delete the conversation", Err: err}
		}
	}
	receipts, err := h.receipts(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	t, started := taskOf(r), r.Started.UnixMilli()
	out := []panel.Event{{Kind: panel.EventUser, At: started, Text: t.Goal, Data: ports.JSON(map[string]any{"files": fileNames(t.Files)})}}
	begun := slices.IndexFunc(s.Messages, func(m ports.Message) bool { return m.Role == "user" && textOf(m) == t.Goal })
	names := map[string]string{}
	for _, m := range s.Messages[begun+1:] {
		if text := textOf(m); m.Role == "assistant" && text != "" {
			out = append(out, panel.Event{Kind: ports.EventDelta, Run: r.ID, At: started, Data: ports.JSON(map[string]string{"text": text})})
		}
		for _, c := range m.Calls {
			names[c.ID] = c.Name
			out = append(out, panel.Event{Kind: ports.EventToolStart, Run: r.ID, At: started, Tool: c.Name, Data: argsOf(c.Args)})
		}
		if m.Role == "tool" {
			e := panel.Event{Kind: ports.EventToolEnd, Run: r.ID, At: started, Tool: names[m.CallID], Text: textOf(m)}
			if list := receipts[e.Tool]; len(list) > 0 {
				e.Data, receipts[e.Tool] = list[0], list[1:]
			}
			if m.IsError {
				e.Data = ports.JSON(map[string]any{"error": true})
			}
			out = append(out, e)
		}
	}
	_, left, err := h.d.store.Get(ctx, hostSpace, leftOf+r.ID)
	if r.Status == "running" || left || err != nil { // it has not ended: it will be picked up
		return out, err
	}
	return append(out, panel.Event{Kind: ports.EventRunEnd, Run: r.ID, At: r.Ended.UnixMilli(), Data: ports.JSON(map[string]string{"run": r.ID, "status": r.Status})}), nil
}

// receipts are what the model's own acting calls came to, by tool, in order.
func (h history) receipts(ctx context.Context, run string) (map[string][]json.RawMessage, error) {
	records, err := h.d.store.Since(ctx, run, 0, 10_000)
	if err != nil {
		return nil, err
	}
	out := map[string][]json.RawMessage{}
	for _, rec := range records {
		var res ports.Result
		if rec.From != ports.FromModel || json.Unmarshal(rec.Result, &res) != nil {
			continue
		}
		if receipt, ok := ports.ReceiptOf(res); ok {
			out[rec.Tool] = append(out[rec.Tool], ports.JSON(receipt))
		}
	}
	return out, nil
}

func argsOf(args string) json.RawMessage {
	if json.Valid([]byte(args)) {
		return json.RawMessage(args)
	}
	return ports.JSON(args)
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

func fileNames(files []agent.File) []string {
	out := []string{}
	for _, f := range files {
		out = append(out, f.Name)
	}
	return out
}

// taskFor is the run of a message, with the bytes of its files by name.
func taskFor(cfg *Config, s panel.Start) (agent.Task, map[string][]byte) {
	if s.Resume != "" {
		return agent.Task{Resume: s.Resume}, nil
	}
	t := agent.Task{Goal: s.Text, URL: s.URL, Mode: ports.Mode(s.Mode), Provider: s.Provider, Model: s.Model, MaxTurns: cfg.MaxSteps,
		TimeoutMS: int(cfg.Timeout.Milliseconds()), After: s.After, Session: s.Session}
	attach := map[string][]byte{}
	for _, f := range s.Files {
		t.Files = append(t.Files, agent.File{Name: f.Name, MIME: f.MIME})
		attach[f.Name] = f.Data
	}
	return t, attach
}
