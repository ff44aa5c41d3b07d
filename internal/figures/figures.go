// Package figures holds the statistics of sets of compiled shaders, and
// compares them: with those of an earlier run, or with a baseline that another compiler
// gave. It reads and writes tables; no shader is compiled here, and what a figure means is the
// target's affair (see the statistics section of each ISA page).
package figures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"nirc"
	"nirc/backend/object"
	"nirc/internal/jsonplace"
)

// Schema is the number of the JSON form. It changes when a member goes or
// changes its meaning; new members may come under the same number.
const Schema = 1

// Kind is what the document of a set says that it is.
const Kind = "nirc stats"

// Shader is one shader's figures, or why there are none.
type Shader struct {
	File   string  `json:"file"`
	Entry  string  `json:"entry,omitempty"`
	Stage  string  `json:"stage,omitempty"`
	Target string  `json:"target"`
	GPU    string  `json:"gpu,omitempty"`
	Error  string  `json:"error,omitempty"`
	Micros float64 `json:"compile_us,omitempty"` // 0 if not measured
	Stats  Stats   `json:"stats,omitempty"`
	Bound  string  `json:"bound,omitempty"` // occupancy and the bound unit in words
}

// Key tells shaders of a set apart, and finds the same in another set.
func (s *Shader) Key() string {
	return strings.Join([]string{s.File, s.Entry, s.Stage, s.Target, s.GPU}, "\x00")
}

// Label names the shader for people.
func (s *Shader) Label() string {
	l := s.File
	if s.Entry != "" && s.Entry != "main" {
		l += " " + s.Entry
	}
	return l
}

// Get returns a figure by name.
func (s *Shader) Get(name string) (int64, bool) {
	for i := range s.Stats {
		if s.Stats[i].Name == name {
			return s.Stats[i].Value, true
		}
	}
	return 0, false
}

// Set is the figures of a run.
type Set struct {
	Schema  int      `json:"schema"`
	Kind    string   `json:"kind"`
	Version string   `json:"version"`
	Level   string   `json:"level,omitempty"`
	Shaders []Shader `json:"shaders"`
	Total   Stats    `json:"total"`
	Failed  int      `json:"failed"`
}

// New returns an empty set of this compiler.
func New(level string) *Set {
	return &Set{Schema: Schema, Kind: Kind, Version: nirc.Version, Level: level, Shaders: []Shader{}, Total: Stats{}}
}

// Add adds a shader and counts it.
func (s *Set) Add(sh Shader) {
	s.Shaders = append(s.Shaders, sh)
	s.count(&sh)
}

// count adds a shader to the totals.
func (s *Set) count(sh *Shader) {
	if sh.Error != "" {
		s.Failed++
		return
	}
	for _, st := range sh.Stats {
		if f := Find(st.Name); f != nil && f.NoSum {
			continue
		}
		i := slices.IndexFunc(s.Total, func(t object.Stat) bool { return t.Name == st.Name })
		if i < 0 {
			s.Total = append(s.Total, object.Stat{Name: st.Name})
			i = len(s.Total) - 1
		}
		s.Total[i].Value += st.Value
	}
}

// Read reads the JSON form that a Stream writes. Errors name the line.
func Read(data []byte) (*Set, error) {
	var s Set
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&s); err != nil {
		line, text := jsonplace.Explain(data, err)
		return nil, fmt.Errorf("line %d: no statistics of nirc stats --format json: %s", line, text)
	}
	if _, err := d.Token(); err != io.EOF {
		line := 1 + bytes.Count(data[:d.InputOffset()], []byte{'\n'})
		return nil, fmt.Errorf("line %d: no statistics of nirc stats --format json: something follows them", line)
	}
	if s.Kind != "" && s.Kind != Kind {
		return nil, fmt.Errorf("line 1: no statistics of nirc stats --format json: this is of %s", s.Kind)
	}
	if s.Schema != Schema {
		return nil, fmt.Errorf("statistics of schema %d: this version reads schema %d", s.Schema, Schema)
	}
	return &s, nil
}
