package ir3

import (
	"math"

	"nirc/ir"
)

// scan lowers reductions and scans: fibers leave a loop one after the other,
// in order, and all that are still there keep what the ones before them had.
func (l *subgroups) scan() *ir.Def {
	b, in := l.b, l.in
	op := ir.Op(in.Get(ir.IdxReductionOp))
	v := in.Srcs[0].Def
	cluster := uint64(0)
	if in.Intr == ir.IntrReduce {
		cluster = in.Get(ir.IdxClusterSize)
	}
	if cluster == 1 {
		return v
	}
	comps := make([]*ir.Def, v.NumComponents)
	for k := range comps {
		comps[k] = l.widen(b.Channel(v, k), op)
	}
	start := widenedIdentity(op, v.BitSize, comps[0].BitSize)
	if l.together {
		if res := l.scanTogether(op, comps, start, cluster); res != nil {
			return l.narrowed(res, v.BitSize)
		}
	}
	if in.Intr == ir.IntrReduce && cluster != 0 && cluster <= mostPartners && !l.whole(cluster) {
		for k, x := range comps {
			comps[k] = l.reduceApart(op, x, start, cluster)
		}
		return l.narrowed(comps, v.BitSize)
	}
	if in.Intr == ir.IntrReduce && l.whole(cluster) && reduces(op, comps[0].BitSize) {
		for k, x := range comps {
			r := &b.Intrinsic(ir.IntrReduce, 1, x.BitSize, x).Set(ir.IdxReductionOp, uint64(op)).Def
			comps[k] = l.narrowBack(r, v.BitSize)
		}
		return b.Vec(comps...)
	}
	before, upTo := l.scanLoop(op, comps, start, cluster)
	res := upTo
	switch in.Intr {
	case ir.IntrExclusiveScan:
		res = before
	case ir.IntrReduce:
		res = l.total(upTo, cluster)
	}
	return l.narrowed(res, v.BitSize)
}

// narrowed brings what was widened back to so many bits.
func (l *subgroups) narrowed(comps []*ir.Def, bits uint8) *ir.Def {
	for k := range comps {
		comps[k] = l.narrowBack(comps[k], bits)
	}
	return l.b.Vec(comps...)
}

// whole reports whether a cluster of so many fibers, 0 for all, is the whole subgroup, as far as it has fibers.
func (l *subgroups) whole(cluster uint64) bool {
	n := l.workgroup()
	return cluster == 0 || cluster >= 128 || n > 0 && cluster >= n
}

// widen brings booleans and bytes to 32 bits.
func (l *subgroups) widen(x *ir.Def, op ir.Op) *ir.Def {
	switch {
	case x.BitSize == 1:
		return l.b.B2i32(x)
	case x.BitSize == 8 && (op == ir.OpImin || op == ir.OpImax):
		return l.b.I2i32(x)
	case x.BitSize == 8:
		return l.b.U2u32(x)
	}
	return x
}

func (l *subgroups) narrowBack(x *ir.Def, bits uint8) *ir.Def {
	switch bits {
	case 1:
		return l.b.Ine(x, l.b.Imm32(0))
	case 8:
		return l.b.ALU(ir.OpU2u8, x)
	}
	return x
}

// scanLoop returns the result of op, which begins with start, over the active fibers before each one,
// and with it, in clusters if cluster is not 0.
func (l *subgroups) scanLoop(op ir.Op, v []*ir.Def, start, cluster uint64) (before, upTo []*ir.Def) {
	b := l.b
	ident := make([]*ir.Def, len(v))
	for k := range v {
		ident[k] = b.Const(v[k].BitSize, start)
	}
	var group, none *ir.Def
	if cluster != 0 && cluster < 128 {
		none = b.Imm32(math.MaxUint32)
		group = b.Iand(l.id(), b.Imm32(^uint32(cluster-1)))
	}
	pre := b.Cursor.Block
	loop := b.PushLoop()
	phis := make([]*ir.Instr, len(v))
	for k := range v {
		phis[k] = b.Insert(l.s.NewPhi(1, v[k].BitSize))
		l.s.AddPhiSrc(phis[k], pre, ident[k])
	}
	var seen *ir.Instr
	if group != nil {
		seen = b.Insert(l.s.NewPhi(1, 32))
		l.s.AddPhiSrc(seen, pre, none)
	}
	acc := make([]*ir.Def, len(v))
	for k := range acc {
		acc[k] = &phis[k].Def
	}
	var now *ir.Def
	if group != nil {
		// The first fiber of another cluster starts again.
		now = l.first(group)
		same := b.Ieq(now, &seen.Def)
		for k := range acc {
			acc[k] = b.Bcsel(same, acc[k], ident[k])
		}
	}
	next := make([]*ir.Def, len(v))
	for k := range v {
		next[k] = b.ALU(op, acc[k], l.first(v[k]))
	}
	i := b.PushIf(&b.Intrinsic(ir.IntrElect, 1, 1).Def)
	b.Jump(ir.JumpBreak)
	b.PopIf(i)
	for k := range v {
		l.s.AddPhiSrc(phis[k], b.Cursor.Block, next[k])
	}
	if group != nil {
		l.s.AddPhiSrc(seen, b.Cursor.Block, now)
	}
	b.PopLoop(loop)
	return acc, next
}

// total gives every fiber what the last active one of its cluster has.
func (l *subgroups) total(v []*ir.Def, cluster uint64) []*ir.Def {
	b, id := l.b, l.id()
	out := make([]*ir.Def, len(v))
	if cluster == 0 || cluster >= 128 {
		last := b.Ieq(id, l.edge(true))
		for k := range v {
			out[k] = l.readCond(v[k], last)
		}
		return out
	}
	w := l.active()
	base := b.Iand(id, b.Imm32(^uint32(cluster-1)))
	var last *ir.Def
	if cluster == 64 {
		high := b.Ine(base, b.Imm32(0))
		pair := []*ir.Def{b.Bcsel(high, w[2], w[0]), b.Bcsel(high, w[3], w[1])}
		last = b.Iadd(base, l.find(pair, true))
	} else {
		word := w[0]
		n := b.Ushr(id, b.Imm32(5))
		for k := 1; k < len(w); k++ {
			word = b.Bcsel(b.Ieq(n, b.Imm32(uint32(k))), w[k], word)
		}
		part := b.Ishl(b.Imm32(uint32(1<<cluster-1)), b.Iand(base, b.Imm32(31)))
		last = b.Iadd(b.Iand(id, b.Imm32(^uint32(31))), b.UfindMsb(b.Iand(word, part)))
	}
	delta := b.Ixor(last, id)
	for k := range v {
		out[k] = l.shuffle(v[k], delta)
	}
	return out
}

// widenedIdentity is the neutral element of a reduction of values of from bits, as widen makes it of to bits: an exclusive scan
// gives it to the first fiber, which is to have that of its own type.
func widenedIdentity(op ir.Op, from, to uint8) uint64 {
	x := identity(op, from)
	if from < to && (op == ir.OpImin || op == ir.OpImax) {
		shift := 64 - from
		x = uint64(int64(x<<shift)>>shift) & (1<<to - 1)
	}
	return x
}

// identity is the neutral element of a reduction.
func identity(op ir.Op, bits uint8) uint64 {
	ones := uint64(1)<<bits - 1
	switch op {
	case ir.OpImul:
		return 1
	case ir.OpFmul:
		return ir.FloatBits(1, bits)
	case ir.OpFmin:
		return ir.FloatBits(math.Inf(1), bits)
	case ir.OpFmax:
		return ir.FloatBits(math.Inf(-1), bits)
	case ir.OpImin:
		return ones >> 1
	case ir.OpImax:
		return ones>>1 + 1
	case ir.OpUmin, ir.OpIand:
		return ones
	}
	return 0
}
