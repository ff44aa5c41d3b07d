package passes

import "nirc/ir"

var lowerInt64Pass = &Pass{
	Name: "lower_int64", For: ir.Has64, Class: "A", Run: lowerInt64, Idempotent: true, Rewrites: true,
	Doc: "Writes 64-bit integer operations as operations on 32-bit halves, for targets whose options ask for it: arithmetic, shifts, comparisons, selections, " +
		"bit counts, conversions from and to floats with right rounding, division by float estimates; 32x32 products stay (see lower_alu). Values stay 64 bits wide between " +
		"pack_64_2x32_split and unpack_64_2x32_split, which opt_algebraic cancels. A divisor of 0 gives any value. Phis are lower_64bit_phis'.",
	Options: []Option{
		{"always", "whatever the target says", false},
		{"sums", "additions and subtractions of scalars stay, as ilea_agx and ulea_agx do, for targets that compute them", false},
		{"pairs", "sums, products, shifts, comparisons, logic and selections of one or two components stay, for targets that compute them", false},
	},
}

func lowerInt64(c *Context, s *ir.Shader) (bool, error) {
	if !c.Bool("always") && !s.Options.LowerInt64 {
		return false, nil
	}
	pairs, sums := c.Bool("pairs"), c.Bool("sums")
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if !is64(in) || pairs && staysPair(in) || sums && staysSum(in) || !c.Step() {
			return nil
		}
		l := int64Lowering{b, in, pairs}
		r := l.lower()
		if r.lo == nil {
			return nil // it stays, and nothing has been made
		}
		if r.hi == nil {
			return r.lo
		}
		return b.Pack64_2x32Split(r.lo, r.hi)
	}), nil
}

// is64 reports whether an ALU instruction makes or reads a 64-bit value.
func is64(in *ir.Instr) bool {
	if in.Def.BitSize == 64 {
		return true
	}
	for k := range in.Srcs {
		if in.Srcs[k].Def.BitSize == 64 {
			return true
		}
	}
	return false
}

// staysPair tells what the option pairs leaves: no value that it sees has more than two
// components, for wider ones are only there in halves, and more than the low half of
// the result is wanted.
func staysPair(in *ir.Instr) bool {
	if in.Def.NumComponents > 2 {
		return false
	}
	for k := range in.Srcs {
		if d := in.Srcs[k].Def; d.BitSize == 64 && d.NumComponents > 2 {
			return false
		}
	}
	switch in.Op {
	case ir.OpIshl, ir.OpIshr, ir.OpUshr, ir.OpIeq, ir.OpIne, ir.OpIlt, ir.OpIge, ir.OpUlt, ir.OpUge, ir.OpImin, ir.OpImax, ir.OpUmin, ir.OpUmax,
		ir.OpIeq32, ir.OpIne32, ir.OpIlt32, ir.OpIge32, ir.OpUlt32, ir.OpUge32:
		return true
	case ir.OpIadd, ir.OpIsub, ir.OpIneg, ir.OpImul, ir.OpIand, ir.OpIor, ir.OpIxor, ir.OpInot, ir.OpBcsel, ir.OpB32csel:
		return !onlyLow(&in.Def)
	case ir.OpU2u64, ir.OpI2i64:
		return in.Srcs[0].Def.BitSize == 32 && !onlyLow(&in.Def)
	}
	return in.IsVec()
}

// staysSum tells what the option sums leaves.
func staysSum(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpIadd, ir.OpIsub:
		return in.Def.NumComponents == 1 && !onlyLow(&in.Def)
	case ir.OpIleaAgx, ir.OpUleaAgx:
		return in.Def.NumComponents == 1
	}
	return false
}

// onlyLow reports whether nothing reads more than the low halves of d.
func onlyLow(d *ir.Def) bool {
	for u := range d.Uses() {
		if u.Instr == nil || u.Instr.Kind != ir.KindALU {
			return false
		}
		switch u.Instr.Op {
		case ir.OpUnpack64_2x32SplitX, ir.OpU2u32, ir.OpI2i32, ir.OpU2u16, ir.OpI2i16, ir.OpU2u8, ir.OpI2i8:
		default:
			return false
		}
	}
	return true
}

// pair is a 64-bit value as its 32-bit halves. A result of up to 32 bits has
// no hi.
type pair struct{ lo, hi *ir.Def }

// int64Lowering writes one instruction in halves.
type int64Lowering struct {
	*ir.Builder
	in    *ir.Instr
	pairs bool // 64-bit values of one or two components stay
}

// src returns the halves of source k.
func (l *int64Lowering) src(k int) pair {
	s := &l.in.Srcs[k]
	n := l.in.SrcComps(k)
	if s.Def.IsConst() {
		lo, hi := make([]uint64, n), make([]uint64, n)
		for i := range lo {
			v, _ := s.Const(i)
			lo[i], hi[i] = v&0xffffffff, v>>32
		}
		return pair{l.Const(32, lo...), l.Const(32, hi...)}
	}
	return l.split(srcValue(l.Builder, l.in, k))
}

// split returns the halves of a 64-bit value.
func (l *int64Lowering) split(v *ir.Def) pair {
	if v.IsUndef() {
		u := l.Undef(v.NumComponents, 32)
		return pair{u, u}
	}
	return pair{l.Unpack64_2x32SplitX(v), l.Unpack64_2x32SplitY(v)}
}

func (l *int64Lowering) imm(lo, hi uint32) pair { return pair{l.Imm32(lo), l.Imm32(hi)} }

// sel is cond ? x : y.
func (l *int64Lowering) sel(cond *ir.Def, x, y pair) pair {
	return pair{l.Bcsel(cond, x.lo, y.lo), l.Bcsel(cond, x.hi, y.hi)}
}

// both applies an operation to the halves.
func (l *int64Lowering) both(op ir.Op, x, y pair) pair {
	return pair{l.ALU(op, x.lo, y.lo), l.ALU(op, x.hi, y.hi)}
}

// one wraps a result of up to 32 bits.
func one(d *ir.Def) pair { return pair{lo: d} }

// lower returns the result in halves, no lo if the instruction stays.
func (l *int64Lowering) lower() pair {
	if l.in.Srcs[0].Def.BitSize != 64 {
		return l.widening()
	}
	if l.in.IsVec() {
		return l.vector()
	}
	switch l.in.Op {
	case ir.OpIand, ir.OpIor, ir.OpIxor:
		return l.both(l.in.Op, l.src(0), l.src(1))
	case ir.OpInot:
		x := l.src(0)
		return pair{l.Inot(x.lo), l.Inot(x.hi)}
	case ir.OpBitfieldSelect:
		m, x, y := l.src(0), l.src(1), l.src(2)
		return pair{l.BitfieldSelect(m.lo, x.lo, y.lo), l.BitfieldSelect(m.hi, x.hi, y.hi)}
	}
	if r := l.arithmetic(); r.lo != nil {
		return r
	}
	if r := l.comparison(); r.lo != nil {
		return r
	}
	if r := l.bits(); r.lo != nil {
		return r
	}
	return l.narrowing()
}

// vector makes vectors of the halves on targets that have vectors of 32 bits.
func (l *int64Lowering) vector() pair {
	if l.Shader.Options.MaxVectorWidth < 2 {
		return pair{}
	}
	lo, hi := make([]*ir.Def, len(l.in.Srcs)), make([]*ir.Def, len(l.in.Srcs))
	for k := range lo {
		p := l.src(k)
		lo[k], hi[k] = p.lo, p.hi
	}
	return pair{l.Vec(lo...), l.Vec(hi...)}
}

func (l *int64Lowering) add(x, y pair) pair {
	lo := l.Iadd(x.lo, y.lo)
	return pair{lo, l.Iadd(l.Iadd(x.hi, y.hi), l.B2i32(l.Ult(lo, x.lo)))}
}

func (l *int64Lowering) sub(x, y pair) pair {
	return pair{l.Isub(x.lo, y.lo), l.Isub(l.Isub(x.hi, y.hi), l.B2i32(l.Ult(x.lo, y.lo)))}
}

func (l *int64Lowering) neg(x pair) pair { return l.sub(l.imm(0, 0), x) }

// sign is 0 or ~0 in both halves.
func (l *int64Lowering) sign(x pair) pair {
	s := l.Ishr(x.hi, l.Imm32(31))
	return pair{s, s}
}

func (l *int64Lowering) abs(x pair) pair {
	s := l.sign(x)
	return l.sub(l.both(ir.OpIxor, x, s), s)
}

// mul32 is the whole product of two unsigned 32-bit values.
func (l *int64Lowering) mul32(x, y *ir.Def) pair {
	if !l.Shader.Options.LowerMul2x32_64 && !(l.pairs && x.NumComponents > 2) {
		return l.split(l.Umul2x32_64(x, y))
	}
	return pair{l.Imul(x, y), l.UmulHigh(x, y)}
}

func (l *int64Lowering) mul(x, y pair) pair {
	p := l.mul32(x.lo, y.lo)
	return pair{p.lo, l.Iadd(p.hi, l.Iadd(l.Imul(x.lo, y.hi), l.Imul(x.hi, y.lo)))}
}

// umulHigh is bits 64 to 127 of the product.
func (l *int64Lowering) umulHigh(x, y pair) pair {
	z := l.Imm32(0)
	low := l.mul32(x.lo, y.lo)
	mid := l.add(l.mul32(x.hi, y.lo), pair{low.hi, z})
	mid2 := l.add(l.mul32(x.lo, y.hi), pair{mid.lo, z})
	return l.add(l.add(l.mul32(x.hi, y.hi), pair{mid.hi, z}), pair{mid2.hi, z})
}

func (l *int64Lowering) imulHigh(x, y pair) pair {
	h := l.umulHigh(x, y)
	h = l.sub(h, l.both(ir.OpIand, l.sign(x), y))
	return l.sub(h, l.both(ir.OpIand, l.sign(y), x))
}

func (l *int64Lowering) eq(x, y pair) *ir.Def {
	return l.Iand(l.Ieq(x.lo, y.lo), l.Ieq(x.hi, y.hi))
}

// less compares; the halves' low parts always as unsigned.
func (l *int64Lowering) less(op ir.Op, x, y pair) *ir.Def {
	return l.Ior(l.ALU(op, x.hi, y.hi), l.Iand(l.Ieq(x.hi, y.hi), l.Ult(x.lo, y.lo)))
}

func (l *int64Lowering) ult(x, y pair) *ir.Def { return l.less(ir.OpUlt, x, y) }
func (l *int64Lowering) ilt(x, y pair) *ir.Def { return l.less(ir.OpIlt, x, y) }

func (l *int64Lowering) comparison() pair {
	switch l.in.Op {
	case ir.OpIeq:
		return one(l.eq(l.src(0), l.src(1)))
	case ir.OpIne:
		x, y := l.src(0), l.src(1)
		return one(l.Ior(l.Ine(x.lo, y.lo), l.Ine(x.hi, y.hi)))
	case ir.OpUlt:
		return one(l.ult(l.src(0), l.src(1)))
	case ir.OpIlt:
		return one(l.ilt(l.src(0), l.src(1)))
	case ir.OpUge:
		return one(l.Inot(l.ult(l.src(0), l.src(1))))
	case ir.OpIge:
		return one(l.Inot(l.ilt(l.src(0), l.src(1))))
	case ir.OpUmin, ir.OpUmax, ir.OpImin, ir.OpImax:
		x, y := l.src(0), l.src(1)
		switch l.in.Op {
		case ir.OpUmin:
			return l.sel(l.ult(x, y), x, y)
		case ir.OpUmax:
			return l.sel(l.ult(x, y), y, x)
		case ir.OpImin:
			return l.sel(l.ilt(x, y), x, y)
		}
		return l.sel(l.ilt(x, y), y, x)
	}
	return pair{}
}

// isBinary64 tells the operations of two and more sources that arithmetic and
// saturating write: the halves of others' sources must not be made, for an
// instruction that stays leaves nothing behind.
func isBinary64(op ir.Op) bool {
	switch op {
	case ir.OpIadd, ir.OpIsub, ir.OpImul, ir.OpAmul, ir.OpImad, ir.OpIadd3, ir.OpUmulHigh, ir.OpImulHigh,
		ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod,
		ir.OpUaddSat, ir.OpUsubSat, ir.OpUaddCarry, ir.OpUsubBorrow, ir.OpIaddSat, ir.OpIsubSat,
		ir.OpUabsUsub, ir.OpUabsIsub, ir.OpUhadd, ir.OpIhadd, ir.OpUrhadd, ir.OpIrhadd:
		return true
	}
	return false
}

func (l *int64Lowering) arithmetic() pair {
	switch l.in.Op {
	case ir.OpIneg:
		return l.neg(l.src(0))
	case ir.OpIabs:
		return l.abs(l.src(0))
	case ir.OpIsign:
		x := l.src(0)
		s := l.Ishr(x.hi, l.Imm32(31))
		return pair{l.Ior(s, l.B2i32(l.Ine(l.Ior(x.lo, x.hi), l.Imm32(0)))), s}
	}
	if !isBinary64(l.in.Op) {
		return pair{}
	}
	x, y := l.src(0), l.src(1)
	switch l.in.Op {
	case ir.OpIadd:
		return l.add(x, y)
	case ir.OpIsub:
		return l.sub(x, y)
	case ir.OpImul, ir.OpAmul:
		return l.mul(x, y)
	case ir.OpImad:
		return l.add(l.mul(x, y), l.src(2))
	case ir.OpIadd3:
		return l.add(l.add(x, y), l.src(2))
	case ir.OpUmulHigh:
		return l.umulHigh(x, y)
	case ir.OpImulHigh:
		return l.imulHigh(x, y)
	case ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod:
		return l.division(x, y)
	}
	return l.saturating(x, y)
}

// saturating are the operations with carries, clamps and averages.
func (l *int64Lowering) saturating(x, y pair) pair {
	z := l.Imm32(0)
	switch l.in.Op {
	case ir.OpUaddSat:
		s := l.add(x, y)
		return l.sel(l.ult(s, x), l.imm(^uint32(0), ^uint32(0)), s)
	case ir.OpUsubSat:
		return l.sel(l.ult(x, y), l.imm(0, 0), l.sub(x, y))
	case ir.OpUaddCarry:
		return pair{l.B2i32(l.ult(l.add(x, y), x)), z}
	case ir.OpUsubBorrow:
		return pair{l.B2i32(l.ult(x, y)), z}
	case ir.OpIaddSat:
		s := l.add(x, y)
		// Overflow: the operands' signs agree and the sum's differs.
		over := l.Ilt(l.Iand(l.Inot(l.Ixor(x.hi, y.hi)), l.Ixor(x.hi, s.hi)), z)
		return l.sel(over, l.limit(x), s)
	case ir.OpIsubSat:
		s := l.sub(x, y)
		over := l.Ilt(l.Iand(l.Ixor(x.hi, y.hi), l.Ixor(x.hi, s.hi)), z)
		return l.sel(over, l.limit(x), s)
	case ir.OpUabsUsub:
		return l.sel(l.ult(x, y), l.sub(y, x), l.sub(x, y))
	case ir.OpUabsIsub:
		return l.sel(l.ilt(x, y), l.sub(y, x), l.sub(x, y))
	case ir.OpUhadd, ir.OpIhadd:
		half := l.shiftRight(l.both(ir.OpIxor, x, y), l.Imm32(1), l.in.Op == ir.OpIhadd)
		return l.add(l.both(ir.OpIand, x, y), half)
	case ir.OpUrhadd, ir.OpIrhadd:
		half := l.shiftRight(l.both(ir.OpIxor, x, y), l.Imm32(1), l.in.Op == ir.OpIrhadd)
		return l.sub(l.both(ir.OpIor, x, y), half)
	}
	return pair{}
}

// limit is the largest or smallest signed value, by the sign of x.
func (l *int64Lowering) limit(x pair) pair {
	s := l.Ishr(x.hi, l.Imm32(31))
	return pair{l.Inot(s), l.Ixor(s, l.Imm32(0x7fffffff))}
}
