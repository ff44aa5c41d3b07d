package passes

import "nirc/ir"

// Words of doubles: the upper half has the sign, 11 bits of exponent and the
// leading 20 of the fraction.
const (
	signMask   = 1 << 31
	infinity   = 0x7ff00000 // upper half
	quietNaN   = 0x7ff80000
	oneHigh    = 0x3ff00000
	minNormal  = 0x00100000
	fractMask  = minNormal - 1
	maxExp     = 0x7ff
	doubleBias = 1023
)

// number is a double taken apart: ±sig·2^(e - 1075), exp is 0x7ff for infinity
// and NaN.
type number struct {
	abs *ir.Def // upper half without sign
	exp *ir.Def // field
	e   *ir.Def // field, 1 for denormals
	sig pair    // 53 bits, the leading one 0 for denormals and zeros
}

func (d *doubleLowering) open(x pair) number {
	abs := d.Iand(x.hi, d.Imm32(signMask-1))
	exp := d.Ushr(abs, d.Imm32(20))
	hidden := d.Ishl(d.Umin(exp, d.Imm32(1)), d.Imm32(20))
	return number{abs, exp, d.Umax(exp, d.Imm32(1)), pair{x.lo, d.Ior(d.Iand(abs, d.Imm32(fractMask)), hidden)}}
}

// signBit is the sign of a word, in place.
func (d *doubleLowering) signBit(hi *ir.Def) *ir.Def { return d.Iand(hi, d.Imm32(signMask)) }

// nanKey is above infinity for NaN only.
func (d *doubleLowering) nanKey(abs, lo *ir.Def) *ir.Def {
	return d.Ior(abs, d.Umin(lo, d.Imm32(1)))
}

// isNaNKey reports whether the largest of some keys is that of a NaN.
func (d *doubleLowering) isNaNKey(key *ir.Def) *ir.Def { return d.Ult(d.Imm32(infinity), key) }

func (d *doubleLowering) isNaN(x pair) *ir.Def {
	return d.isNaNKey(d.nanKey(d.Iand(x.hi, d.Imm32(signMask-1)), x.lo))
}

func (d *doubleLowering) isZero(x *ir.Def) *ir.Def { return d.Ieq(x, d.Imm32(0)) }

// Words that are known to be 0 are nil below.

func (d *doubleLowering) word(x *ir.Def) *ir.Def {
	if x == nil {
		return d.Imm32(0)
	}
	return x
}

func (d *doubleLowering) or(x, y *ir.Def) *ir.Def {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	}
	return d.Ior(x, y)
}

func (d *doubleLowering) pick(c, x, y *ir.Def) *ir.Def {
	if x == nil && y == nil {
		return nil
	}
	return d.Bcsel(c, d.word(x), d.word(y))
}

// funnel is the lower word of hi:lo >> n, rest is ~n.
func (d *doubleLowering) funnel(hi, lo, n, rest *ir.Def) *ir.Def {
	var a, b *ir.Def
	if lo != nil {
		a = d.Ushr(lo, n)
	}
	if hi != nil {
		b = d.Ishl(d.Ishl(hi, d.Imm32(1)), rest)
	}
	return d.or(a, b)
}

// shiftWords shifts a number of up to 4 words, lowest first, right by whole
// words as n says, which is below 32·len(w). What falls off is or-ed to lost.
func (d *doubleLowering) shiftWords(w []*ir.Def, n *ir.Def) (out [5]*ir.Def, lost *ir.Def) {
	copy(out[:], w)
	for k := 2; k >= 1; k /= 2 {
		if len(w) <= k {
			continue
		}
		big := d.Ine(d.Iand(n, d.Imm32(uint32(32*k))), d.Imm32(0))
		var off *ir.Def
		for i := range k {
			off = d.or(off, out[i])
		}
		lost = d.or(lost, d.pick(big, off, nil))
		for i := range len(w) {
			var above *ir.Def
			if i+k < len(w) {
				above = out[i+k]
			}
			out[i] = d.pick(big, above, out[i])
		}
	}
	return out, lost
}

// shiftDown shifts a number of up to 4 words right by n, below 32·len(w), to
// the given number of words; lost is not 0 if a bit fell off.
func (d *doubleLowering) shiftDown(w []*ir.Def, n *ir.Def, words int) (out [4]*ir.Def, lost *ir.Def) {
	v, lost := d.shiftWords(w, n)
	rest := d.Inot(n)
	for i := range words {
		out[i] = d.funnel(v[i+1], v[i], n, rest)
	}
	if v[0] != nil {
		lost = d.or(lost, d.Ishl(d.Ishl(v[0], d.Imm32(1)), rest))
	}
	return out, lost
}

// shiftUp shifts left by n below 64.
func (d *doubleLowering) shiftUp(x pair, n *ir.Def) pair {
	big := d.Ine(d.Iand(n, d.Imm32(32)), d.Imm32(0))
	hi, lo := d.Bcsel(big, x.lo, x.hi), d.Bcsel(big, d.Imm32(0), x.lo)
	cross := d.Ushr(d.Ushr(lo, d.Imm32(1)), d.Inot(n))
	return pair{d.Ishl(lo, n), d.Ior(d.Ishl(hi, n), cross)}
}

// shl shifts left by a constant from 1 to 31, shr right.
func (d *doubleLowering) shl(x pair, n uint32) pair {
	return pair{d.Ishl(x.lo, d.Imm32(n)), d.Ior(d.Ishl(x.hi, d.Imm32(n)), d.Ushr(x.lo, d.Imm32(32-n)))}
}

func (d *doubleLowering) shr(x pair, n uint32) pair {
	return pair{d.Ior(d.Ushr(x.lo, d.Imm32(n)), d.Ishl(x.hi, d.Imm32(32-n))), d.Ushr(x.hi, d.Imm32(n))}
}

// sticky is 1 if any bit is set.
func (d *doubleLowering) sticky(x *ir.Def) *ir.Def { return d.Umin(x, d.Imm32(1)) }

// round makes a double without sign of w·2^(t - 1084), w below 2^63 and its
// leading bit 62 unless t is 0. What is below the lowest bit of w is or-ed to it.
func (d *doubleLowering) round(w pair, t *ir.Def) pair {
	if !d.rtz {
		inc := d.Iadd(d.Iand(d.Ushr(w.lo, d.Imm32(10)), d.Imm32(1)), d.Imm32(0x1ff))
		lo := d.Iadd(w.lo, inc)
		w = pair{lo, d.Iadd(w.hi, d.B2i32(d.Ult(lo, inc)))}
	}
	// The leading bit adds the last one to the exponent.
	r := d.shr(w, 10)
	r.hi = d.Iadd(r.hi, d.Ishl(t, d.Imm32(20)))
	over, most := d.Uge(r.hi, d.Imm32(infinity)), pair{d.Imm32(0), d.Imm32(infinity)}
	if d.rtz {
		most = d.imm(^uint32(0), infinity-1)
	}
	r = pair{d.Bcsel(over, most.lo, r.lo), d.Umin(r.hi, most.hi)}
	if d.flush {
		r = d.sel(d.Ult(r.hi, d.Imm32(minNormal)), pair{d.Imm32(0), d.Imm32(0)}, r)
	}
	return r
}

// roundWords makes a double without sign of w·2^(e - 1022), w of up to 4 words,
// lowest first, below 2^(32·len(w)). Its leading bit is in the upper words, top
// of them, and not below bit 62, or the result is a denormal or 0. zero tells
// that those words are 0.
func (d *doubleLowering) roundWords(w []*ir.Def, top int, e *ir.Def) (r pair, zero *ir.Def) {
	n := len(w)
	lead, at := w[n-1], d.Imm32(uint32(32*(n-1)))
	for i := n - 2; i >= n-top; i-- {
		c := d.isZero(lead)
		lead, at = d.Bcsel(c, w[i], lead), d.Bcsel(c, d.Imm32(uint32(32*i)), at)
	}
	zero = d.isZero(lead)
	msb := d.Iadd(d.UfindMsb(lead), at)
	t := d.Imax(d.Iadd(msb, e), d.Imm32(0))
	t = d.Bcsel(zero, d.Imm32(0), t)
	s := d.Isub(d.Isub(t, d.Imm32(62)), e)
	s = d.Umin(s, d.Imm32(uint32(32*n-1)))
	v, lost := d.shiftDown(w, s, 2)
	return d.round(pair{d.Ior(v[0], d.sticky(lost)), v[1]}, t), zero
}

// normalised shifts a significand up to 53 bits and lowers the exponent by as
// much; zero gives anything.
func (d *doubleLowering) normalised(x number) number {
	c := d.isZero(x.sig.hi)
	msb := d.Iadd(d.UfindMsb(d.Bcsel(c, x.sig.lo, x.sig.hi)), d.Bcsel(c, d.Imm32(0), d.Imm32(32)))
	up := d.Iand(d.Isub(d.Imm32(52), msb), d.Imm32(63))
	x.sig, x.e = d.shiftUp(x.sig, up), d.Isub(x.e, up)
	return x
}

func (d *doubleLowering) immInt(v int32) *ir.Def { return d.Imm32(uint32(v)) }
