package costs

import "nirc"

// Set is the costs of a run, our own JSON form: the member nirc of a Report.
type Set struct {
	Schema  int       `json:"schema"`
	Kind    string    `json:"kind"` // SetKind
	Version string    `json:"version"`
	Level   string    `json:"level,omitempty"`
	Shaders []*Shader `json:"shaders"`
	Failed  int       `json:"failed"`
}

// SetKind tells a set from other documents.
const SetKind = "nirc cost"

// NewSet returns a set of this compiler.
func NewSet(level string, list []*Shader) *Set {
	s := &Set{Schema: Schema, Kind: SetKind, Version: nirc.Version, Level: "O" + level, Shaders: append([]*Shader{}, list...)}
	for _, x := range list {
		if x.Error != "" {
			s.Failed++
		}
	}
	return s
}
