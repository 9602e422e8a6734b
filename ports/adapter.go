package ports

import "context"

// Adapter knows one site: what is peculiar about it, in a few notes.
type Adapter interface {
	// Match returns the notes for a page, or none. It must be quick: it runs each turn.
	Match(ctx context.Context, url string) (notes []string, err error)
}

// Skill teaches a model when and how to do a kind of task.
type Skill interface {
	Describe() SkillInfo
	// Load returns the instructions, Markdown without active content.
	Load(ctx context.Context) (string, error)
}

// SkillInfo is what a model sees of a skill before it loads it.
type SkillInfo struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Modes   []Mode `json:"modes,omitempty"`
}
