package passes

import (
	"slices"

	"nirc/ir"
)

// LinkCounts are what linking did between two stages, and what of the interface is left, in components.
type LinkCounts struct {
	// Unread outputs and inputs that are never written went.
	Unread    int `json:"unread"`
	Unwritten int `json:"unwritten"`
	// LinkedValues are inputs that became constants, uniform expressions or earlier inputs, and those that became flat.
	LinkedValues
	// Narrow inputs have 16 bits now, Moved ones stand elsewhere.
	Narrow int `json:"narrow"`
	Moved  int `json:"moved"`
	// Before and After are the components, SlotsBefore and SlotsAfter the locations, that the consumer reads.
	Before      int `json:"before"`
	After       int `json:"after"`
	SlotsBefore int `json:"slots_before"`
	SlotsAfter  int `json:"slots_after"`
}

// Linking is the stages of a pipeline that are linked.
type Linking struct {
	Stages []*ir.Shader // in the order of the pipeline
	// Visible reports whether a stage may read a uniform buffer or push constants of another: nil: none but those that it declares.
	Visible func(stage ir.Stage, v *ir.Variable) bool
	// Lists runs the lists of the pipeline file: link_prepare brings a shader into the form that linking takes, link_turn
	// runs on one that changed, link_finish on all at the end.
	Lists Lists
	// Kept are locations at which nothing is removed, moved or replaced: a pipeline's state names them.
	Kept []int
	// Half: lower_mediump runs on the stages.
	Half bool
}

// maxLinkTurns bounds how often what is known goes back and forth.
const maxLinkTurns = 8

// Run links the stages; the counts are of each stage with the next.
func (l *Linking) Run() ([]LinkCounts, error) {
	counts := make([]LinkCounts, len(l.Stages)-1)
	if err := l.each(func(s *ir.Shader) error { return l.Lists.Run(s, "link_prepare") }); err != nil {
		return nil, err
	}
	defer l.keep()()
	for i := range counts {
		counts[i].Before, counts[i].SlotsBefore = VaryingSize(l.Stages[i+1], ir.ModeShaderIn)
	}
	for range maxLinkTurns {
		changed := make([]bool, len(l.Stages))
		l.values(counts, changed)
		if err := l.turn(changed); err != nil {
			return nil, err
		}
		if err := l.unused(counts, changed); err != nil {
			return nil, err
		}
		if !slices.Contains(changed, true) {
			break
		}
	}
	for i := range counts {
		counts[i].Narrow = NarrowVaryings(l.Stages[i], l.Stages[i+1], l.Half)
		counts[i].Moved = CompactVaryings(l.Stages[i], l.Stages[i+1], l.Kept)
	}
	if err := l.each(func(s *ir.Shader) error { return l.Lists.Run(s, "link_finish") }); err != nil {
		return nil, err
	}
	for i := range counts {
		counts[i].After, counts[i].SlotsAfter = VaryingSize(l.Stages[i+1], ir.ModeShaderIn)
	}
	return counts, nil
}

// keep makes the varyings at the kept locations always active, and returns what undoes it.
func (l *Linking) keep() (undo func()) {
	var kept slotMask
	for _, location := range l.Kept {
		at := (int(ir.SlotVar0) + location) * 4
		kept[at/64] |= 15 << (at % 64)
	}
	var list []*ir.Variable
	for _, s := range l.Stages {
		for _, v := range s.Variables {
			if !v.AlwaysActive && (isVarying(s, v, ir.ModeShaderIn) || isVarying(s, v, ir.ModeShaderOut)) {
				if m, _ := varyingMask(s, v); m.meets(&kept) {
					v.AlwaysActive = true
					list = append(list, v)
				}
			}
		}
	}
	return func() {
		for _, v := range list {
			v.AlwaysActive = false
		}
	}
}

func (l *Linking) each(f func(*ir.Shader) error) error {
	for _, s := range l.Stages {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

// values passes what is known on, from the first stage to the last.
func (l *Linking) values(counts []LinkCounts, changed []bool) {
	for i := range counts {
		consumer := l.Stages[i+1]
		var visible func(*ir.Variable) bool
		if l.Visible != nil {
			visible = func(v *ir.Variable) bool { return l.Visible(consumer.Stage, v) }
		}
		v := LinkOptVaryings(l.Stages[i], consumer, visible)
		changed[i+1] = changed[i+1] || v != LinkedValues{}
		counts[i].add(v)
	}
}

func (c *LinkCounts) add(v LinkedValues) {
	c.Constants += v.Constants
	c.Uniforms += v.Uniforms
	c.Merged += v.Merged
	c.Flat += v.Flat
}

// unused removes what nobody reads, from the last stage to the first.
func (l *Linking) unused(counts []LinkCounts, changed []bool) error {
	if last := len(l.Stages) - 1; l.Stages[last].Stage != ir.StageFragment && RemoveLastOutputs(l.Stages[last]) {
		if err := l.Lists.Run(l.Stages[last], "link_turn"); err != nil {
			return err
		}
		changed[last] = true
	}
	for i := len(counts) - 1; i >= 0; i-- {
		out, in := RemoveUnusedIO(l.Stages[i], l.Stages[i+1])
		counts[i].Unread += out
		counts[i].Unwritten += in
		now := make([]bool, len(l.Stages))
		now[i], now[i+1] = out > 0, in > 0
		if err := l.turn(now); err != nil {
			return err
		}
		changed[i], changed[i+1] = changed[i] || out > 0, changed[i+1] || in > 0
	}
	return nil
}

// turn runs Turn on what changed.
func (l *Linking) turn(changed []bool) error {
	for i, s := range l.Stages {
		if changed[i] {
			if err := l.Lists.Run(s, "link_turn"); err != nil {
				return err
			}
		}
	}
	return nil
}
