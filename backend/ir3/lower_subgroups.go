package ir3

import (
	"math"

	"nirc/ir"
)

// lowerSubgroups rewrites the subgroup operations that are no single
// instruction into elections, reads of the first active fiber, uniform shuffles and ballots
// (ir3.md §5.5). It reports whether anything changed.
func lowerSubgroups(s *ir.Shader, impl *ir.Impl, gpu *GPU) bool {
	var found []*ir.Instr
	for b := range impl.Blocks() {
		for in := range b.Instrs() {
			if in.Kind == ir.KindIntrinsic && lowersSubgroup(in) {
				found = append(found, in)
			}
		}
	}
	together := togetherIn(s, impl, found)
	for i, in := range found {
		l := subgroups{s: s, gpu: gpu, in: in, together: together[i], b: ir.NewBuilder(ir.Before(in)).AtInstr(in)}
		in.Def.RewriteUses(l.lower())
		in.Remove()
	}
	if len(found) > 0 {
		impl.Preserve(ir.MetaNone)
	}
	return len(found) > 0
}

func lowersSubgroup(in *ir.Instr) bool {
	switch in.Intr {
	case ir.IntrFirstInvocation, ir.IntrLastInvocation, ir.IntrInverseBallot, ir.IntrVoteFeq, ir.IntrVoteIeq, ir.IntrReadInvocation,
		ir.IntrShuffle, ir.IntrRotate, ir.IntrQuadVoteAny, ir.IntrQuadVoteAll, ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan,
		ir.IntrBallotBitfieldExtract, ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive,
		ir.IntrBallotFindLsb, ir.IntrBallotFindMsb, ir.IntrLoadSubgroupEqMask, ir.IntrLoadSubgroupGeMask, ir.IntrLoadSubgroupGtMask,
		ir.IntrLoadSubgroupLeMask, ir.IntrLoadSubgroupLtMask:
		return true
	case ir.IntrShuffleXor, ir.IntrShuffleUp, ir.IntrShuffleDown:
		c, ok := in.Srcs[1].Def.Const(0)
		return !ok || c >= 128
	}
	return false
}

// subgroups lowers one operation.
type subgroups struct {
	s   *ir.Shader
	gpu *GPU
	in  *ir.Instr
	b   *ir.Builder

	together bool // all fibers of the subgroup run it at once
}

func (l *subgroups) lower() *ir.Def {
	b, in := l.b, l.in
	src := func(i int) *ir.Def { return in.Srcs[i].Def }
	switch in.Intr {
	case ir.IntrFirstInvocation:
		return l.edge(false)
	case ir.IntrLastInvocation:
		return l.edge(true)
	case ir.IntrInverseBallot:
		return b.Ine(l.bit(src(0), l.id()), b.Imm32(0))
	case ir.IntrBallotBitfieldExtract:
		x := l.bit(src(0), src(1))
		if in.Def.BitSize == 1 {
			return b.Ine(x, b.Imm32(0))
		}
		return x
	case ir.IntrVoteFeq, ir.IntrVoteIeq:
		return l.voteEqual(src(0), in.Intr == ir.IntrVoteFeq)
	case ir.IntrReadInvocation:
		return l.readCond(src(0), b.Ieq(l.id(), src(1)))
	case ir.IntrShuffle:
		return l.shuffle(src(0), b.Ixor(src(1), l.id()))
	case ir.IntrShuffleXor:
		return l.shuffle(src(0), src(1))
	case ir.IntrShuffleUp:
		return l.shuffle(src(0), b.Ixor(b.Isub(l.id(), src(1)), l.id()))
	case ir.IntrShuffleDown:
		return l.shuffle(src(0), b.Ixor(b.Iadd(l.id(), src(1)), l.id()))
	case ir.IntrRotate:
		return l.rotate(src(0), src(1))
	case ir.IntrQuadVoteAny, ir.IntrQuadVoteAll:
		return l.quadVote(src(0), in.Intr == ir.IntrQuadVoteAll)
	case ir.IntrReduce, ir.IntrInclusiveScan, ir.IntrExclusiveScan:
		return l.scan()
	case ir.IntrBallotBitCountReduce, ir.IntrBallotBitCountInclusive, ir.IntrBallotBitCountExclusive:
		return l.bitCount(src(0))
	case ir.IntrBallotFindLsb, ir.IntrBallotFindMsb:
		return l.find(l.valid(l.ballotWords(src(0))), in.Intr == ir.IntrBallotFindMsb)
	}
	return l.mask()
}

// id is the number of the fiber in its subgroup.
func (l *subgroups) id() *ir.Def {
	return &l.b.Intrinsic(ir.IntrLoadSubgroupInvocation, 1, 32).Def
}

func (l *subgroups) size() *ir.Def { return &l.b.Intrinsic(ir.IntrLoadSubgroupSize, 1, 32).Def }

func (l *subgroups) first(v *ir.Def) *ir.Def {
	return &l.b.Intrinsic(ir.IntrReadFirstInvocation, v.NumComponents, v.BitSize, v).Def
}

// words takes a mask apart.
func (l *subgroups) words(m *ir.Def) []*ir.Def {
	w := make([]*ir.Def, m.NumComponents)
	for k := range w {
		w[k] = l.b.Channel(m, k)
	}
	return w
}

// ballotWords are the words of a mask that may have bits: of a ballot those of the fibers that the workgroup has.
func (l *subgroups) ballotWords(m *ir.Def) []*ir.Def {
	w := l.words(m)
	if n := l.workgroup(); n > 0 && (m.Instr.IsIntrinsic(ir.IntrBallot) || m.Instr.IsIntrinsic(ir.IntrBallotRelaxed)) {
		w = w[:min(len(w), int(n+31)/32)]
	}
	return w
}

// active is the mask of the active fibers.
func (l *subgroups) active() []*ir.Def {
	return l.words(&l.b.Intrinsic(ir.IntrBallot, 4, 32, l.b.ImmBool(true)).Def)
}

// edge is the number of the first or the last active fiber. There is one, so no word has to be tested for none; small
// workgroups have none in the upper words.
func (l *subgroups) edge(last bool) *ir.Def {
	b, w := l.b, l.active()
	if n := l.workgroup(); n > 0 {
		w = w[:min(len(w), int(n+31)/32)]
	}
	if !last {
		r := len(w) - 1
		x, base := w[r], b.Imm32(uint32(32*r))
		for k := r - 1; k >= 0; k-- {
			some := b.Ine(w[k], b.Imm32(0))
			x, base = b.Bcsel(some, w[k], x), b.Bcsel(some, b.Imm32(uint32(32*k)), base)
		}
		if r == 0 {
			return b.FindLsb(x)
		}
		return b.Iadd(b.FindLsb(x), base)
	}
	x, top := w[0], b.Imm32(31)
	for k := 1; k < len(w); k++ {
		some := b.Ine(w[k], b.Imm32(0))
		x, top = b.Bcsel(some, w[k], x), b.Bcsel(some, b.Imm32(uint32(32*k+31)), top)
	}
	return b.Isub(top, b.ALU(ir.OpUfindMsbRev, x))
}

// workgroup is the number of invocations of a compute shader's workgroup, 0 if it is not known or many.
func (l *subgroups) workgroup() uint64 {
	z := &l.s.Info.WorkgroupSize
	if l.s.Stage != ir.StageCompute || max(z[0], z[1], z[2]) > 128 {
		return 0
	}
	return uint64(z[0]) * uint64(z[1]) * uint64(z[2])
}

// valid clears the words of a mask that are beyond the subgroup.
func (l *subgroups) valid(w []*ir.Def) []*ir.Def {
	b := l.b
	size := l.size()
	out := make([]*ir.Def, len(w))
	for k := range w {
		out[k] = w[k]
		if 32*k >= l.gpu.Fibers { // what the smallest subgroup does not have
			out[k] = b.Bcsel(b.Ult(b.Imm32(uint32(32*k)), size), w[k], b.Imm32(0))
		} else if l.gpu.Fibers < 32 { // of 16 or 32
			out[k] = b.Iand(w[k], b.IAddImm(b.Ishl(b.Imm32(2), b.IAddImm(size, -1)), -1))
		}
	}
	return out
}

// bit is bit i of a mask, as 0 or 1.
func (l *subgroups) bit(m, i *ir.Def) *ir.Def {
	b := l.b
	n := b.Ushr(i, b.Imm32(5))
	w := l.words(m)
	x := w[0]
	for k := 1; k < len(w); k++ {
		x = b.Bcsel(b.Ieq(n, b.Imm32(uint32(k))), w[k], x)
	}
	return b.Iand(b.Ushr(x, b.Iand(i, b.Imm32(31))), b.Imm32(1))
}

// find is the lowest or highest set bit of a mask, -1 if there is none.
func (l *subgroups) find(w []*ir.Def, high bool) *ir.Def {
	b := l.b
	r := b.Imm32(math.MaxUint32)
	for i := range w {
		k := len(w) - 1 - i
		if high {
			k = i
		}
		x := b.FindLsb(w[k])
		if high {
			x = b.UfindMsb(w[k])
		}
		if i == 0 && k == 0 {
			r = x // which is -1 of none
			continue
		}
		r = b.Bcsel(b.Ine(w[k], b.Imm32(0)), b.IAddImm(x, int64(32*k)), r)
	}
	return r
}

// bitCount counts the bits of a mask, below the fiber's own for scans.
func (l *subgroups) bitCount(m *ir.Def) *ir.Def {
	b := l.b
	w := l.valid(l.ballotWords(m))
	if l.in.Intr != ir.IntrBallotBitCountReduce {
		id := l.id()
		for k := range w {
			w[k] = b.Iand(w[k], l.below(id, k, l.in.Intr == ir.IntrBallotBitCountInclusive))
		}
	}
	n := b.BitCount(w[0])
	for _, x := range w[1:] {
		n = b.Iadd(n, b.BitCount(x))
	}
	return n
}

// below is word k of the mask of fibers below id, or up to it.
func (l *subgroups) below(id *ir.Def, k int, own bool) *ir.Def {
	b := l.b
	d := b.IAddImm(id, int64(-32*k))
	if own {
		d = b.IAddImm(id, int64(1-32*k))
	}
	part := b.IAddImm(b.Ishl(b.Imm32(1), b.Iand(d, b.Imm32(31))), -1)
	part = b.Bcsel(b.Ige(d, b.Imm32(32)), b.Imm32(math.MaxUint32), part)
	return b.Bcsel(b.Ilt(d, b.Imm32(0)), b.Imm32(0), part)
}

// mask makes one of the masks of fibers beside the own one.
func (l *subgroups) mask() *ir.Def {
	b, id := l.b, l.id()
	w := make([]*ir.Def, l.in.Def.NumComponents)
	for k := range w {
		lt, le := l.below(id, k, false), l.below(id, k, true)
		switch l.in.Intr {
		case ir.IntrLoadSubgroupEqMask:
			w[k] = b.Ixor(lt, le)
		case ir.IntrLoadSubgroupGeMask:
			w[k] = b.Inot(lt)
		case ir.IntrLoadSubgroupGtMask:
			w[k] = b.Inot(le)
		case ir.IntrLoadSubgroupLeMask:
			w[k] = le
		default:
			w[k] = lt
		}
	}
	return b.Vec(l.valid(w)...)
}

// voteEqual reports whether all active fibers have the value of the first.
func (l *subgroups) voteEqual(v *ir.Def, float bool) *ir.Def {
	b := l.b
	f := l.first(v)
	var all *ir.Def
	for k := range int(v.NumComponents) {
		x, y := b.Channel(v, k), b.Channel(f, k)
		var e *ir.Def
		switch {
		case float:
			e = b.Feq(x, y)
		case v.BitSize == 1:
			e = b.Inot(b.Ixor(x, y))
		default:
			e = b.Ieq(x, y)
		}
		if all != nil {
			e = b.Iand(all, e)
		}
		all = e
	}
	return &b.Intrinsic(ir.IntrVoteAll, 1, 1, all).Def
}

// readCond reads the fiber where cond is true.
func (l *subgroups) readCond(v, cond *ir.Def) *ir.Def {
	return &l.b.Intrinsic(ir.IntrReadInvocationCondIr3, v.NumComponents, v.BitSize, v, cond).Def
}

// shuffle reads the fiber whose number is the own one xor delta: in a loop over the different
// deltas, each for all fibers that have it. shfl gives nothing from a fiber that is not active, so
// those that have their value stay in the loop until all have: it ends for all of them at once.
func (l *subgroups) shuffle(v, delta *ir.Def) *ir.Def {
	b, s := l.b, l.b.Shader
	all, none := b.ImmBool(true), b.Undef(v.NumComponents, v.BitSize)
	before := b.Cursor.Block
	loop := b.PushLoop()
	waits, have := s.NewPhi(1, 1), s.NewPhi(v.NumComponents, v.BitSize)
	head := ir.AtStart(loop.Body.FirstBlock())
	head.Insert(have)
	head.Insert(waits)
	s.AddPhiSrc(waits, before, all)
	s.AddPhiSrc(have, before, none)
	u := l.readCond(delta, &waits.Def) // of the first fiber that waits
	x := &b.Intrinsic(ir.IntrShuffleXorUniformIr3, v.NumComponents, v.BitSize, v, u, none).Def
	mine := b.Ieq(u, delta)
	still := b.Iand(&waits.Def, b.Inot(mine))
	comps := make([]*ir.Def, v.NumComponents)
	for c := range comps {
		comps[c] = b.Bcsel(mine, b.Channel(x, c), b.Channel(&have.Def, c))
	}
	got := b.Vec(comps...)
	done := b.Inot(&b.Intrinsic(ir.IntrVoteAny, 1, 1, still).Def)
	if faults.has(faultShuffle) {
		done = mine
	}
	i := b.PushIf(done)
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	s.AddPhiSrc(waits, b.Cursor.Block, still)
	s.AddPhiSrc(have, b.Cursor.Block, got)
	b.PopLoop(loop)
	return got
}

func (l *subgroups) rotate(v, delta *ir.Def) *ir.Def {
	b, id := l.b, l.id()
	last := b.IAddImm(l.size(), -1)
	if c := l.in.Get(ir.IdxClusterSize); c != 0 && int(c) <= l.gpu.Fibers {
		last = b.Imm32(uint32(c - 1))
	}
	to := b.Ior(b.Iand(id, b.Inot(last)), b.Iand(b.Iadd(id, delta), last))
	return l.shuffle(v, b.Ixor(to, id))
}

func (l *subgroups) quadVote(v *ir.Def, all bool) *ir.Def {
	b := l.b
	r := v
	for _, q := range [...]ir.Intrinsic{ir.IntrQuadSwapHorizontal, ir.IntrQuadSwapVertical} {
		x := &b.Intrinsic(q, 1, 1, r).Def
		if all {
			r = b.Iand(r, x)
		} else {
			r = b.Ior(r, x)
		}
	}
	return r
}
