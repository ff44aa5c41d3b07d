package ir3

import (
	"nirc/backend/ir3/isa"
	"nirc/ir"
)

// A multiply-add reads what it adds later than an addition does (ir3.md §4.1), so x*1 + y waits less than x + y for a y that has
// just been computed. The product with one is exact: the sums are equal, to the bit. Of integers x must have no more bits than the
// multiplier takes.

// narrowFirst and narrowSecond are flags of additions of integers that no encoding has: the source is below 1<<narrowBits.
const (
	narrowFirst  isa.Flags = 1 << 29
	narrowSecond isa.Flags = 1 << 30
	narrow                 = narrowFirst | narrowSecond
	narrowBits             = 24
)

// narrowSources are the flags of an addition.
func narrowSources(in *ir.Instr) (f isa.Flags) {
	if in.Op != ir.OpIadd || in.Def.BitSize != 32 || in.Srcs[0].Def.IsConst() || in.Srcs[1].Def.IsConst() {
		return 0
	}
	if sourceBits(in, 0) <= narrowBits {
		f |= narrowFirst
	}
	if sourceBits(in, 1) <= narrowBits {
		f |= narrowSecond
	}
	return f
}

// multiplyAdd is the multiply-add that an addition can be, and the bits of one as its factor is read in the const file, where that of
// halves is converted. ok is false where there is none.
func multiplyAdd(x *pinstr) (op isa.Op, one uint32, ok bool) {
	half := x.Dst.IsHalf()
	switch {
	case x.Op == isa.OpAddF && half:
		op, one = isa.OpMadF16, 0x3f800000
	case x.Op == isa.OpAddF:
		op, one = isa.OpMadF32, 0x3f800000
	case x.Op == isa.OpAddU && x.Flags&narrow != 0:
		op, one = isa.OpMadU24, 1
	default:
		return 0, 0, false
	}
	return op, one, x.Srcs[0].IsHalf() == half && op.Can(x.Flags&^narrow) && multiplies(x.Srcs[0]) && multiplies(x.Srcs[1])
}

// multiplies reports whether any source of a multiply-add may be o.
func multiplies(o isa.Operand) bool {
	return o.Kind == isa.Reg && !o.IsShared() && o.Flags&^(isa.Neg|isa.Rpt|isa.Half) == 0
}

// addLate makes a multiply-add of an addition that would have to wait so many slots, where that waits less.
// It returns the slots that are left; t is what the instruction reads and writes.
func (p *phys) addLate(c *writeClock, x *pinstr, need int, t *touch) int {
	op, one, ok := multiplyAdd(x)
	if !ok || c.stores {
		return need
	}
	best := *x
	for k, exact := range [2]isa.Flags{narrowFirst, narrowSecond} {
		if op == isa.OpMadU24 && x.Flags&exact == 0 {
			continue
		}
		mad := *x
		mad.Op, mad.Flags = op, x.Flags&^narrow
		mad.Srcs[0], mad.Srcs[1], mad.Srcs[2] = isa.C(0), x.Srcs[k], x.Srcs[1-k]
		if left := p.needs(c, &mad, t); left < need {
			need, best = left, mad
		}
	}
	if best.Op == op {
		if k, ok := p.memory().consts.late(one, p.gpu.PreambleConsts); ok {
			best.Srcs[0] = isa.C(k)
			best.Srcs[0].Flags |= x.Srcs[0].Flags & isa.Half
			*x = best
		}
	}
	return p.needs(c, x, t)
}

// needs is the number of slots that in has to wait; t becomes what it reads and writes.
func (p *phys) needs(c *writeClock, in *pinstr, t *touch) (need int) {
	t.ofAliased(in)
	for _, r := range t.reads {
		need = max(need, p.wait(c, &in.Instr, r))
	}
	return need
}
