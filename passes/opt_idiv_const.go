package passes

import (
	"math/big"
	"math/bits"

	"nirc/ir"
)

var optIdivConstPass = &Pass{
	Name: "opt_idiv_const", For: ir.HasDivision, Class: "B", Run: optIdivConst, Idempotent: true, Optional: true, Rewrites: true,
	Doc: "Writes integer divisions and remainders by constants with shifts, masks and multiplications by the reciprocal, each component by its own constant. " +
		"Operations of less than 32 bits are computed in 32; 64-bit ones only by powers of two. A divisor of 0 gives 0.",
	Options: []Option{{"min_bit_size", "narrower operations stay", 8}},
}

func optIdivConst(c *Context, s *ir.Shader) (bool, error) {
	least := uint8(c.Int("min_bit_size"))
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		switch in.Op {
		case ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod:
		default:
			return nil
		}
		if in.Def.BitSize < least || !in.Srcs[1].Def.IsConst() || !divisible(in) || !c.Step() {
			return nil
		}
		comps := make([]*ir.Def, in.Def.NumComponents)
		for i := range comps {
			d, _ := in.Srcs[1].Const(i)
			comps[i] = divideConst(b, in.Op, lane(b, in, 0, i), d)
		}
		return b.Vec(comps...)
	}), nil
}

// divisible reports whether all of an instruction's divisors can be handled.
func divisible(in *ir.Instr) bool {
	if in.Def.BitSize < 64 {
		return true
	}
	for i := range int(in.Def.NumComponents) {
		d, _ := in.Srcs[1].Const(i)
		if in.Op != ir.OpUdiv && in.Op != ir.OpUmod && int64(d) < 0 {
			d = -d
		}
		if d&(d-1) != 0 {
			return false
		}
	}
	return true
}

func divideConst(b *ir.Builder, op ir.Op, n *ir.Def, d uint64) *ir.Def {
	w := n.BitSize
	signed := op != ir.OpUdiv && op != ir.OpUmod
	sd := int64(d<<(64-w)) >> (64 - w)
	if w < 32 {
		var r *ir.Def
		if signed {
			r = divideConst(b, op, b.I2i32(n), uint64(uint32(int32(sd))))
		} else {
			r = divideConst(b, op, b.U2u32(n), d)
		}
		return resizeUint(b, r, w)
	}
	switch {
	case d == 0:
		return b.ImmInt(0, w)
	case op == ir.OpUdiv:
		return udivConst(b, n, d)
	case op == ir.OpUmod && d&(d-1) == 0:
		return b.Iand(n, b.ImmInt(int64(d-1), w))
	case op == ir.OpUmod:
		return b.Isub(n, b.Imul(udivConst(b, n, d), b.ImmInt(int64(d), w)))
	case op == ir.OpIdiv:
		return idivConst(b, n, sd)
	case op == ir.OpImod && sd > 0 && sd&(sd-1) == 0:
		return b.Iand(n, b.ImmInt(sd-1, w))
	}
	r := b.Isub(n, b.Imul(idivConst(b, n, sd), b.ImmInt(sd, w)))
	if op == ir.OpIrem {
		return r
	}
	// imod has the divisor's sign: add it where the remainder has the other.
	zero := b.ImmInt(0, w)
	wrong := b.Ilt(r, zero)
	if sd < 0 {
		wrong = b.Ilt(zero, r)
	}
	return b.Bcsel(wrong, b.Iadd(r, b.ImmInt(sd, w)), r)
}

// udivConst divides a 32-bit value, or a 64-bit one by a power of two.
func udivConst(b *ir.Builder, n *ir.Def, d uint64) *ir.Def {
	shift := func(x *ir.Def, k int) *ir.Def {
		if k == 0 {
			return x
		}
		return b.Ushr(x, b.Imm32(uint32(k)))
	}
	if d&(d-1) == 0 {
		return shift(n, bits.TrailingZeros64(d))
	}
	// An even divisor leaves room for the multiplier if its zeros go first.
	m, post, ok := unsignedMagic(d, 32)
	if tz := bits.TrailingZeros64(d); !ok && tz > 0 {
		n = shift(n, tz)
		m, post, ok = unsignedMagic(d>>tz, 32-tz)
	}
	hi := b.UmulHigh(n, b.Imm32(uint32(m)))
	if ok {
		return shift(hi, post)
	}
	// The multiplier has a 33rd bit: n is added, halved so that nothing overflows.
	half := b.Ushr(b.Isub(n, hi), b.Imm32(1))
	return shift(b.Iadd(half, hi), post-1)
}

// unsignedMagic returns m and s so that n / d = (n*m >> 32) >> s for all n
// below 2^width. Where m needs 33 bits, ok is false and m has its low 32.
// The condition is that m*d exceeds 2^(32+s) by no more than 2^(32+s-width)
// (Granlund and Montgomery, Division by Invariant Integers using
// Multiplication).
func unsignedMagic(d uint64, width int) (m uint64, s int, ok bool) {
	for s = range 33 {
		p := new(big.Int).Lsh(big.NewInt(1), uint(32+s))
		db := new(big.Int).SetUint64(d)
		q := new(big.Int).Add(p, db)
		q.Div(q.Sub(q, big.NewInt(1)), db) // rounded up
		over := new(big.Int).Sub(new(big.Int).Mul(q, db), p)
		if over.Cmp(new(big.Int).Lsh(big.NewInt(1), uint(32+s-width))) <= 0 {
			return q.Uint64() & (1<<32 - 1), s, q.BitLen() <= 32
		}
	}
	return 0, 0, false
}

// idivConst divides a 32-bit value, or a 64-bit one by plus or minus a power of two.
func idivConst(b *ir.Builder, n *ir.Def, d int64) *ir.Def {
	w := n.BitSize
	abs := uint64(d)
	if d < 0 {
		abs = -abs
	}
	if abs == 1 {
		if d < 0 {
			return b.Ineg(n)
		}
		return n
	}
	if abs&(abs-1) == 0 {
		k := uint32(bits.TrailingZeros64(abs))
		// Negative values round up: they get 2^k - 1 more.
		fix := b.Ushr(b.Ishr(n, b.Imm32(uint32(w)-1)), b.Imm32(uint32(w)-k))
		q := b.Ishr(b.Iadd(n, fix), b.Imm32(k))
		if d < 0 {
			return b.Ineg(q)
		}
		return q
	}
	m, s := signedMagic(d)
	q := b.ImulHigh(n, b.Imm32(uint32(m)))
	switch {
	case d > 0 && m < 0:
		q = b.Iadd(q, n)
	case d < 0 && m > 0:
		q = b.Isub(q, n)
	}
	if s > 0 {
		q = b.Ishr(q, b.Imm32(uint32(s)))
	}
	return b.Iadd(q, b.Ushr(q, b.Imm32(31)))
}

// signedMagic returns m and s so that n / d is the high half of n*m, n added
// or taken off where m wrapped, shifted right by s, plus 1 if negative.
func signedMagic(d int64) (m int32, s int) {
	abs := uint64(d)
	if d < 0 {
		abs = -abs
	}
	// The least 2^(32+s) whose excess over a multiple of |d| is less than
	// 2^(32+s) divided by the largest dividend with remainder |d|-1.
	limit := uint64(1)<<31 + uint64(b2u(d < 0))
	nc := limit - 1 - limit%abs
	for p := uint64(1) << 32; ; p, s = p<<1, s+1 { // 2^63 is above any nc*|d|
		if p > nc*(abs-p%abs) {
			q := (p + abs - p%abs) / abs
			m = int32(uint32(q))
			if d < 0 {
				m = -m
			}
			return m, s
		}
	}
}

func b2u(v bool) uint {
	if v {
		return 1
	}
	return 0
}
