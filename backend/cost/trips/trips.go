// Package trips knows how often the loops of machine code run: it pairs the loops that the passes left in a shader
// with those that the cost model finds in its code, and keeps what is known in the object.
//
// Nothing is executed here; a trip count is what the analysis of the shader proves.
package trips

import (
	"slices"

	"nirc/backend/cost"
	"nirc/ir"
	"nirc/passes/analysis"
)

// Loop is a loop of the shader that is one of the machine code too.
type Loop struct {
	Depth int    // 1 for an outermost one
	Trips uint32 // how often its header runs; 0 if that is not known
	Most  uint32 // how often it runs at most, where Trips is not known; 0 if that is not either
	// Instrs are its instructions, as indices into the program's, its header the first that runs. nil if
	// the loops of the machine code could not be told apart.
	Instrs []int32
	Header int32
	Loc    ir.Loc // of the first instruction that has a place
	Reason string // why it was not unrolled
}

// tell gives the model what is known of the loop's trips.
func (l *Loop) tell(p *cost.Program) {
	if l.Trips > 0 {
		p.Trips[l.Header] = l.Trips
	} else if l.Most > 0 {
		p.Most[l.Header] = l.Most
	}
}

// Of lists the loops that the passes have left in a shader; unrolled reports whether they unroll loops at all.
func Of(s *ir.Shader, unrolled bool) (list []Loop) {
	for _, f := range s.Functions {
		if f.Impl == nil {
			continue
		}
		for _, info := range analysis.RequireLoops(f.Impl).All {
			if !info.GoesRound() {
				continue // no loop of the machine code
			}
			l := Loop{Depth: depthRound(info), Loc: placeOf(s, f.Impl, info.Loop), Reason: stays(s, info, unrolled)}
			if info.Limiting >= 0 && info.Exact {
				l.Trips = info.MaxTrips + 1 // in the last it is left
			} else if info.Limiting >= 0 {
				l.Most = info.MaxTrips + 1
			}
			list = append(list, l)
		}
	}
	return list
}

// depthRound is the number of loops around and with l that go round.
func depthRound(l *analysis.LoopInfo) (n int) {
	for ; l != nil; l = l.Parent {
		if l.GoesRound() {
			n++
		}
	}
	return n
}

// placeOf is the place of the first instruction of a loop that has one.
func placeOf(s *ir.Shader, impl *ir.Impl, l *ir.Loop) ir.Loc {
	for b := range impl.Blocks() {
		if ir.EnclosingLoop(b) != l {
			continue
		}
		for in := range b.Instrs() {
			if in.Loc != 0 && int(in.Loc) < len(s.Locs) {
				return s.Locs[in.Loc]
			}
		}
	}
	return ir.Loc{}
}

// stays says why a loop was not unrolled.
func stays(s *ir.Shader, info *analysis.LoopInfo, unrolled bool) string {
	limit := uint32(32)
	if o := s.Options; o != nil && o.MaxUnroll > 0 {
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
	case !unrolled:
		return "nothing is unrolled at -O0"
	}
	return "its copies would be too large, or its hint says so"
}

// Pair finds the loops of the machine code that those of the shader became: if they are as many and
// nested alike, they stand in the same order. Otherwise nothing is known of any.
func Pair(p *cost.Program, loops []Loop) {
	found, ok := p.Loops()
	same := ok && slices.EqualFunc(found, loops, func(m cost.Loop, l Loop) bool { return m.Depth == l.Depth })
	if !same {
		for i := range loops {
			loops[i].Trips, loops[i].Most, loops[i].Instrs = 0, 0, nil
		}
		return
	}
	p.Trips, p.Most = map[int32]uint32{}, map[int32]uint32{}
	for i := range loops {
		l := &loops[i]
		l.Header, l.Instrs = found[i].Header, found[i].Instrs
		if p.Turned && leftAtEnd(p, &found[i]) {
			l.Trips, l.Most = oneLess(l.Trips), oneLess(l.Most)
		}
		l.tell(p)
	}
}

// leftAtEnd reports whether the rounds of a loop end in a branch, back or out of it.
func leftAtEnd(p *cost.Program, l *cost.Loop) bool {
	for i := range p.Nodes {
		n := &p.Nodes[i]
		back := func(i int32) bool { return p.Nodes[i].Instr == l.Header }
		out := func(i int32) bool { _, in := slices.BinarySearch(l.Instrs, p.Nodes[i].Instr); return !in }
		if _, in := slices.BinarySearch(l.Instrs, n.Instr); in && slices.ContainsFunc(n.Succ, back) && (n.Ends || slices.ContainsFunc(n.Succ, out)) {
			return true
		}
	}
	return false
}

// oneLess is a number of trips less one, where it is known: a body that never runs counts once.
func oneLess(trips uint32) uint32 {
	if trips < 2 {
		return trips
	}
	return trips - 1
}
