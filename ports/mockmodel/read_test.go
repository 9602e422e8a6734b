package mockmodel

import "testing"

func FuzzRead(f *testing.F) {
	f.Add([]byte(openAIRound), true)
	f.Add([]byte(anthropicRound), false)
	f.Add([]byte(`{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":null}]}]}`), false)
	f.Fuzz(func(t *testing.T, body []byte, open bool) {
		var wire protocol = anthropic{}
		if open {
			wire = openAI{}
		}
		c, err := wire.read(body)
		if (c == nil) == (err == nil) {
			t.Fatalf("got %v, %v", c, err)
		}
		if c == nil {
			return
		}
		a, err := c.render(Reply{Text: "t", Calls: []RawCall{{Tool: "x"}}}, func() string { return "id" })
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range wire.events(c, a) {
			e.encode()
		}
		if c.describe() == "" || c.turn() < 1 {
			t.Error("the conversation cannot be described")
		}
	})
}
