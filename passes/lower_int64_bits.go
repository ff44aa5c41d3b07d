package passes

import "nirc/ir"

// bits writes shifts, rotations and searches of 64-bit values.
func (l *int64Lowering) bits() pair {
	switch l.in.Op {
	case ir.OpIshl:
		return l.shiftLeft(l.src(0), srcValue(l.Builder, l.in, 1))
	case ir.OpUshr, ir.OpIshr:
		return l.shiftRight(l.src(0), srcValue(l.Builder, l.in, 1), l.in.Op == ir.OpIshr)
	case ir.OpUrol, ir.OpUror:
		x, n := l.src(0), srcValue(l.Builder, l.in, 1)
		back := l.Ineg(n)
		if l.in.Op == ir.OpUror {
			n, back = back, n
		}
		return l.both(ir.OpIor, l.shiftLeft(x, n), l.shiftRight(x, back, false))
	case ir.OpBitCount:
		x := l.src(0)
		return one(l.Iadd(l.BitCount(x.lo), l.BitCount(x.hi)))
	case ir.OpFindLsb:
		x := l.src(0)
		hi := l.FindLsb(x.hi)
		hi = l.Bcsel(l.Ieq(x.hi, l.Imm32(0)), hi, l.Iadd(hi, l.Imm32(32)))
		return one(l.Bcsel(l.Ieq(x.lo, l.Imm32(0)), hi, l.FindLsb(x.lo)))
	case ir.OpUfindMsb:
		return one(l.findMsb(l.src(0)))
	case ir.OpUfindMsbRev:
		m := l.findMsb(l.src(0))
		return one(l.Bcsel(l.Ilt(m, l.Imm32(0)), m, l.Isub(l.Imm32(63), m)))
	case ir.OpBitnz, ir.OpBitz:
		x, n := l.src(0), srcValue(l.Builder, l.in, 1)
		word := l.Bcsel(l.isBig(n), x.hi, x.lo)
		return one(l.ALU(l.in.Op, word, n))
	case ir.OpExtractU8, ir.OpExtractI8, ir.OpExtractU16, ir.OpExtractI16:
		return l.extract()
	case ir.OpInsertU8, ir.OpInsertU16:
		return l.insert()
	}
	return pair{}
}

func (l *int64Lowering) findMsb(x pair) *ir.Def {
	return l.Bcsel(l.Ieq(x.hi, l.Imm32(0)), l.UfindMsb(x.lo), l.Iadd(l.UfindMsb(x.hi), l.Imm32(32)))
}

// isBig reports whether a shift count modulo 64 is 32 or more.
func (l *int64Lowering) isBig(n *ir.Def) *ir.Def {
	return l.Ine(l.Iand(n, l.Imm32(32)), l.Imm32(0))
}

// shiftLeft shifts by n modulo 64. What crosses over is shifted by 1 and then
// by 31 - n, as a count of 32 would do nothing.
func (l *int64Lowering) shiftLeft(x pair, n *ir.Def) pair {
	lo := l.Ishl(x.lo, n)
	cross := l.Ushr(l.Ushr(x.lo, l.Imm32(1)), l.Inot(n))
	hi := l.Ior(l.Ishl(x.hi, n), cross)
	return l.sel(l.isBig(n), pair{l.Imm32(0), lo}, pair{lo, hi})
}

func (l *int64Lowering) shiftRight(x pair, n *ir.Def, signed bool) pair {
	cross := l.Ishl(l.Ishl(x.hi, l.Imm32(1)), l.Inot(n))
	lo := l.Ior(l.Ushr(x.lo, n), cross)
	if signed {
		hi := l.Ishr(x.hi, n)
		return l.sel(l.isBig(n), pair{hi, l.Ishr(x.hi, l.Imm32(31))}, pair{lo, hi})
	}
	hi := l.Ushr(x.hi, n)
	return l.sel(l.isBig(n), pair{hi, l.Imm32(0)}, pair{lo, hi})
}

// extract takes byte or half n of a 64-bit value.
func (l *int64Lowering) extract() pair {
	x, n := l.src(0), l.src(1).lo
	size := uint32(8)
	if l.in.Op == ir.OpExtractU16 || l.in.Op == ir.OpExtractI16 {
		size = 16
	}
	at := l.Imul(n, l.Imm32(size))
	word := l.Ushr(l.Bcsel(l.isBig(at), x.hi, x.lo), at)
	if l.in.Op == ir.OpExtractU8 || l.in.Op == ir.OpExtractU16 {
		return pair{l.Iand(word, l.Imm32(1<<size-1)), l.zeros(word)}
	}
	lo := l.Ishr(l.Ishl(word, l.Imm32(32-size)), l.Imm32(32-size))
	return pair{lo, l.Ishr(lo, l.Imm32(31))}
}

// insert puts the low byte or half at place n.
func (l *int64Lowering) insert() pair {
	x, n := l.src(0), l.src(1).lo
	size := uint32(8)
	if l.in.Op == ir.OpInsertU16 {
		size = 16
	}
	low := l.Iand(x.lo, l.Imm32(1<<size-1))
	return l.shiftLeft(pair{low, l.zeros(low)}, l.Imul(n, l.Imm32(size)))
}
