package passes

import (
	"slices"

	"nirc/ir"
	"nirc/passes/analysis"
)

var lowerIdivPass = &Pass{
	Name: "lower_idiv", For: ir.HasDivision, Class: "A", Run: lowerIdiv, Idempotent: true,
	Doc: "Writes integer division and remainder (udiv, umod, idiv, irem, imod) of up to 32 bits by a float reciprocal: an estimate that is never too large, " +
		"one Newton step and two corrections; of up to 16 bits by one product of floats; what is divided by the size of the subgroup, a power of two, is shifted. Where several divisions share a divisor, the reciprocal is made exact first, " +
		"and one correction is enough. A divisor of 0 gives any value. 64-bit divisions are lower_int64's.",
	Options: []Option{{"preamble", "the target computes what is the same for a whole draw or dispatch but once: exact reciprocals of such divisors cost nothing", false}},
}

func lowerIdiv(c *Context, s *ir.Shader) (bool, error) {
	l := idivLowering{preamble: c.Bool("preamble")}
	return eachALU(s, func(b *ir.Builder, in *ir.Instr) *ir.Def {
		if in.Def.BitSize == 64 {
			return nil
		}
		switch in.Op {
		case ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod:
			n, d := srcValue(b, in, 0), srcValue(b, in, 1)
			if q := shiftInstead(b, in.Op, n, d); q != nil {
				return q
			}
			if n.BitSize < 32 {
				return divideNarrow(b, in.Op, n, d)
			}
			return divide(b, in.Op, n, d, l.exact(in))
		}
		return nil
	}), nil
}

// idivLowering knows whose reciprocals are made exact.
type idivLowering struct {
	preamble bool
	divisors map[*ir.Def]bool
}

// shiftInstead divides without a sign by the size of the subgroup, which is a power of two (Vulkan's SubgroupSize); nil if the divisor is another.
func shiftInstead(b *ir.Builder, op ir.Op, n, d *ir.Def) *ir.Def {
	if !d.Instr.IsIntrinsic(ir.IntrLoadSubgroupSize) {
		return nil
	}
	switch op {
	case ir.OpUdiv:
		return b.Ushr(n, b.ALU(ir.OpFindLsb, d))
	case ir.OpUmod:
		return b.Iand(n, b.Isub(d, b.Imm32(1)))
	}
	return nil
}

// manyDividends are as many as make up for what an exact reciprocal costs.
const manyDividends = 3

// exact reports whether a division is by a divisor that has an exact reciprocal.
func (l *idivLowering) exact(in *ir.Instr) bool {
	d := in.Srcs[1].Def
	exact, known := l.divisors[d]
	if !known {
		if l.divisors == nil {
			l.divisors = map[*ir.Def]bool{}
		}
		exact = l.preamble && sameForDraw(d, maxSameDepth) || dividends(d, in.Block) >= manyDividends
		l.divisors[d] = exact
	}
	return exact
}

// dividends counts what a block divides by a value, up to manyDividends.
func dividends(d *ir.Def, blk *ir.Block) int {
	var seen [manyDividends]*ir.Def
	n := 0
	for u := range d.Uses() {
		in := u.Instr
		if in == nil || in.Block != blk || in.Kind != ir.KindALU || len(in.Srcs) != 2 || in.Srcs[1].Def != d {
			continue
		}
		switch in.Op {
		case ir.OpUdiv, ir.OpUmod, ir.OpIdiv, ir.OpIrem, ir.OpImod:
		default:
			continue
		}
		if x := in.Srcs[0].Def; n < manyDividends && !slices.Contains(seen[:n], x) {
			seen[n] = x
			n++
		}
	}
	return n
}

// maxSameDepth bounds how far up sameForDraw follows a value.
const maxSameDepth = 8

// sameForDraw reports whether a value is made of constants, push constants, uniform buffers and sizes alone.
func sameForDraw(d *ir.Def, depth int) bool {
	in := d.Instr
	switch in.Kind {
	case ir.KindLoadConst:
		return true
	case ir.KindALU:
	case ir.KindIntrinsic:
		switch in.Intr {
		case ir.IntrLoadPushConstant, ir.IntrLoadUbo, ir.IntrLoadNumWorkgroups, ir.IntrLoadWorkgroupSize, ir.IntrLoadBaseWorkgroupId,
			ir.IntrGetSsboSize, ir.IntrGetUboSize, ir.IntrVulkanResourceIndex, ir.IntrLoadVulkanDescriptor:
		default:
			return false
		}
	default:
		return false
	}
	for i := range in.Srcs {
		if depth == 0 || !sameForDraw(in.Srcs[i].Def, depth-1) {
			return false
		}
	}
	return true
}

// divide builds op over n and d of 32 bits.
func divide(b *ir.Builder, op ir.Op, n, d *ir.Def, exact bool) *ir.Def {
	if op == ir.OpUdiv || op == ir.OpUmod {
		q, rem := divideUnsigned(b, n, d, exact)
		if op == ir.OpUmod {
			return rem
		}
		return q
	}
	return divideSigned(b, op, n, d, exact)
}

// divideNarrow divides numbers of up to 16 bits by one float product: the
// reciprocal's magnitude grows by 4 ulp, which is more than it (2 ulp) and the
// product (1/2 ulp) err, and less than the 2^-16 of a quotient that the next
// integer is away.
func divideNarrow(b *ir.Builder, op ir.Op, n, d *ir.Def) *ir.Def {
	signed := op == ir.OpIdiv || op == ir.OpIrem || op == ir.OpImod
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

// divideUnsigned builds quotient and remainder by a reciprocal y = floor((2^32-1)/d) - e. With e = 0 the quotient's estimate
// is at most 1 too small: 2^32/d - y is at most 1, and n < 2^32 of it less than 1.
func divideUnsigned(b *ir.Builder, n, d *ir.Def, exact bool) (q, r *ir.Def) {
	minus := b.Ineg(d)
	y, rounds := reciprocal(b, d, minus), 2
	if exact {
		y, _ = quotient(b, b.Imm32(^uint32(0)), d, minus, y, rounds)
		rounds = 1
	}
	return quotient(b, n, d, minus, y, rounds)
}

// reciprocal builds the estimate of 2^32/d. The factor 2^32-2048 keeps it from being too large whatever way the target's
// reciprocal errs by up to 2 ulp (nir.md §5).
func reciprocal(b *ir.Builder, d, minus *ir.Def) *ir.Def {
	y := b.F2u32(b.Fmul(b.Frcp(b.U2f32(d)), b.ImmFloat(4294967296-2048, 32)))
	return b.Iadd(y, b.UmulHigh(y, b.Imul(minus, y)))
}

// quotient estimates n / d by d's reciprocal and corrects that as often as it may be too small.
func quotient(b *ir.Builder, n, d, minus, y *ir.Def, rounds int) (q, r *ir.Def) {
	q = b.UmulHigh(n, y)
	r = b.Iadd(b.Imul(q, minus), n)
	for range rounds {
		fits := b.Uge(r, d)
		q = b.Bcsel(fits, b.IAddImm(q, 1), q)
		r = b.Bcsel(fits, b.Iadd(r, minus), r)
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
func divideByAny(b *ir.Builder, op ir.Op, n, d *ir.Def, exact bool) *ir.Def {
	q, r := divideUnsigned(b, n, b.Iabs(d), exact)
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

func divideSigned(b *ir.Builder, op ir.Op, n, d *ir.Def, exact bool) *ir.Def {
	zero := b.Imm32(0)
	if !mayBeNegative(n) {
		return divideByAny(b, op, n, d, exact)
	}
	q, r := divideUnsigned(b, b.Iabs(n), b.Iabs(d), exact)
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
