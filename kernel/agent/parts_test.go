package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wb-agent/wb/ports"
)

func TestCapLines(t *testing.T) {
	tests := map[string]struct {
		text string
		max  int
		want string
	}{
		"fits":         {"a\nb", 10, "a\nb"},
		"whole lines":  {"aaaa\nbbbb\ncccc", 11, "aaaa\nbbbb\n(cut: 1 more lines, 4 characters; ask for less, or for the next page)"},
		"one long one": {strings.Repeat("é", 10), 4, "éééé\n(cut: 1 more lines, 6 characters; ask for less, or for the next page)"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, capLines(tt.text, tt.max)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetector(t *testing.T) {
	call := func(name, args string) ports.ToolCall { return ports.ToolCall{Name: name, Args: args} }
	tests := map[string]struct {
		calls     []ports.ToolCall
		urls      []string // after each call; "" keeps it
		nudges    int
		wantStops bool
	}{
		"different":       {calls: []ports.ToolCall{call("a", "1"), call("a", "2"), call("a", "3"), call("b", "1")}},
		"three identical": {calls: []ports.ToolCall{call("a", "1"), call("a", "1"), call("a", "1")}, nudges: 1},
		"a b a b":         {calls: []ports.ToolCall{call("a", "1"), call("b", "1"), call("a", "1"), call("b", "1")}, nudges: 1},
		"eight nudges":    {calls: repeat(call("a", "1"), 10), nudges: 8, wantStops: true},
		"clicks in one place": {calls: []ports.ToolCall{call("click", `{"x":11,"y":11}`), call("click", `{"x":12,"y":12}`), call("click", `{"x":13,"y":13}`),
			call("click", `{"x":14,"y":14}`), call("click", `{"x":10,"y":10}`)}, nudges: 1},
		"clicks elsewhere":   {calls: []ports.ToolCall{call("click", `{"x":1,"y":1}`), call("click", `{"x":50,"y":1}`), call("click", `{"x":1,"y":90}`)}},
		"goes nowhere":       {calls: []ports.ToolCall{call("look", ""), call("navigate", "1"), call("navigate", "2"), call("navigate", "3")}, nudges: 2},
		"goes somewhere":     {calls: []ports.ToolCall{call("navigate", "1"), call("navigate", "2")}, urls: []string{"u1", "u2"}},
		"healthy calls calm": {calls: append(repeat(call("a", "1"), 4), call("b", "1"), call("c", "1"), call("d", "1"), call("e", "1"), call("f", "1"), call("g", "1")), nudges: 2},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var d detector
			url, nudges, stopped := "start", 0, false
			for i, c := range tt.calls {
				if i < len(tt.urls) {
					url = tt.urls[i]
				}
				nudge, stop := d.saw(c, true, url)
				if nudge != "" {
					nudges++
				}
				stopped = stopped || stop
			}
			if nudges != tt.nudges || stopped != tt.wantStops {
				t.Errorf("%d nudges, stopped %v; want %d, %v", nudges, stopped, tt.nudges, tt.wantStops)
			}
		})
	}
}

func repeat(c ports.ToolCall, n int) []ports.ToolCall {
	out := make([]ports.ToolCall, n)
	for i := range out {
		out[i] = c
	}
	return out
}

// Whatever is dropped: the task stays first, an answer never stands without its call, the bound holds,
// and what happened last is still there.
func TestCompactKeepsAWholeTranscript(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := &session{}
		s.end.Context = []int{0, 16_384, 8_192}[r.IntN(3)]
		s.Messages = []ports.Message{userText("the task")}
		for i := range 10 + r.IntN(120) {
			m := ports.Message{Role: "assistant"}
			for j := range 1 + r.IntN(3) {
				m.Calls = append(m.Calls, ports.ToolCall{ID: fmt.Sprintf("%d-%d", i, j), Name: "look", Args: "{}"})
			}
			s.Messages = append(s.Messages, m)
			for _, c := range m.Calls {
				s.answer(c, strings.Repeat("x ", r.IntN(4000)), false)
			}
			s.compact()
			answersMatch(t, s.Messages)
			if textOf(s.Messages[0]) != "the task" {
				t.Fatalf("seed %d: the task is gone", seed)
			}
			if n := chars(s.Messages); n > s.charLimit()+8_000 {
				t.Fatalf("seed %d: %d characters, limit %d", seed, n, s.charLimit())
			}
			if got := s.Messages[len(s.Messages)-1].CallID; got != m.Calls[len(m.Calls)-1].ID {
				t.Fatalf("seed %d: the last answer is %s", seed, got)
			}
		}
	}
}

func TestPicturesLiveInTheLastMessagesOnly(t *testing.T) {
	s := &session{}
	for range 10 {
		s.Messages = append(s.Messages, ports.Message{Role: "tool", Content: []ports.Part{{Type: "image", Data: []byte{1}}}})
	}
	n := 0
	for _, m := range s.window() {
		for _, p := range m.Content {
			if p.Type == "image" {
				n++
			}
		}
	}
	if n != imageMessages {
		t.Errorf("%d pictures are sent, want %d", n, imageMessages)
	}
}

// A process that dies at any of its calls is followed by one that repeats no finished mutating call, and
// tells the model "unknown" of one that was under way.
func TestResumeAfterDeathAtEveryCall(t *testing.T) {
	script := func(n int, req ports.ChatRequest) (ports.ChatReply, error) {
		switch steps := strings.Count(transcript(req), "→press"); {
		case strings.Contains(transcript(req), "unknown: wb was stopped"):
			return calls(`done {"summary":"I do not know","outcome":"partial"}`)
		case steps < 2:
			return calls("look", fmt.Sprintf(`press {"n":%d}`, steps))
		}
		return calls(`done {"summary":"both pressed"}`)
	}
	for die := 1; ; die++ {
		pressed := map[string]int{}
		n, dead := 0, false
		k := newKernel(t, nil)
		kill := func() bool { n++; dead = dead || n == die; return dead }
		k.model = func(i int, req ports.ChatRequest) (ports.ChatReply, error) {
			if kill() {
				return ports.ChatReply{}, errKilled
			}
			return script(i, req)
		}
		press := func(after bool) ports.CallFunc {
			return func(_ context.Context, c ports.Call) (ports.Result, error) {
				if !after && kill() {
					return ports.Result{}, errKilled
				}
				pressed[string(c.Args)]++
				if after && kill() {
					return ports.Result{}, errKilled
				}
				return receipt(ports.VerdictDone), nil
			}
		}
		k.tools["press"] = press(die%2 == 0)
		run := dieInside(k, func() bool { return dead })
		if !dead {
			if die < 4 {
				t.Fatal("the script was too short to die in")
			}
			return
		}
		dead, n = false, -1<<30
		k.start()
		k.agent.o.NewID = func() string { return "fresh" }
		out, err := k.run(t.Context(), Task{Resume: run})
		if err != nil {
			t.Fatalf("death at call %d: %v", die, err)
		}
		for args, times := range pressed {
			if times != 1 {
				t.Errorf("death at call %d: press %s happened %d times", die, args, times)
			}
		}
		if out.Status != StatusSuccess && out.Status != StatusPartial {
			t.Errorf("death at call %d: %s (%s)", die, out.Status, out.Reason)
		}
	}
}

// transcript is what the model can see of earlier presses.
func transcript(req ports.ChatRequest) string {
	var b strings.Builder
	for _, m := range req.Messages {
		for _, c := range m.Calls {
			b.WriteString("→" + c.Name)
		}
		b.WriteString(textOf(m))
	}
	return b.String()
}

// dieInside runs until the script kills the process: the store then takes no more writes from it.
func dieInside(k *scriptedKernel, dead func() bool) string {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	frozen := &freezing{RunStore: k.store, dead: dead}
	k.agent.o.Runs = frozen
	_, _ = k.run(ctx, Task{Goal: "press twice", MaxTurns: 20}) // how it ends is of no matter: it was killed
	return "id1"
}

// freezing drops writes of a process that is dead.
type freezing struct {
	ports.RunStore
	dead func() bool
}

func (f *freezing) PutRun(ctx context.Context, r ports.Run) error {
	if f.dead() {
		return ports.NewError(ports.CodeStorage, "killed", "")
	}
	return f.RunStore.PutRun(ctx, r)
}
