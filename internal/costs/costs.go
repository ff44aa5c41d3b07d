// Package costs says what shaders cost in the forms that people and their scripts read: a table as
// Arm's Mali Offline Compiler prints it, that tool's JSON (schema performance), and a JSON of our own for
// what that has no place for. The figures are those of package backend/cost; nothing is compiled or
// modelled here.
package costs

import (
	"fmt"
	"math"

	"nirc"
	"nirc/backend/cost"
	"nirc/backend/object"
)

// Schema is the number of our own JSON form. It changes when a member goes or changes its meaning;
// new members may come under the same number.
const Schema = 1

// Cycles is the cost of a path.
type Cycles struct {
	// Count is the cycles of each pipe of the shader's Pipes, in order.
	Count []float64 `json:"cycle_count"`
	// Busiest is the cycles of the pipe that takes longest, stalls included.
	Busiest float64 `json:"busiest"`
	// Stall is how long a wave alone waits, Unhidden what of it the other waves leave.
	Stall    float64  `json:"stall"`
	Unhidden float64  `json:"stall_unhidden"`
	Bound    []string `json:"bound_pipelines"`
}

// Loop is a loop that was not unrolled.
type Loop struct {
	Depth int    `json:"depth"`
	Trips uint32 `json:"trips,omitempty"` // of its header; 0 if not known
	File  string `json:"file,omitempty"`
	Line  uint32 `json:"line,omitempty"`
	Word  uint32 `json:"word,omitempty"`
	Why   string `json:"why"`
}

// Shader is the cost of one shader on one GPU, or why there is none.
type Shader struct {
	File   string `json:"file"`
	Entry  string `json:"entry,omitempty"`
	Stage  string `json:"stage,omitempty"`
	Target string `json:"target"`
	GPU    string `json:"gpu,omitempty"`
	Error  string `json:"error,omitempty"`

	Pipes    []cost.Pipe `json:"pipes,omitempty"`
	Total    *Cycles     `json:"total,omitempty"`
	Shortest *Cycles     `json:"shortest,omitempty"` // nil: not known
	Longest  *Cycles     `json:"longest,omitempty"`  // nil: not known
	Weighed  float64     `json:"weighed,omitempty"`  // cost.Program.Weighed
	// Instructions counts those that every invocation may run, Assumed those of them whose figures are assumed.
	Instructions int              `json:"instructions,omitempty"`
	Assumed      int              `json:"assumed,omitempty"`
	Classes      map[string]int   `json:"classes,omitempty"`
	Half         *int             `json:"fp16_arithmetic,omitempty"` // percent
	Occupancy    *cost.Occupancy  `json:"occupancy,omitempty"`
	Properties   *cost.Properties `json:"properties,omitempty"`
	Loops        []Loop           `json:"loops,omitempty"`
	Hints        []string         `json:"hints,omitempty"`

	Lines []Line `json:"lines,omitempty"`

	program *cost.Program  // nil after Read
	object  *object.Object // likewise
}

// Stalls is the name of what stands after the pipes where they bound.
const Stalls = "stalls"

// New describes the cost of an object. loops are those of Unit.GenerateCosted, nil of an object
// whose shader is not at hand.
func New(file, entry string, o *object.Object, p *cost.Program, loops []nirc.LoopCost) *Shader {
	s := &Shader{File: file, Entry: entry, Stage: o.Stage.String(), Target: o.Target, GPU: p.GPU, Pipes: p.Pipes, program: p, object: o}
	paths := p.Paths()
	s.Total, s.Shortest, s.Longest = cycles(p, &paths.Total), cycles(p, &paths.Shortest), cycles(p, &paths.Longest)
	s.Weighed = tidy(p.Weighed())
	s.Classes = map[string]int{}
	for i := range p.Instrs {
		in := &p.Instrs[i]
		if in.Once {
			continue
		}
		s.Instructions += in.Count
		if in.Doubt {
			s.Assumed += in.Count
		}
		if in.Classes == nil && in.Count > 0 {
			s.Classes[in.Class.String()] += in.Count
		}
		for _, c := range in.Classes {
			s.Classes[c.String()]++
		}
	}
	if share, ok := p.HalfShare(); ok {
		s.Half = &share
	}
	s.Occupancy, s.Properties = &p.Occupancy, &p.Props
	for i := range loops {
		l := &loops[i]
		n := Loop{Depth: l.Depth, Trips: l.Trips, Line: l.Loc.Line, Word: l.Loc.Word, Why: l.Reason}
		if int(l.Loc.File) < len(o.Files) && l.Loc.Line > 0 {
			n.File = o.Files[l.Loc.File]
		}
		s.Loops = append(s.Loops, n)
	}
	s.Hints = s.hints()
	return s
}

// cycles is a path's cost; nil if it is not known.
func cycles(p *cost.Program, path *cost.Path) *Cycles {
	if !path.Known {
		return nil
	}
	c := &Cycles{Count: make([]float64, len(p.Pipes)), Busiest: tidy(math.Max(p.Busiest(&path.Work), path.Unhidden)),
		Stall: tidy(path.Stall), Unhidden: tidy(path.Unhidden), Bound: []string{}}
	for i := range c.Count {
		c.Count[i] = tidy(path.Pipes[i])
	}
	for _, b := range path.Bound {
		name := Stalls
		if b < len(p.Pipes) {
			name = p.Pipes[b].Name
		}
		c.Bound = append(c.Bound, name)
	}
	return c
}

// tidy rounds what sums of thirds leave.
func tidy(v float64) float64 { return math.Round(v*1e6) / 1e6 }

// hints says what follows from the figures.
func (s *Shader) hints() (list []string) {
	hint := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	p := s.Properties
	if p.Spills+p.Fills > 0 {
		hint("registers are spilled: %d stores and %d loads of private memory", p.Spills, p.Fills)
	}
	if p.ArrayAccesses > 0 {
		hint("an array is indexed by what is not known at compile time, and stands in memory: %d accesses of private memory", p.ArrayAccesses)
	}
	if p.Address64 > 0 {
		hint("%d memory instructions compute 64-bit addresses", p.Address64)
	}
	for _, l := range s.Loops {
		where := ""
		switch {
		case l.Line > 0:
			where = fmt.Sprintf(" at %s:%d", l.File, l.Line)
		case l.Word > 0:
			where = fmt.Sprintf(" at word %d", l.Word)
		}
		trips := ""
		if l.Trips > 0 {
			trips = fmt.Sprintf(" (%d times)", l.Trips)
		}
		hint("the loop%s%s was not unrolled: %s", where, trips, l.Why)
	}
	if o := s.Occupancy; o != nil && o.Next != nil && o.Next.Less > 0 {
		hint("%d %s fewer: %d %s instead of %d", o.Next.Less, o.Next.What, o.Next.Value, o.Unit, o.Value)
	}
	if t := s.Total; t != nil && t.Unhidden > 0 {
		hint("waits of %s cycles are hidden by no other wave at %d %s", number(t.Unhidden), s.Occupancy.Value, s.Occupancy.Unit)
	}
	return list
}
