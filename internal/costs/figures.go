package costs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"nirc/backend/object"
	"nirc/internal/figures"
	"nirc/internal/jsonplace"
)

// Figures are the shader's modelled figures as those of nirc stats: hundredths of cycles.
func (s *Shader) Figures() []object.Stat {
	var list []object.Stat
	add := func(name string, v float64) {
		list = append(list, object.Stat{Name: name, Value: int64(math.Round(100 * v))})
	}
	if s.Total != nil {
		add("total cycles", s.Total.Busiest)
		add("stall cycles", s.Total.Unhidden)
		add("weighed cycles", s.Weighed)
	}
	if s.Shortest != nil {
		add("shortest cycles", s.Shortest.Busiest)
	}
	if s.Longest != nil {
		add("longest cycles", s.Longest.Busiest)
	}
	return list
}

// Verdict says occupancy and what bounds the shader in words.
func (s *Shader) Verdict() string {
	if s.Occupancy == nil || s.Total == nil {
		return ""
	}
	v := fmt.Sprintf("%d of %d %s", s.Occupancy.Value, s.Occupancy.Max, s.Occupancy.Unit)
	if len(s.Total.Bound) > 0 {
		v += ", bound by " + strings.Join(s.Total.Bound, " and ")
	}
	return v
}

// ReadFigures reads the set of a report that nirc cost --json wrote as one of nirc stats. Errors name the line.
func ReadFigures(data []byte) (*figures.Set, error) {
	const what = "no costs of nirc cost --json"
	var r struct {
		Nirc *Set `json:"nirc"`
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil {
		line, text := jsonplace.Explain(data, err)
		return nil, fmt.Errorf("line %d: %s: %s", line, what, text)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("line %d: %s: something follows them", 1+bytes.Count(data[:d.InputOffset()], []byte{'\n'}), what)
	}
	s := r.Nirc
	if s == nil {
		return nil, fmt.Errorf("line 1: %s: it has no member nirc", what)
	}
	if s.Kind != SetKind || s.Schema != Schema {
		return nil, fmt.Errorf("line 1: %s: kind %q, schema %d; this version reads %q, schema %d", what, s.Kind, s.Schema, SetKind, Schema)
	}
	if slices.Contains(s.Shaders, nil) {
		return nil, fmt.Errorf("line 1: %s: a shader is null", what)
	}
	return s.Figures(), nil
}

// Figures are the costs as a set of nirc stats.
func (s *Set) Figures() *figures.Set {
	set := figures.New(s.Level)
	for _, x := range s.Shaders {
		f := figures.Shader{File: x.File, Entry: x.Entry, Stage: x.Stage, Target: x.Target, GPU: x.GPU, Error: x.Error, Stats: x.Figures()}
		f.Stats = append(f.Stats, object.Stat{Name: "inst", Value: int64(x.Instructions)})
		if p := x.Properties; p != nil {
			f.Stats = append(f.Stats, object.Stat{Name: "regs", Value: int64(p.WorkRegisters)}, object.Stat{Name: "spills", Value: int64(p.Spills)}, object.Stat{Name: "fills", Value: int64(p.Fills)})
		}
		if o := x.Occupancy; o != nil {
			f.Stats = append(f.Stats, object.Stat{Name: o.Unit, Value: int64(o.Value)})
		}
		set.Add(f)
	}
	return set
}
