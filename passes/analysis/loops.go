package analysis

import (
	"slices"

	"nirc/internal/slab"
	"nirc/ir"
	"nirc/ir/optab"
)

// maxSimulated bounds the iterations that the trip count of a loop is followed.
const maxSimulated = 4096

// maxSlice bounds the values that an exit condition may depend on.
const maxSlice = 64

// LoopInfo is what is known of one loop.
type LoopInfo struct {
	Loop   *ir.Loop
	Parent *LoopInfo // the innermost loop around, or nil
	Depth  int       // 1 for an outermost loop
	// HasInner: another loop is inside that goes round.
	HasInner bool
	// Cost is the number of instructions inside, those that vanish in any
	// machine code (constants, derefs, moves, phis, modifiers of floats) not counted.
	Cost int
	// Terminators are the ifs at the top of the body with a side that ends in
	// break, in the order they are met.
	Terminators []Terminator
	// OtherExits: breaks in other places, or no way back to the head by the
	// body's end alone (continue jumps, a continue list).
	OtherExits bool
	// Limiting is the index of the terminator that is known to end the loop
	// first, -1 if none has a known count.
	Limiting int
	// MaxTrips bounds how often the body runs from its head to the limiting
	// terminator without leaving there; valid if Limiting is not -1.
	MaxTrips uint32
	// Exact: the loop leaves by the limiting terminator after exactly MaxTrips.
	Exact bool
	// Inductions are the header phis whose value in each iteration is known.
	Inductions []Induction
}

// Terminator is an exit of a loop.
type Terminator struct {
	If       *ir.If
	ExitThen bool // the then side breaks
	// Known: the exit is taken in iteration Trips, counted from 0, for the condition
	// depends only on constants and on header phis that do. AtMost: then at the latest.
	Known, AtMost bool
	Trips         uint32
}

// Exit and Stay return the sides of the terminator.
func (t *Terminator) Exit() *ir.List {
	if t.ExitThen {
		return &t.If.Then
	}
	return &t.If.Else
}

// Stay is the side on which the loop goes on.
func (t *Terminator) Stay() *ir.List {
	if t.ExitThen {
		return &t.If.Else
	}
	return &t.If.Then
}

// Late reports whether a terminator is never taken: the limiting one ends the loop in an earlier
// iteration, or in the same and before it.
func (l *LoopInfo) Late(terminator int) bool {
	t := &l.Terminators[terminator]
	return l.Limiting >= 0 && terminator != l.Limiting && t.Known && (t.Trips > l.MaxTrips || t.Trips == l.MaxTrips && terminator > l.Limiting)
}

// GoesRound reports whether something leads back to the loop's head.
func (l *LoopInfo) GoesRound() bool {
	return len(l.Loop.Body.FirstBlock().Preds) > 1 || !l.Loop.Continue.Empty()
}

// Induction is a header phi that starts at a constant and goes on from itself
// by a constant step.
type Induction struct {
	Phi  *ir.Instr
	Init uint64 // bits of the first value
	Op   ir.Op  // fadd, iadd, imul, ishl …: value = Op(value, step)
	Step uint64 // bits of the constant operand
}

// Loops are the loops of a function in source order, outer before inner.
type Loops struct {
	All []*LoopInfo
}

// RequireLoops returns the loops of a function, computing them if needed.
func RequireLoops(impl *ir.Impl) *Loops {
	if l, ok := impl.Analysis(ir.MetaLoops).(*Loops); ok {
		return l
	}
	l := findLoops(impl)
	impl.SetAnalysis(ir.MetaLoops, l)
	return l
}

func findLoops(impl *ir.Impl) *Loops {
	l := &Loops{}
	a := loopAnalysis{out: l, mode: ir.ModeOf(impl.Shader.Info.FloatControls)}
	a.list(&impl.Body, nil)
	return l
}

// CheckLoops reports whether the stored loops of a function are what a new
// computation gives; true if none are stored.
func CheckLoops(impl *ir.Impl) bool {
	old, ok := impl.Analysis(ir.MetaLoops).(*Loops)
	return !ok || slices.EqualFunc(old.All, findLoops(impl).All, sameLoop)
}

func sameLoop(a, b *LoopInfo) bool {
	if (a.Parent == nil) != (b.Parent == nil) || a.Parent != nil && a.Parent.Loop != b.Parent.Loop {
		return false
	}
	return a.Loop == b.Loop && a.Depth == b.Depth && a.HasInner == b.HasInner && a.Cost == b.Cost && a.OtherExits == b.OtherExits &&
		a.Limiting == b.Limiting && a.MaxTrips == b.MaxTrips && a.Exact == b.Exact &&
		slices.Equal(a.Terminators, b.Terminators) && slices.Equal(a.Inductions, b.Inductions)
}

type loopAnalysis struct {
	out  *Loops
	mode optab.Mode
	sim  simulator
}

// list walks a list; outer is the loop it is in.
func (a *loopAnalysis) list(l *ir.List, outer *LoopInfo) {
	for n := range l.Nodes() {
		switch n := n.(type) {
		case *ir.If:
			a.list(&n.Then, outer)
			a.list(&n.Else, outer)
		case *ir.Loop:
			info := &LoopInfo{Loop: n, Parent: outer, Depth: 1, Limiting: -1}
			if outer != nil {
				info.Depth = outer.Depth + 1
			}
			a.out.All = append(a.out.All, info)
			a.list(&n.Body, info)
			a.list(&n.Continue, info)
			a.loop(info)
			if outer != nil && (info.HasInner || info.GoesRound()) {
				outer.HasInner = true
			}
		}
	}
}

// loop fills in what is known of one loop.
func (a *loopAnalysis) loop(info *LoopInfo) {
	l := info.Loop
	info.OtherExits = !l.Continue.Empty()
	for n := range l.Body.Nodes() {
		if i, ok := n.(*ir.If); ok {
			a.terminator(info, i)
		}
	}
	a.jumps(info)
	if head := l.Body.FirstBlock(); len(head.Preds) != 2 {
		info.OtherExits = true
	}
	if info.OtherExits && !l.Continue.Empty() {
		return
	}
	a.inductions(info)
	for i := range info.Terminators {
		t := &info.Terminators[i]
		a.sim.terminator(info, t, a.mode)
		if (t.Known || t.AtMost) && (info.Limiting < 0 || t.Trips < info.MaxTrips) {
			info.Limiting, info.MaxTrips = i, t.Trips
		}
	}
	a.guess(info)
	// Other exits that are known to come later do not matter.
	info.Exact = info.Limiting >= 0 && !info.OtherExits
	for i := range info.Terminators {
		info.Exact = info.Exact && info.Terminators[i].Known
	}
}

// terminator notes i if one of its sides is a block that ends in break.
func (a *loopAnalysis) terminator(info *LoopInfo, i *ir.If) {
	for _, side := range []*ir.List{&i.Then, &i.Else} {
		if j := side.LastBlock().Jump(); j != nil && j.Jump == ir.JumpBreak && side.First() == side.Last() {
			info.Terminators = append(info.Terminators, Terminator{If: i, ExitThen: side == &i.Then})
			return
		}
	}
}

// jumps counts the loop's instructions and finds jumps out of it that are not
// terminators'.
func (a *loopAnalysis) jumps(info *LoopInfo) {
	breaks := 0
	for b := range ir.ListBlocks(&info.Loop.Body) {
		for in := b.First(); in != nil; in = in.Next() {
			info.Cost += InstrCost(in)
		}
		j := b.Jump()
		if j == nil || ir.EnclosingLoop(b) != info.Loop {
			continue
		}
		switch j.Jump {
		case ir.JumpBreak:
			breaks++
		case ir.JumpContinue:
			info.OtherExits = true
		}
	}
	// Each terminator accounts for one break.
	if breaks != len(info.Terminators) || info.Loop.Body.LastBlock().Jump() != nil {
		info.OtherExits = true
	}
}

// InstrCost is what an instruction counts in LoopInfo.Cost.
func InstrCost(in *ir.Instr) int {
	switch in.Kind {
	case ir.KindALU:
		switch {
		case in.Op == ir.OpMov, in.IsVec(), in.Op == ir.OpFneg, in.Op == ir.OpFabs, in.Op == ir.OpFsat:
			return 0
		}
		return 1
	case ir.KindIntrinsic, ir.KindTex:
		return 1
	case ir.KindCall:
		return 5
	}
	return 0
}

// inductions finds the header phis that step by a constant.
func (a *loopAnalysis) inductions(info *LoopInfo) {
	head := info.Loop.Body.FirstBlock()
	pre, ok := ir.Prev(info.Loop).(*ir.Block)
	if !ok || len(head.Preds) != 2 {
		return
	}
	for phi := range head.Phis() {
		if phi.Def.NumComponents != 1 {
			continue
		}
		init, next := phiEnds(phi, pre)
		if init == nil || next == nil {
			continue
		}
		v, ok := init.Def.Const(0)
		up := next.Def.Instr
		if !ok || up.Kind != ir.KindALU || len(up.Srcs) != 2 {
			continue
		}
		for k := range up.Srcs {
			step, isConst := up.Srcs[1-k].Const(0)
			if up.Srcs[k].Def == &phi.Def && isConst && (k == 0 || up.Op.Info().Props&optab.Commutative != 0) {
				info.Inductions = append(info.Inductions, Induction{phi, v, up.Op, step})
				break
			}
		}
	}
}

// phiEnds returns a header phi's sources from before the loop and from its end.
func phiEnds(phi *ir.Instr, pre *ir.Block) (init, next *ir.Src) {
	for i, p := range phi.PhiInfo().Preds {
		if p == pre {
			init = &phi.Srcs[i]
		} else {
			next = &phi.Srcs[i]
		}
	}
	return init, next
}

// simulator runs the slice of a loop that an exit condition depends on.
type simulator struct {
	head *ir.Block
	pre  *ir.Block
	mode optab.Mode
	keys []sliceKey // sources before users, except for what phis take over
	vals []uint64
	next []uint64
	arg  [4]uint64
}

// sliceKey is one component of a value, with its sources' places in keys.
type sliceKey struct {
	def  *ir.Def
	comp int
	src  [4]int
	init uint64 // phi: value in iteration 0
	phi  bool
}

// terminator finds in which iteration an exit is taken, or in which at the latest.
func (s *simulator) terminator(info *LoopInfo, t *Terminator, mode optab.Mode) {
	s.head = info.Loop.Body.FirstBlock()
	pre, ok := ir.Prev(info.Loop).(*ir.Block)
	if !ok || len(s.head.Preds) != 2 {
		return
	}
	s.pre, s.mode = pre, mode
	d := t.If.Cond.Def
	if t.Trips, t.Known = s.trips(d, 0, exitTest{exit: t.ExitThen}); !t.Known {
		t.Trips, t.AtMost = s.latest(d, 0, t.ExitThen, maxCauses)
	}
}

// exitTest says when a loop is left: when the value followed is the truth value exit, or, with
// op, when op of it and of limit is that (with after, of limit and of it).
type exitTest struct {
	exit  bool
	op    ir.Op
	after bool
	limit uint64
	key   int // place of the value followed, in the simulator's keys
}

// leaves evaluates the test in the current iteration.
func (s *simulator) leaves(t *exitTest) bool {
	v := s.vals[t.key]
	if t.op != 0 {
		s.arg[0], s.arg[1] = v, t.limit
		if t.after {
			s.arg[0], s.arg[1] = t.limit, v
		}
		v = t.op.Info().Eval(s.mode, s.keys[t.key].def.BitSize, &s.arg)
	}
	return v != 0 == t.exit
}

// trips returns in which iteration a component of d first passes a test.
func (s *simulator) trips(d *ir.Def, comp int, test exitTest) (uint32, bool) {
	s.keys = s.keys[:0]
	if test.key = s.add(d, comp); test.key < 0 {
		return 0, false
	}
	// What phis take over at the end of an iteration, until nothing new turns up.
	for i := 0; i < len(s.keys); i++ {
		if k := s.keys[i]; k.phi {
			_, next := phiEnds(k.def.Instr, s.pre)
			n := s.add(next.Def, k.comp)
			if n < 0 {
				return 0, false
			}
			s.keys[i].src[0] = n
		}
	}
	return s.run(&test)
}

// add puts a value's component and what it depends on into keys and returns
// its place, -1 if it cannot be followed.
func (s *simulator) add(d *ir.Def, comp int) int {
	for i := range s.keys {
		if s.keys[i].def == d && s.keys[i].comp == comp {
			return i
		}
	}
	if len(s.keys) >= maxSlice {
		return -1
	}
	in := d.Instr
	k := sliceKey{def: d, comp: comp}
	switch {
	case in.Kind == ir.KindLoadConst:
	case in.Kind == ir.KindPhi && in.Block == s.head:
		init, next := phiEnds(in, s.pre)
		if init == nil || next == nil {
			return -1
		}
		v, ok := init.Def.Const(comp)
		if !ok {
			return -1
		}
		k.phi, k.init = true, v
	case in.Kind == ir.KindALU && in.Op.Info().Eval != nil && len(in.Srcs) <= 4:
		for i := range in.Srcs {
			n := s.add(in.Srcs[i].Def, in.Srcs[i].Swizzle.Lane(comp))
			if n < 0 {
				return -1
			}
			k.src[i] = n
		}
	case in.IsVec():
		src := &in.Srcs[comp]
		return s.add(src.Def, src.Swizzle.Lane(0))
	default:
		return -1
	}
	if len(s.keys) >= maxSlice {
		return -1
	}
	s.keys = append(s.keys, k)
	return len(s.keys) - 1
}

// run finds the first iteration in which the test leaves.
func (s *simulator) run(test *exitTest) (uint32, bool) {
	if c, ok := s.counter(test); ok {
		if trips, known, decided := c.trips(); decided {
			return trips, known
		}
	}
	return s.follow(test)
}

// follow evaluates the slice iteration by iteration until the test leaves.
func (s *simulator) follow(test *exitTest) (uint32, bool) {
	n := len(s.keys)
	s.vals, s.next = slab.Zeroed(s.vals, n), slab.Zeroed(s.next, n)
	for i := range s.keys {
		if k := &s.keys[i]; k.phi {
			s.next[i] = k.init
		} else if v, ok := k.def.Const(k.comp); ok {
			s.vals[i] = v
		}
	}
	for trip := uint32(0); trip < maxSimulated; trip++ {
		for i := range s.keys {
			if s.keys[i].phi {
				s.vals[i] = s.next[i]
			}
		}
		changed := false
		for i := range s.keys {
			k := &s.keys[i]
			if in := k.def.Instr; in.Kind == ir.KindALU {
				for j := range in.Srcs {
					s.arg[j] = s.vals[k.src[j]]
				}
				s.vals[i] = in.Op.Info().Eval(s.mode, in.OpBits(), &s.arg)
			}
		}
		if s.leaves(test) {
			return trip, true
		}
		for i := range s.keys {
			if k := &s.keys[i]; k.phi {
				s.next[i] = s.vals[k.src[0]]
				changed = changed || s.next[i] != s.vals[i]
			}
		}
		if !changed {
			return 0, false // never leaves here
		}
	}
	return 0, false
}
