package nirc

import (
	"context"
	"errors"
	"slices"

	"nirc/backend"
	"nirc/backend/cost"
	"nirc/backend/object"
	"nirc/ir"
	"nirc/passes/analysis"
)

// Cost models the machine code of an object. How often its loops run is known of objects that
// were compiled with Options.Debug; of others see Unit.GenerateCosted.
func Cost(ctx context.Context, o *object.Object) (*cost.Program, error) {
	p, _, err := CostLoops(ctx, o)
	return p, err
}

// CostLoops is Cost with the loops that the object notes.
func CostLoops(ctx context.Context, o *object.Object) (p *cost.Program, loops []LoopCost, err error) {
	b, err := Backend(o.Target)
	if err != nil {
		return nil, nil, err
	}
	return costLoops(ctx, b, o)
}

func costLoops(ctx context.Context, b backend.Backend, o *object.Object) (p *cost.Program, loops []LoopCost, err error) {
	err = Guard(ctx, "cost", "", o.Target, func() error {
		p, err = b.Cost(o)
		return err
	})
	if err == nil && len(o.Loops) > 0 {
		loops = notedLoops(p, o)
	}
	return p, loops, err
}

// notedLoops gives the model the loops of an object. A header where the code has no loop is of an object
// that was changed: nothing is known of that one.
func notedLoops(p *cost.Program, o *object.Object) (loops []LoopCost) {
	found, _ := p.Loops()
	p.Trips = map[int32]uint32{}
	for i := range o.Loops {
		n := &o.Loops[i]
		l := LoopCost{Depth: n.Depth, Loc: ir.Loc{File: n.File, Line: n.Line, Word: n.Word}, Reason: n.Why}
		k := slices.IndexFunc(found, func(m cost.Loop) bool {
			return m.Depth == n.Depth && n.Header == int32(p.Instrs[m.Header].Offset)
		})
		if k >= 0 {
			l.Trips, l.Header, l.Instrs = n.Trips, found[k].Header, found[k].Instrs
			if l.Trips > 0 {
				p.Trips[l.Header] = l.Trips
			}
		}
		loops = append(loops, l)
	}
	return loops
}

// noteLoops pairs the loops of a shader with those of its code, and notes them in the object.
func noteLoops(ctx context.Context, b backend.Backend, o *object.Object, loops []LoopCost) error {
	p, _, err := costLoops(ctx, b, o)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil // a target without a model
	}
	if err != nil {
		return err
	}
	pairLoops(p, loops)
	for i := range loops {
		l := &loops[i]
		n := object.Loop{Depth: l.Depth, Trips: l.Trips, Header: -1, File: l.Loc.File, Line: l.Loc.Line, Word: l.Loc.Word, Why: l.Reason}
		if l.Instrs != nil {
			n.Header = int32(p.Instrs[l.Header].Offset)
		}
		o.Loops = append(o.Loops, n)
	}
	return nil
}

// LoopCost is a loop of the shader that is one of the machine code too.
type LoopCost struct {
	Depth int    // 1 for an outermost one
	Trips uint32 // how often its header runs; 0 if that is not known
	// Instrs are its instructions, as indices into the program's, its header the first that runs. nil if
	// the loops of the machine code could not be told apart.
	Instrs []int32
	Header int32
	Loc    ir.Loc // of the first instruction that has a place
	Reason string // why it was not unrolled
}

// GenerateCosted is Generate with the model of the code, in which loops count as often as the
// shader's analysis says. Options.Debug should be set, for places.
func (u *Unit) GenerateCosted(ctx context.Context) (*object.Object, *cost.Program, []LoopCost, error) {
	loops := u.loops()
	o, err := u.Generate(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	p, noted, err := costLoops(ctx, u.back, o)
	if err != nil {
		return nil, nil, nil, err
	}
	if u.opts.Debug {
		return o, p, noted, nil
	}
	pairLoops(p, loops)
	return o, p, loops, nil
}

// loops lists the loops that the passes have left.
func (u *Unit) loops() (list []LoopCost) {
	if u.Shader == nil {
		return nil
	}
	for _, f := range u.Shader.Functions {
		if f.Impl == nil {
			continue
		}
		for _, info := range analysis.RequireLoops(f.Impl).All {
			l := LoopCost{Depth: info.Depth, Loc: u.loopLoc(f.Impl, info.Loop), Reason: u.stays(info)}
			if info.Limiting >= 0 && info.Exact {
				l.Trips = info.MaxTrips + 1 // in the last it is left
			}
			list = append(list, l)
		}
	}
	return list
}

// loopLoc is the place of the first instruction of a loop that has one.
func (u *Unit) loopLoc(impl *ir.Impl, l *ir.Loop) ir.Loc {
	for b := range impl.Blocks() {
		if ir.EnclosingLoop(b) != l {
			continue
		}
		for in := range b.Instrs() {
			if in.Loc != 0 && int(in.Loc) < len(u.Shader.Locs) {
				return u.Shader.Locs[in.Loc]
			}
		}
	}
	return ir.Loc{}
}

// stays says why a loop was not unrolled.
func (u *Unit) stays(info *analysis.LoopInfo) string {
	limit := uint32(32)
	if o := u.Shader.Options; o != nil && o.MaxUnroll > 0 {
		limit = o.MaxUnroll
	}
	switch {
	case info.HasInner:
		return "it holds another loop"
	case info.Limiting < 0:
		return "how often it runs is not known at compile time"
	case !info.Exact:
		return "only a bound of how often it runs is known"
	case info.MaxTrips > limit:
		return "it runs too often"
	case u.opts.Level == 0:
		return "nothing is unrolled at -O0"
	}
	return "its copies would be too large, or its hint says so"
}

// pairLoops finds the loops of the machine code that those of the shader became: if they are as many and
// nested alike, they stand in the same order. Otherwise nothing is known of any.
func pairLoops(p *cost.Program, loops []LoopCost) {
	found, ok := p.Loops()
	same := ok && slices.EqualFunc(found, loops, func(m cost.Loop, l LoopCost) bool { return m.Depth == l.Depth })
	if !same {
		for i := range loops {
			loops[i].Trips, loops[i].Instrs = 0, nil
		}
		return
	}
	p.Trips = map[int32]uint32{}
	for i := range loops {
		l := &loops[i]
		l.Header, l.Instrs = found[i].Header, found[i].Instrs
		if l.Trips > 0 {
			p.Trips[l.Header] = l.Trips
		}
	}
}
