package passes

import "nirc/ir"

// floatFormat is a smaller float: bits of the fraction, bias of the exponent.
type floatFormat struct{ fract, bias uint32 }

var (
	halfFormat   = floatFormat{10, 15}
	singleFormat = floatFormat{23, 127}
)

// limits returns sign, infinity and a NaN.
func (f floatFormat) limits() (sign, inf, nan uint32) {
	inf = (2*f.bias + 1) << f.fract
	return (2*f.bias + 2) << f.fract, inf, inf | 1<<(f.fract-1)
}

// narrow writes f2f32 and the forms of f2f16. The leading 31 bits are enough,
// the last of them or-ed with what is below.
func (d *doubleLowering) narrow(op ir.Op, x pair) *ir.Def {
	f, bits := halfFormat, uint8(16)
	if op == ir.OpF2f32 {
		f, bits = singleFormat, 32
	}
	rtz := op == ir.OpF2f16Rtz || op != ir.OpF2f16Rtne && d.mode.RTZ&(bits>>4) != 0
	sign, inf, nan := f.limits()
	a := d.open(x)
	zero := d.Imm32(0)
	w := d.Ior(d.Ior(d.Ishl(a.sig.hi, d.Imm32(10)), d.Ushr(x.lo, d.Imm32(22))), d.sticky(d.Ishl(x.lo, d.Imm32(10))))
	t := d.Isub(a.exp, d.Imm32(doubleBias-f.bias+1)) // field - 1
	down := d.Imin(d.Imax(d.Ineg(t), zero), d.Imm32(31))
	w = d.Ior(d.Ushr(w, down), d.sticky(d.Ishl(d.Ishl(w, d.Imm32(1)), d.Inot(down))))
	t = d.Imin(d.Imax(t, zero), d.Imm32(2*f.bias+1))

	off := 30 - f.fract
	if !rtz {
		w = d.Iadd(w, d.Iadd(d.Iand(d.Ushr(w, d.Imm32(off)), d.Imm32(1)), d.Imm32(1<<(off-1)-1)))
	}
	r := d.Iadd(d.Ushr(w, d.Imm32(off)), d.Ishl(t, d.Imm32(f.fract)))
	if rtz {
		r = d.Umin(r, d.Imm32(inf-1))
		r = d.Bcsel(d.Ieq(a.exp, d.Imm32(maxExp)), d.Imm32(inf), r)
	} else {
		r = d.Umin(r, d.Imm32(inf))
	}
	if d.mode.FlushDenorm&(bits>>4) != 0 {
		r = d.Bcsel(d.Ult(r, d.Imm32(1<<f.fract)), zero, r)
	}
	r = d.Bcsel(d.isNaN(x), d.Imm32(nan), r)
	if bits == 32 {
		return d.Ior(r, d.signBit(x.hi))
	}
	return d.U2u16(d.Ior(r, d.Iand(d.Ushr(x.hi, d.Imm32(16)), d.Imm32(sign))))
}

// widen writes f2f64 of 16 and 32 bits.
func (d *doubleLowering) widen(x *ir.Def) pair {
	f, flush := singleFormat, d.mode.FlushDenorm&(x.BitSize>>4) != 0
	shift := uint32(0)
	if x.BitSize == 16 {
		f, shift, x = halfFormat, 16, d.U2u32(x)
	}
	sign, inf, _ := f.limits()
	abs, zero := d.Iand(x, d.Imm32(sign-1)), d.Imm32(0)
	exp := d.Ushr(abs, d.Imm32(f.fract))
	// The leading bit at 31.
	w := d.Ior(d.Ishl(abs, d.Imm32(31-f.fract)), d.Imm32(1<<31))
	e := d.Iadd(exp, d.Imm32(doubleBias-f.bias))
	denorm := d.isZero(exp)
	none := denorm
	if !flush {
		up := d.Isub(d.Imm32(31), d.UfindMsb(abs))
		w = d.Bcsel(denorm, d.Ishl(abs, up), w)
		e = d.Bcsel(denorm, d.Isub(d.Imm32(doubleBias-f.bias+1+31-f.fract), up), e)
		none = d.isZero(abs)
	}
	r := d.place(w, e)
	r.hi = d.Ior(r.hi, d.Bcsel(d.Uge(abs, d.Imm32(inf)), d.Imm32(infinity), zero))
	r = d.sel(none, pair{zero, zero}, r)
	s := d.Ishl(x, d.Imm32(shift))
	r.hi = d.Ior(r.hi, d.signBit(s))
	return r
}

// place is the double of the exponent field e whose significand begins with
// the bits of w, the leading one at 31.
func (d *doubleLowering) place(w, e *ir.Def) pair {
	field := d.Ishl(d.Isub(e, d.Imm32(1)), d.Imm32(20))
	return pair{d.Ishl(w, d.Imm32(21)), d.Iadd(field, d.Ushr(w, d.Imm32(11)))}
}

// fromInt writes u2f64 and i2f64 of up to 32 bits, which are exact.
func (d *doubleLowering) fromInt(signed bool, x *ir.Def) pair {
	zero, sign := d.Imm32(0), d.Imm32(0)
	switch {
	case x.BitSize == 1 && signed:
		x = d.Ineg(d.B2i32(x))
	case signed:
		x = resizeInt(d.Builder, x, 32)
	default:
		x = resizeUint(d.Builder, x, 32)
	}
	if signed {
		sign, x = d.signBit(x), d.Iabs(x)
	}
	up := d.Isub(d.Imm32(31), d.UfindMsb(x))
	r := d.place(d.Ishl(x, up), d.Isub(d.Imm32(doubleBias+31), up))
	r = d.sel(d.isZero(x), pair{zero, zero}, r)
	if signed {
		r.hi = d.Ior(r.hi, sign)
	}
	return r
}

// fromInt64 rounds to nearest in every mode.
func (d *doubleLowering) fromInt64(signed bool, x pair) pair {
	d.rtz = false
	sign := d.signBit(x.hi)
	if signed {
		x = d.abs(x)
	}
	r, _ := d.roundWords([]*ir.Def{nil, nil, x.lo, x.hi}, 2, d.Imm32(1022-64))
	if signed {
		r.hi = d.Ior(r.hi, sign)
	}
	return r
}

// toInt writes f2i and f2u to up to 32 bits: truncated, saturated, 0 for NaN.
func (d *doubleLowering) toInt(x pair) *ir.Def {
	bits, signed := d.in.Def.BitSize, false
	switch d.in.Op {
	case ir.OpF2i1, ir.OpF2i8, ir.OpF2i16, ir.OpF2i32:
		signed = true
	}
	a, zero := d.open(x), d.Imm32(0)
	w := d.Ior(d.Ishl(a.sig.hi, d.Imm32(11)), d.Ushr(x.lo, d.Imm32(21)))
	v := d.Ushr(w, d.Isub(d.Imm32(doubleBias+31), a.exp))
	v = d.Bcsel(d.Ult(a.exp, d.Imm32(doubleBias)), zero, v)
	neg, nan := d.Ilt(x.hi, zero), d.isNaN(x)
	if signed {
		// The magnitude of the smallest is one more than that of the largest.
		v = d.Bcsel(d.Uge(a.exp, d.Imm32(doubleBias+31)), d.Imm32(1<<31), v)
		v = d.Umin(v, d.Iadd(d.Imm32(1<<(bits-1)-1), d.Ushr(x.hi, d.Imm32(31))))
		sign := d.Ishr(x.hi, d.Imm32(31))
		v = d.Bcsel(nan, zero, d.Isub(d.Ixor(v, sign), sign))
		if bits == 1 {
			return d.I2i1(v)
		}
		return resizeInt(d.Builder, v, bits)
	}
	v = d.Bcsel(d.Uge(a.exp, d.Imm32(doubleBias+32)), d.immInt(-1), v)
	if bits < 32 {
		v = d.Umin(v, d.Imm32(1<<bits-1))
	}
	v = d.Bcsel(d.Ior(neg, nan), zero, v)
	return resizeUint(d.Builder, v, bits)
}

// toInt64 writes f2i64 and f2u64.
func (d *doubleLowering) toInt64(signed bool, x pair) pair {
	a, zero := d.open(x), d.imm(0, 0)
	v := d.shiftRight(d.shl(a.sig, 11), d.Isub(d.Imm32(doubleBias+63), a.exp), false)
	v = d.sel(d.Ult(a.exp, d.Imm32(doubleBias)), zero, v)
	neg := d.Ilt(x.hi, zero.lo)
	if !signed {
		v = d.sel(d.Uge(a.exp, d.Imm32(doubleBias+64)), d.imm(^uint32(0), ^uint32(0)), v)
		return d.sel(d.Ior(neg, d.isNaN(x)), zero, v)
	}
	s := d.Ishr(x.hi, d.Imm32(31))
	v = d.sub(pair{d.Ixor(v.lo, s), d.Ixor(v.hi, s)}, pair{s, s})
	v = d.sel(d.Uge(a.exp, d.Imm32(doubleBias+63)), d.limit(x), v)
	return d.sel(d.isNaN(x), zero, v)
}
