package passes

import "nirc/ir"

// fadd is the rounded sum. The operand of smaller magnitude is shifted to the
// other's place; 9 bits below the significands and one that stands for all
// further ones make the rounding right.
func (d *doubleLowering) fadd(x, y pair) pair {
	abs := d.Imm32(signMask - 1)
	less := d.ult(pair{x.lo, d.Iand(x.hi, abs)}, pair{y.lo, d.Iand(y.hi, abs)})
	big, small := d.sel(less, y, x), d.sel(less, x, y)
	a, b := d.open(big), d.open(small)
	signs := d.Ixor(x.hi, y.hi)
	differ, minus := d.Ilt(signs, d.Imm32(0)), d.Ishr(signs, d.Imm32(31))

	p, q := d.shl(a.sig, 9), d.shl(b.sig, 9)
	v, lost := d.shiftDown([]*ir.Def{q.lo, q.hi}, d.Umin(d.Isub(a.e, b.e), d.Imm32(63)), 2)
	// The carry of the negation goes where p has no bits.
	q = pair{d.Ixor(d.Ior(v[0], d.sticky(lost)), minus), d.Ixor(v[1], minus)}
	p.lo = d.Ior(p.lo, d.Iand(minus, d.Imm32(1)))
	s := d.add(p, q)

	c := d.isZero(s.hi)
	lead := d.Bcsel(c, s.lo, s.hi)
	zero := d.isZero(lead)
	msb := d.Iadd(d.UfindMsb(lead), d.Bcsel(c, d.immInt(-62), d.immInt(32-62)))
	t := d.Bcsel(zero, d.Imm32(0), d.Imax(d.Iadd(a.e, msb), d.Imm32(0)))
	r := d.round(d.shiftUp(s, d.Isub(a.e, t)), t)
	r.hi = d.Ior(r.hi, d.signBit(d.Bcsel(zero, d.Iand(x.hi, y.hi), big.hi)))

	// Infinity and NaN; two infinities of different signs are NaN.
	special := d.Ieq(a.exp, d.Imm32(maxExp))
	nan := d.Iand(differ, d.Ieq(b.exp, d.Imm32(maxExp)))
	return d.sel(special, pair{big.lo, d.Bcsel(nan, d.Imm32(quietNaN), big.hi)}, r)
}

// fmul is the rounded product.
func (d *doubleLowering) fmul(x, y pair) pair {
	a, b := d.open(x), d.open(y)
	p := d.product(a.sig, b.sig)
	r, zero := d.roundWords(p[:], 2, d.Isub(d.Iadd(a.e, b.e), d.Imm32(1150)))
	sign := d.signBit(d.Ixor(x.hi, y.hi))

	special := d.Ieq(d.Umax(a.exp, b.exp), d.Imm32(maxExp))
	nan := d.Ior(zero, d.isNaNKey(d.Umax(d.nanKey(a.abs, x.lo), d.nanKey(b.abs, y.lo))))
	inf := pair{d.Imm32(0), d.Bcsel(nan, d.Imm32(quietNaN), d.Imm32(infinity))}
	r = d.sel(special, inf, r)
	r.hi = d.Ior(r.hi, sign)
	return r
}

// product is x·y·2^22 of two significands, in four words, lowest first.
func (d *doubleLowering) product(x, y pair) [4]*ir.Def {
	if d.Shader.Options.LowerMulHigh {
		return d.productOfLimbs(x, y)
	}
	x, y = d.shl(x, 11), d.shl(y, 11)
	ll, lh, hl, hh := d.mul32(x.lo, y.lo), d.mul32(x.lo, y.hi), d.mul32(x.hi, y.lo), d.mul32(x.hi, y.hi)
	m := d.Iadd(ll.hi, lh.lo)
	lh.hi = d.Iadd(lh.hi, d.carry(m, lh.lo))
	w1 := d.Iadd(m, hl.lo)
	hl.hi = d.Iadd(hl.hi, d.carry(w1, hl.lo))
	u := d.Iadd(lh.hi, hl.hi)
	w2 := d.Iadd(u, hh.lo)
	w3 := d.Iadd(hh.hi, d.Iadd(d.carry(u, hl.hi), d.carry(w2, u)))
	return [4]*ir.Def{ll.lo, w1, w2, w3}
}

// carry is that of an unsigned sum of which x is a part, as 0 or 1.
func (d *doubleLowering) carry(sum, x *ir.Def) *ir.Def { return d.B2i32(d.Ult(sum, x)) }

// limbs cuts a significand into 14-bit pieces, lowest first, the last of 11.
func (d *doubleLowering) limbs(x pair) [4]*ir.Def {
	m := d.Imm32(1<<14 - 1)
	mid := d.Ior(d.Ushr(x.lo, d.Imm32(28)), d.Ishl(x.hi, d.Imm32(4)))
	return [4]*ir.Def{d.Iand(x.lo, m), d.Iand(d.Ushr(x.lo, d.Imm32(14)), m), d.Iand(mid, m), d.Ushr(x.hi, d.Imm32(10))}
}

// productOfLimbs is product where the upper half of a 32-bit product takes
// long: products of 28 bits are summed by place, four of them without a carry.
func (d *doubleLowering) productOfLimbs(x, y pair) [4]*ir.Def {
	a, b := d.limbs(x), d.limbs(y)
	var c [7]*ir.Def
	for i := range a {
		for k := range b {
			p := d.Imul24Relaxed(a[i], b[k])
			if c[i+k] != nil {
				p = d.Iadd(p, c[i+k])
			}
			c[i+k] = p
		}
	}
	m := d.Imm32(1<<14 - 1)
	for i := range 6 {
		c[i+1] = d.Iadd(c[i+1], d.Ushr(c[i], d.Imm32(14)))
		c[i] = d.Iand(c[i], m)
	}
	l, r := func(i int, n uint32) *ir.Def { return d.Ishl(c[i], d.Imm32(n)) }, func(i int, n uint32) *ir.Def { return d.Ushr(c[i], d.Imm32(n)) }
	return [4]*ir.Def{
		l(0, 22),
		d.Ior(d.Ior(l(2, 18), l(1, 4)), r(0, 10)),
		d.Ior(d.Ior(l(5, 28), l(4, 14)), c[3]),
		d.Ior(l(6, 10), r(5, 4)),
	}
}

// ffma is x·y + z rounded once. Product and addend are brought to one place in
// 127 bits: the leading bits at 125 and 124, what does not fit stands for more
// by its lowest bit. A bit that is lost lies far below the result's, as then
// the difference cannot cancel more than one leading bit, or the result is a
// denormal, whose place is fixed.
func (d *doubleLowering) ffma(x, y, z pair) pair {
	a, b, c := d.open(x), d.open(y), d.open(z)
	p := d.product(a.sig, b.sig)
	none := d.isZero(d.Ior(p[3], p[2])) // 0, or too small to matter
	for i := range p {
		w := d.Ushr(p[i], d.Imm32(2))
		if i < 3 {
			w = d.Ior(w, d.Ishl(p[i+1], d.Imm32(30)))
		}
		p[i] = w
	}
	at := d.shl(c.sig, 8)
	q := [4]*ir.Def{nil, nil, at.lo, at.hi}

	ep, ec := d.Isub(d.Iadd(a.e, b.e), d.Imm32(2170-1022)), d.Isub(c.e, d.Imm32(1147-1022))
	dist := d.Bcsel(none, d.immInt(-127), d.Isub(ep, ec))
	least := d.Ilt(dist, d.Imm32(0)) // the product is to be shifted
	e := d.Bcsel(least, ec, ep)
	var big, small [4]*ir.Def
	for i := range p {
		big[i], small[i] = d.pick(least, q[i], p[i]), d.pick(least, p[i], q[i])
	}
	small, lost := d.shiftDown(small[:], d.Umin(d.Iabs(dist), d.Imm32(127)), 4)
	small[0] = d.Ior(small[0], d.sticky(lost))

	signP := d.Ixor(x.hi, y.hi)
	signs := d.Ixor(signP, z.hi)
	minus := d.Ishr(signs, d.Imm32(31))
	sum := d.addWords(big, d.xorWords(small, minus), d.Iand(minus, d.Imm32(1)))
	neg := d.Ishr(sum[3], d.Imm32(31))
	sum = d.addWords(d.xorWords(sum, neg), [4]*ir.Def{}, d.Iand(neg, d.Imm32(1)))
	sign := d.Ixor(d.Bcsel(least, z.hi, signP), neg)

	// After cancellation all bits are exact.
	low := d.isZero(d.Ior(sum[3], sum[2]))
	for i := 3; i >= 0; i-- {
		var below *ir.Def
		if i >= 2 {
			below = sum[i-2]
		}
		sum[i] = d.pick(low, below, sum[i])
	}
	e = d.Isub(e, d.Bcsel(low, d.Imm32(64), d.Imm32(0)))
	r, zero := d.roundWords(sum[:], 2, e)
	r.hi = d.Ior(r.hi, d.signBit(d.Bcsel(zero, d.Iand(signP, z.hi), sign)))

	top := d.Imm32(maxExp)
	infP, infZ := d.Ieq(d.Umax(a.exp, b.exp), top), d.Ieq(c.exp, top)
	key := d.Umax(d.Umax(d.nanKey(a.abs, x.lo), d.nanKey(b.abs, y.lo)), d.nanKey(c.abs, z.lo))
	against := d.Iand(infZ, d.Ilt(signs, d.Imm32(0)))
	nan := d.Ior(d.isNaNKey(key), d.Iand(infP, d.Ior(none, against)))
	inf := d.Ior(d.signBit(d.Bcsel(infP, signP, z.hi)), d.Imm32(infinity))
	return d.sel(d.Ior(infP, infZ), pair{d.Imm32(0), d.Bcsel(nan, d.Imm32(quietNaN), inf)}, r)
}

func (d *doubleLowering) xorWords(x [4]*ir.Def, m *ir.Def) [4]*ir.Def {
	for i := range x {
		x[i] = d.Ixor(d.word(x[i]), m)
	}
	return x
}

// addWords is x + y + c modulo 2^128, c 0 or 1.
func (d *doubleLowering) addWords(x, y [4]*ir.Def, c *ir.Def) (r [4]*ir.Def) {
	for i := range r {
		s := d.Iadd(d.word(x[i]), c)
		c1 := d.carry(s, c)
		r[i], c = s, c1
		if y[i] != nil {
			r[i] = d.Iadd(s, y[i])
			c = d.Iadd(c1, d.carry(r[i], y[i]))
		}
	}
	return r
}
