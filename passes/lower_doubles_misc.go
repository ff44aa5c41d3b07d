package passes

import "nirc/ir"

// Operations on doubles that look at the bits or move the point: rounding to
// integers, comparisons, limits, exponents.

// integral rounds to an integer by a mask of the bits below 1.
func (d *doubleLowering) integral(op ir.Op, x pair) pair {
	zero := d.Imm32(0)
	abs := d.Iand(x.hi, d.Imm32(signMask-1))
	exp := d.Ushr(abs, d.Imm32(20))
	n := d.Isub(exp, d.Imm32(doubleBias)) // bits of the fraction that are not below 1
	mask := pair{d.Ushr(d.immInt(-1), d.Imax(d.Isub(n, d.Imm32(20)), zero)), d.Ushr(d.Imm32(fractMask), d.Umin(n, d.Imm32(31)))}

	// What is added before the bits go, and whether a value below 1 becomes 1.
	var up *pair
	var one *ir.Def
	switch op {
	case ir.OpFfloor, ir.OpFceil:
		m := d.Ishr(x.hi, d.Imm32(31))
		if op == ir.OpFceil {
			m = d.Inot(m)
		}
		up = &pair{d.Iand(mask.lo, m), d.Iand(mask.hi, m)}
		one = d.Ine(d.Iand(d.Ior(abs, x.lo), m), zero)
	case ir.OpFroundEven:
		unit := pair{d.Iadd(mask.lo, d.Imm32(1)), nil}
		unit.hi = d.Iadd(mask.hi, d.B2i32(d.isZero(unit.lo)))
		odd := d.Ine(d.Ior(d.Iand(x.lo, unit.lo), d.Iand(x.hi, unit.hi)), zero)
		half := d.shr(mask, 1)
		half = d.add(half, pair{d.B2i32(odd), zero})
		up = &half
		one = d.Ult(d.Imm32(oneHigh-minNormal), d.nanKey(abs, x.lo))
	}
	r, small := x, d.signBit(x.hi)
	if up != nil {
		r = d.add(x, *up)
		small = d.Ior(small, d.Bcsel(one, d.Imm32(oneHigh), zero))
	}
	r = pair{d.Iand(r.lo, d.Inot(mask.lo)), d.Iand(r.hi, d.Inot(mask.hi))}
	r = d.sel(d.Ilt(n, d.Imm32(52)), r, x)
	return d.sel(d.Ilt(n, zero), pair{zero, small}, r)
}

// fract is x - floor(x), kept below 1.
func (d *doubleLowering) fract(x pair) pair {
	r := d.fadd(x, d.negate(d.integral(ir.OpFfloor, x)))
	return d.sel(d.Ieq(r.hi, d.Imm32(oneHigh)), d.imm(^uint32(0), oneHigh-1), r)
}

// signOf is ±1, for zeros themselves, for NaN 0.
func (d *doubleLowering) signOf(x pair) pair {
	abs := d.Iand(x.hi, d.Imm32(signMask-1))
	hi := d.Bcsel(d.isNaN(x), d.Imm32(0), d.Ior(d.signBit(x.hi), d.Imm32(oneHigh)))
	return pair{d.Imm32(0), d.Bcsel(d.isZero(d.Ior(abs, x.lo)), x.hi, hi)}
}

// clamp writes fsat, fsat_signed and fclamp_pos; NaN gives the lower limit.
func (d *doubleLowering) clamp(x pair) pair {
	zero, nan := d.imm(0, 0), d.isNaN(x)
	if d.in.Op == ir.OpFsatSigned {
		big := d.Ige(d.Iand(x.hi, d.Imm32(signMask-1)), d.Imm32(oneHigh))
		r := d.sel(big, pair{zero.lo, d.Ior(d.signBit(x.hi), d.Imm32(oneHigh))}, x)
		return d.sel(nan, pair{zero.lo, d.Imm32(signMask | oneHigh)}, r)
	}
	r := x
	if d.in.Op == ir.OpFsat {
		r = d.sel(d.Ige(x.hi, d.Imm32(oneHigh)), d.one(), x)
	}
	return d.sel(d.Ior(nan, d.Ilt(x.hi, zero.lo)), zero, r)
}

// below compares by value with -0 below +0; NaN gives anything. The order of
// two negative values is that of their complements.
func (d *doubleLowering) below(x, y pair) *ir.Def {
	m := d.Ishr(d.Iand(x.hi, y.hi), d.Imm32(31))
	return d.ilt(pair{d.Ixor(x.lo, m), d.Ixor(x.hi, m)}, pair{d.Ixor(y.lo, m), d.Ixor(y.hi, m)})
}

// unordered reports whether one is NaN.
func (d *doubleLowering) unordered(x, y pair) *ir.Def {
	abs := d.Imm32(signMask - 1)
	return d.isNaNKey(d.Umax(d.nanKey(d.Iand(x.hi, abs), x.lo), d.nanKey(d.Iand(y.hi, abs), y.lo)))
}

func (d *doubleLowering) bothZero(x, y pair) *ir.Def {
	return d.isZero(d.Ior(d.Ishl(d.Ior(x.hi, y.hi), d.Imm32(1)), d.Ior(x.lo, y.lo)))
}

// compare writes a comparison with a 1-bit result.
func (d *doubleLowering) compare(op ir.Op, x, y pair) *ir.Def {
	switch op {
	case ir.OpFunord:
		return d.unordered(x, y)
	case ir.OpFord:
		return d.Inot(d.unordered(x, y))
	case ir.OpFlt:
		return d.Iand(d.below(x, y), d.Inot(d.Ior(d.bothZero(x, y), d.unordered(x, y))))
	case ir.OpFgeu:
		return d.Inot(d.compare(ir.OpFlt, x, y))
	case ir.OpFge:
		return d.Iand(d.Ior(d.Inot(d.below(x, y)), d.bothZero(x, y)), d.Inot(d.unordered(x, y)))
	case ir.OpFltu:
		return d.Inot(d.compare(ir.OpFge, x, y))
	case ir.OpFequ:
		return d.Ior(d.Ior(d.eq(x, y), d.bothZero(x, y)), d.unordered(x, y))
	case ir.OpFneo:
		return d.Inot(d.compare(ir.OpFequ, x, y))
	}
	eq := d.Ior(d.Iand(d.eq(x, y), d.Inot(d.isNaN(x))), d.bothZero(x, y))
	if op == ir.OpFneu {
		return d.Inot(eq)
	}
	return eq
}

// minMax writes fmin and fmax: of a NaN and a number the number, zeros ordered.
func (d *doubleLowering) minMax(op ir.Op, x, y pair) pair {
	first := d.below(x, y)
	if op == ir.OpFmax {
		first = d.Inot(first)
	}
	return d.sel(d.Iand(d.Ior(first, d.isNaN(y)), d.Inot(d.isNaN(x))), x, y)
}

// ldexp is x·2^n rounded once.
func (d *doubleLowering) ldexp(x pair, n *ir.Def) pair {
	a := d.open(x)
	e := d.Iadd(a.e, d.Imin(d.Imax(n, d.immInt(-5000)), d.Imm32(5000)))
	e = d.Imin(e, d.Imm32(4000)) // the exponent's field overflows a word above 4095
	w := d.shl(a.sig, 10)
	r, _ := d.roundWords([]*ir.Def{nil, nil, w.lo, w.hi}, 2, d.Isub(e, d.Imm32(127)))
	r.hi = d.Ior(r.hi, d.signBit(x.hi))
	return d.sel(d.Ieq(a.exp, d.Imm32(maxExp)), x, r)
}

// noExponent reports whether frexp passes a value through: zero, infinity, NaN.
func (d *doubleLowering) noExponent(a number) *ir.Def {
	return d.Ior(d.Ieq(a.exp, d.Imm32(maxExp)), d.isZero(d.Ior(a.abs, a.sig.lo)))
}

func (d *doubleLowering) frexpSig(x pair) pair {
	a := d.open(x)
	n := d.normalised(a)
	hi := d.Ior(d.Ior(d.signBit(x.hi), d.Imm32(oneHigh-minNormal)), d.Iand(n.sig.hi, d.Imm32(fractMask)))
	return d.sel(d.noExponent(a), x, pair{n.sig.lo, hi})
}

func (d *doubleLowering) frexpExp(x pair) *ir.Def {
	a := d.open(x)
	return d.Bcsel(d.noExponent(a), d.Imm32(0), d.Isub(d.normalised(a).e, d.Imm32(doubleBias-1)))
}

// quantize rounds to a half float, flushed, and back.
func (d *doubleLowering) quantize(x pair) pair {
	r := d.widen(d.narrow(ir.OpF2f16Rtne, x))
	small := d.Ult(d.Iand(x.hi, d.Imm32(signMask-1)), d.Imm32((doubleBias-14)<<20))
	return d.sel(small, pair{d.Imm32(0), d.signBit(x.hi)}, r)
}
