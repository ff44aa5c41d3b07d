package passes

import (
	"nirc/ir"
	"nirc/passes/analysis"
)

var lowerIdivPass = &Pass{
	Name: "lower_idiv", For: ir.HasDivision, Class: "A", Run: lowerIdiv, Idempotent: true,
	Doc: "Writes integer division and remainder (udiv, umod, idiv, irem, imod) of up to 32 bits by a float reciprocal: an estimate that is never too large, " +
		"one Newton step and two corrections; of up to 16 bits by one product of floats. A divisor of 0 gives any value. 64-bit divisions are lower_int64's.",
}

func lowerIdiv(c *Context, s *ir.Shader) (bool, error) {
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Def.BitSize == 64 {
			return nil
		}
		switch in.Op {
		case ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod:
			return divide(b, in.Op, srcValue(b, in, 0), srcValue(b, in, 1))
		}
		return nil
	}), nil
}

// divide builds op over n and d of 8, 16 or 32 bits.
func divide(b *ir.Builder, op ir.Op, n, d *ir.Def) *ir.Def {
	signed := op == ir.OpIdiv || op == ir.OpIrem || op == ir.OpImod
	if n.BitSize < 32 {
		return divideNarrow(b, op, n, d, signed)
	}
	if signed {
		return divideSigned(b, op, n, d)
	}
	q, rem := divideUnsigned(b, n, d)
	if op == ir.OpUmod {
		return rem
	}
	return q
}

// divideNarrow divides numbers of up to 16 bits by one float product: the
// reciprocal's magnitude grows by 4 ulp, which is more than it (2 ulp) and the
// product (1/2 ulp) err, and less than the 2^-16 of a quotient that the next
// integer is away.
func divideNarrow(b *ir.Builder, op ir.Op, n, d *ir.Def, signed bool) *ir.Def {
	bits := n.BitSize
	var q *ir.Def
	if signed {
		n, d = b.I2i32(n), b.I2i32(d)
		q = b.F2i32(b.Fmul(b.I2f32(n), b.Iadd(b.Frcp(b.I2f32(d)), b.Imm32(4))))
	} else {
		n, d = b.U2u32(n), b.U2u32(d)
		q = b.F2u32(b.Fmul(b.U2f32(n), b.Iadd(b.Frcp(b.U2f32(d)), b.Imm32(4))))
	}
	r := q
	if op != ir.OpUdiv && op != ir.OpIdiv {
		r = b.Isub(n, b.Imul(q, d))
	}
	if op == ir.OpImod {
		zero := b.Imm32(0)
		differ := b.Iand(b.Ilt(b.Ixor(n, d), zero), b.Ine(r, zero))
		r = b.Bcsel(differ, b.Iadd(r, d), r)
	}
	return resizeUint(b, r, bits)
}

// divideUnsigned builds quotient and remainder. The factor 2^32-2048 keeps the
// reciprocal's estimate from being too large whatever way the target's
// reciprocal errs by up to 2 ulp (nir.md §5).
func divideUnsigned(b *ir.Builder, n, d *ir.Def) (q, r *ir.Def) {
	y := b.F2u32(b.Fmul(b.Frcp(b.U2f32(d)), b.ImmFloat(4294967296-2048, 32)))
	y = b.Iadd(y, b.UmulHigh(y, b.Imul(b.Ineg(d), y)))
	q = b.UmulHigh(n, y)
	r = b.Isub(n, b.Imul(q, d))
	for i := 0; i < 2; i++ {
		fits := b.Uge(r, d)
		q = b.Bcsel(fits, b.IAddImm(q, 1), q)
		r = b.Bcsel(fits, b.Isub(r, d), r)
	}
	return q, r
}

// mayBeNegative reports whether a component of a value of 32 bits may have its sign set.
func mayBeNegative(n *ir.Def) bool {
	for c := range int(n.NumComponents) {
		if analysis.UintMax(n, c)>>31 != 0 {
			return true
		}
	}
	return false
}

// divideByAny is divideSigned of an n that is not negative.
func divideByAny(b *ir.Builder, op ir.Op, n, d *ir.Def) *ir.Def {
	q, r := divideUnsigned(b, n, b.Iabs(d))
	zero := b.Imm32(0)
	neg := b.Ilt(d, zero)
	switch op {
	case ir.OpIdiv:
		return b.Bcsel(neg, b.Ineg(q), q)
	case ir.OpIrem:
		return r
	}
	return b.Bcsel(b.Iand(neg, b.Ine(r, zero)), b.Iadd(r, d), r)
}

func divideSigned(b *ir.Builder, op ir.Op, n, d *ir.Def) *ir.Def {
	zero := b.Imm32(0)
	if !mayBeNegative(n) {
		return divideByAny(b, op, n, d)
	}
	q, r := divideUnsigned(b, b.Iabs(n), b.Iabs(d))
	nNeg := b.Ilt(n, zero)
	switch op {
	case ir.OpIdiv:
		differ := b.Ilt(b.Ixor(n, d), zero)
		return b.Bcsel(differ, b.Ineg(q), q)
	case ir.OpIrem:
		return b.Bcsel(nNeg, b.Ineg(r), r)
	}
	r = b.Bcsel(nNeg, b.Ineg(r), r)
	differ := b.Iand(b.Ilt(b.Ixor(n, d), zero), b.Ine(r, zero))
	return b.Bcsel(differ, b.Iadd(r, d), r)
}
