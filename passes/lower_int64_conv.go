package passes

import "nirc/ir"

// widening writes operations that make 64 bits from less, and bcsel, whose
// first source is a condition.
func (l *int64Lowering) widening() pair {
	if l.in.Def.BitSize != 64 {
		return pair{}
	}
	switch l.in.Op {
	case ir.OpBcsel, ir.OpU2u64, ir.OpI2i64, ir.OpB2i64, ir.OpF2u64, ir.OpF2i64:
	case ir.OpUmul2x32_64, ir.OpImul2x32_64:
		if !l.pairs || l.in.Def.NumComponents <= 2 {
			return pair{}
		}
		x, y := srcValue(l.Builder, l.in, 0), srcValue(l.Builder, l.in, 1)
		high := ir.OpUmulHigh
		if l.in.Op == ir.OpImul2x32_64 {
			high = ir.OpImulHigh
		}
		return pair{l.Imul(x, y), l.ALU(high, x, y)}
	default:
		return pair{} // and nothing is made for it
	}
	x := srcValue(l.Builder, l.in, 0)
	switch l.in.Op {
	case ir.OpBcsel:
		return l.sel(x, l.src(1), l.src(2))
	case ir.OpU2u64:
		return pair{resizeUint(l.Builder, x, 32), l.zeros(x)}
	case ir.OpI2i64:
		if x.BitSize == 1 {
			x = l.Ineg(l.B2i32(x))
		}
		lo := resizeInt(l.Builder, x, 32)
		return pair{lo, l.Ishr(lo, l.Imm32(31))}
	case ir.OpB2i64:
		return pair{l.B2i32(x), l.zeros(x)}
	case ir.OpF2u64:
		return l.fromFloat(x)
	case ir.OpF2i64:
		mag := l.fromFloat(l.Fabs(x))
		neg := l.Flt(x, l.ImmFloat(0, x.BitSize))
		r := l.sel(neg, l.neg(mag), mag)
		if x.BitSize == 16 {
			// Only infinities are out of range.
			x = l.F2f32(x)
		}
		r = l.sel(l.Fge(x, l.ImmFloat(0x1p63, x.BitSize)), l.imm(^uint32(0), 1<<31-1), r)
		return l.sel(l.Flt(x, l.ImmFloat(-0x1p63, x.BitSize)), pair{l.Imm32(0), l.Imm32(1 << 31)}, r)
	}
	return pair{}
}

// zeros is 0 as wide as x.
func (l *int64Lowering) zeros(x *ir.Def) *ir.Def {
	return l.Const(32, make([]uint64, x.NumComponents)...)
}

// fromFloat truncates a float that is not negative; too large ones and
// infinity saturate, NaN and negative ones give 0.
func (l *int64Lowering) fromFloat(x *ir.Def) pair {
	if x.BitSize == 16 {
		x = l.F2f32(x)
	}
	w := x.BitSize
	exact := l.Exact
	l.Exact = true
	hi := l.F2u32(l.Fmul(x, l.ImmFloat(0x1p-32, w)))
	// The subtraction is exact: it takes off the leading bits.
	lo := l.F2u32(l.Fadd(x, l.Fmul(l.u2f(hi, w), l.ImmFloat(-0x1p32, w))))
	r := l.sel(l.Fge(x, l.ImmFloat(0x1p64, w)), l.imm(^uint32(0), ^uint32(0)), pair{lo, hi})
	l.Exact = exact
	return r
}

// u2f converts a 32-bit value to a float of w bits.
func (l *int64Lowering) u2f(x *ir.Def, w uint8) *ir.Def {
	if w == 64 {
		return l.U2f64(x)
	}
	return l.U2f32(x)
}

// narrowing writes conversions of 64-bit values.
func (l *int64Lowering) narrowing() pair {
	switch l.in.Op {
	case ir.OpU2u32, ir.OpI2i32:
		return one(l.src(0).lo)
	case ir.OpU2u16, ir.OpI2i16:
		return one(l.U2u16(l.src(0).lo))
	case ir.OpU2u8, ir.OpI2i8:
		return one(l.U2u8(l.src(0).lo))
	case ir.OpU2u1, ir.OpI2i1:
		return one(l.U2u1(l.src(0).lo))
	case ir.OpU2u64, ir.OpI2i64:
		return l.src(0)
	case ir.OpF2u64, ir.OpF2i64:
		return l.widening()
	case ir.OpU2f16:
		// All that does not fit in 32 bits is infinite, as the largest of them is.
		x := l.src(0)
		return one(l.U2f16(l.Bcsel(l.Ine(x.hi, l.Imm32(0)), l.Imm32(^uint32(0)), x.lo)))
	case ir.OpI2f16:
		x := l.src(0)
		lim := l.Ixor(l.Ishr(x.hi, l.Imm32(31)), l.Imm32(1<<31-1))
		fits := l.Ieq(x.hi, l.Ishr(x.lo, l.Imm32(31)))
		return one(l.I2f16(l.Bcsel(fits, x.lo, lim)))
	case ir.OpU2f32:
		return one(l.toFloat32(l.src(0)))
	case ir.OpI2f32:
		x := l.src(0)
		mag := l.toFloat32(l.abs(x))
		return one(l.Bcsel(l.Ilt(x.hi, l.Imm32(0)), l.Fneg(mag), mag))
	case ir.OpU2f64:
		x := l.src(0)
		return l.split(l.toFloat64(l.U2f64(x.hi), x.lo))
	case ir.OpI2f64:
		x := l.src(0)
		return l.split(l.toFloat64(l.I2f64(x.hi), x.lo))
	}
	return pair{}
}

// toFloat64 rounds once: both parts are exact.
func (l *int64Lowering) toFloat64(hi, lo *ir.Def) *ir.Def {
	return l.Fadd(l.Fmul(hi, l.ImmFloat(0x1p32, 64)), l.U2f64(lo))
}

// toFloat32 rounds to nearest even: the leading 32 bits, the lowest of them
// or-ed with what is below, convert with the right rounding.
func (l *int64Lowering) toFloat32(x pair) *ir.Def {
	up := l.Isub(l.Imm32(31), l.UfindMsb(x.hi))
	down := l.Isub(l.Imm32(31), up)
	top := l.Ior(l.Ishl(x.hi, up), l.Ushr(l.Ushr(x.lo, l.Imm32(1)), down))
	sticky := l.B2i32(l.Ine(l.Ishl(x.lo, up), l.Imm32(0)))
	// 2^(32-up) by its bits.
	scale := l.Ishl(l.Isub(l.Imm32(127+32), up), l.Imm32(23))
	f := l.Fmul(l.U2f32(l.Ior(top, sticky)), scale)
	return l.Bcsel(l.Ieq(x.hi, l.Imm32(0)), l.U2f32(x.lo), f)
}

// division writes quotients and remainders.
func (l *int64Lowering) division(n, d pair) pair {
	op := l.in.Op
	if op == ir.OpUdiv || op == ir.OpUmod {
		q, r := l.divideUnsigned(n, d)
		if op == ir.OpUdiv {
			return q
		}
		return r
	}
	q, r := l.divideUnsigned(l.abs(n), l.abs(d))
	nNeg := l.Ilt(n.hi, l.Imm32(0))
	differ := l.Ilt(l.Ixor(n.hi, d.hi), l.Imm32(0))
	if op == ir.OpIdiv {
		return l.sel(differ, l.neg(q), q)
	}
	r = l.sel(nNeg, l.neg(r), r)
	if op == ir.OpIrem {
		return r
	}
	fix := l.Iand(differ, l.Ine(l.Ior(r.lo, r.hi), l.Imm32(0)))
	return l.sel(fix, l.add(r, d), r)
}

// divideUnsigned estimates the quotient of what is left by single precision
// floats, four times. The factor 1 - 2^-19 keeps an estimate below the
// quotient: conversions, reciprocal (up to 2 ulp), products and scaling err
// by less than 2^-19.6 together. Each step then leaves less than 2^-18.2 of
// what it divided, and a divisor, so that after four of them one correction is
// all that is missing.
func (l *int64Lowering) divideUnsigned(n, d pair) (q, r pair) {
	if isZero(n.hi) && isZero(d.hi) {
		zero := l.Imm32(0)
		return pair{l.Udiv(n.lo, d.lo), zero}, pair{l.Umod(n.lo, d.lo), zero}
	}
	exact := l.Exact
	l.Exact = true
	rcp := l.Fmul(l.Frcp(l.estimate(d)), l.ImmFloat(1-0x1p-19, 32))
	q, r = l.imm(0, 0), n
	for range 4 {
		e := l.Fmul(l.estimate(r), rcp)
		hi := l.F2u32(l.Fmul(e, l.ImmFloat(0x1p-32, 32)))
		lo := l.F2u32(l.Fadd(e, l.Fmul(l.U2f32(hi), l.ImmFloat(-0x1p32, 32))))
		part := pair{lo, hi}
		q = l.add(q, part)
		r = l.sub(r, l.mul(part, d))
	}
	l.Exact = exact
	more := l.Inot(l.ult(r, d))
	q = l.sel(more, l.add(q, l.imm(1, 0)), q)
	r = l.sel(more, l.sub(r, d), r)
	return q, r
}

// estimate is a 64-bit value as a float, a few roundings off.
func (l *int64Lowering) estimate(x pair) *ir.Def {
	return l.Fadd(l.Fmul(l.U2f32(x.hi), l.ImmFloat(0x1p32, 32)), l.U2f32(x.lo))
}

func isZero(d *ir.Def) bool {
	if !d.IsConst() {
		return false
	}
	for _, v := range d.Instr.Imm {
		if v != 0 {
			return false
		}
	}
	return true
}
