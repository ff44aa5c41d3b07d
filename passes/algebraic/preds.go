package algebraic

import (
	"math"
	"math/bits"

	"nirc/ir"
	"nirc/passes/analysis"
)

// Predicates of the rules' conditions. Each is named in the rule files in
// snake_case. Those about constants want all components to satisfy them.

// each reports whether f holds of all components of a constant, given as bits.
func each(b *bind, f func(v uint64, size uint8) bool) bool {
	if !b.def.IsConst() {
		return false
	}
	for i := range int(b.width) {
		if !f(b.lane(i), b.def.BitSize) {
			return false
		}
	}
	return true
}

// isConst: the value is a constant.
func isConst(_ *matcher, b *bind) bool { return b.def.IsConst() }

// isNotConst: the value is not a constant.
func isNotConst(_ *matcher, b *bind) bool { return !b.def.IsConst() }

// isPosPowerOfTwo: a power of two, positive as a signed integer.
func isPosPowerOfTwo(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool { return bits.OnesCount64(v) == 1 && v>>(size-1) == 0 })
}

// isUnsignedPowerOfTwo: exactly one bit set.
func isUnsignedPowerOfTwo(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return bits.OnesCount64(v) == 1 })
}

// isNegPowerOfTwo: minus a power of two, not the smallest integer.
func isNegPowerOfTwo(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool {
		n := -v & mask(size)
		return v>>(size-1) == 1 && bits.OnesCount64(n) == 1 && n != v
	})
}

// isFiniteNotZeroConst: finite, not a zero or denormal, and so is the reciprocal.
func isFiniteNotZeroConst(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool {
		e, ok := exponent(v, size)
		limit := 12
		switch size {
		case 32:
			limit = 124
		case 64:
			limit = 1020
		}
		return ok && e > -limit && e < limit
	})
}

// exponent returns the exponent of a finite float that is not zero.
func exponent(v uint64, size uint8) (int, bool) {
	f := ir.FloatValue(v, size)
	if f == 0 || f != f || math.IsInf(f, 0) {
		return 0, false
	}
	_, e := math.Frexp(f)
	return e, true
}

// isFloatPowerOfTwo: plus or minus a power of two whose reciprocal is exact.
func isFloatPowerOfTwo(m *matcher, b *bind) bool {
	return isFiniteNotZeroConst(m, b) && each(b, func(v uint64, size uint8) bool {
		f, _ := math.Frexp(ir.FloatValue(v, size))
		return math.Abs(f) == 0.5
	})
}

// notBool: more than one bit wide.
func notBool(_ *matcher, b *bind) bool { return b.def.BitSize != 1 }

// shiftSumFits: two shift counts, each modulo the root's size, add up to less
// than the size.
func shiftSumFits(m *matcher, b, c *bind) bool {
	return shiftSums(m, b, c, func(sum, size uint64) bool { return sum < size })
}

// shiftSumOverflows: they add up to the size or more.
func shiftSumOverflows(m *matcher, b, c *bind) bool {
	return shiftSums(m, b, c, func(sum, size uint64) bool { return sum >= size })
}

// shiftSumIsSize: they add up to the size.
func shiftSumIsSize(m *matcher, b, c *bind) bool {
	return shiftSums(m, b, c, func(sum, size uint64) bool { return sum == size })
}

func shiftSums(m *matcher, b, c *bind, f func(sum, size uint64) bool) bool {
	size := uint64(m.root.Def.BitSize)
	for i := range int(b.width) {
		if !f(b.lane(i)&(size-1)+c.lane(i)&(size-1), size) {
			return false
		}
	}
	return true
}

// maskCoversShift: the mask c, shifted right by b and back, keeps all bits that
// a shift left by b can set.
func maskCoversShift(m *matcher, b, c *bind) bool {
	size := m.root.Def.BitSize
	for i := range int(b.width) {
		set := mask(size) << (b.lane(i) & uint64(size-1)) & mask(size)
		if c.lane(i)&set != set {
			return false
		}
	}
	return true
}

// byteInRange: the constant numbers a byte of a value of its size.
func byteInRange(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool { return v < uint64(size/8) })
}

// wordInRange: the constant numbers a 16-bit half of a value of its size.
func wordInRange(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool { return v < uint64(size/16) })
}

// isOnlyUsedByFadd: all users are fadd instructions.
func isOnlyUsedByFadd(_ *matcher, b *bind) bool { return onlyUsedBy(b.def, ir.OpFadd) }

// isOnlySummed: all users are fadd instructions, or negations of which all users are.
func isOnlySummed(_ *matcher, b *bind) bool {
	for u := b.def.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr == nil || !u.Instr.IsALU(ir.OpFadd) && !(u.Instr.IsALU(ir.OpFneg) && onlyUsedBy(&u.Instr.Def, ir.OpFadd)) {
			return false
		}
	}
	return true
}

func isOnlyUsedByFmul(_ *matcher, b *bind) bool { return onlyUsedBy(b.def, ir.OpFmul) }

func onlyUsedBy(d *ir.Def, op ir.Op) bool {
	for u := d.FirstUse(); u != nil; u = u.NextUse() {
		if u.Instr == nil || !u.Instr.IsALU(op) {
			return false
		}
	}
	return true
}

// isReciprocal: made by frcp or frsq, which are infinite at zero. Shaders
// clamp such infinities; a rule that makes NaN of them changes what is drawn.
func isReciprocal(_ *matcher, b *bind) bool {
	in := b.def.Instr
	return in.IsALU(ir.OpFrcp) || in.IsALU(ir.OpFrsq)
}

// The following ask the range analysis.

func floatNever(b *bind, s analysis.FloatSet) bool {
	return analysis.FloatRange(b.def, b.swz, int(b.width))&s == 0
}

// isIntegral: a float without fractional part (inf and NaN included).
func isIntegral(_ *matcher, b *bind) bool { return floatNever(b, analysis.FloatFrac) }

// isANumber: not NaN.
func isANumber(_ *matcher, b *bind) bool { return floatNever(b, analysis.FloatNaN) }

// isNotNegative: zero of any sign, above, or NaN.
func isNotNegative(_ *matcher, b *bind) bool { return floatNever(b, analysis.FloatNeg) }

// isNotPositive: zero of any sign, below, or NaN.
func isNotPositive(_ *matcher, b *bind) bool { return floatNever(b, analysis.FloatPos) }

// isNotZero: not a zero or denormal.
func isNotZero(_ *matcher, b *bind) bool { return floatNever(b, analysis.FloatZero) }

// isAtLeastZeroNumber: zero or above, not NaN.
func isAtLeastZeroNumber(_ *matcher, b *bind) bool {
	return floatNever(b, analysis.FloatNeg|analysis.FloatNaN)
}

// isLtZeroNumber: below zero, not NaN.
func isLtZeroNumber(_ *matcher, b *bind) bool {
	return floatNever(b, analysis.FloatPos|analysis.FloatZero|analysis.FloatNaN)
}

// isGtZeroNumber: above zero, not NaN.
func isGtZeroNumber(_ *matcher, b *bind) bool {
	return floatNever(b, analysis.FloatNeg|analysis.FloatZero|analysis.FloatNaN)
}

// uintBelow: the value is below the constant c, as unsigned integers.
func uintBelow(_ *matcher, b, c *bind) bool {
	for i := range int(b.width) {
		if analysis.UintMax(b.def, b.swz.Lane(i)) >= c.lane(i) {
			return false
		}
	}
	return true
}

// isSignBitClear: not negative as a signed integer.
func isSignBitClear(_ *matcher, b *bind) bool {
	for i := range int(b.width) {
		if analysis.UintMax(b.def, b.swz.Lane(i))>>(b.def.BitSize-1) != 0 {
			return false
		}
	}
	return true
}

// masksNothing: the value has no bits outside the constant c.
func masksNothing(_ *matcher, b, c *bind) bool {
	for i := range int(b.width) {
		low := uint64(1)<<bits.Len64(analysis.UintMax(b.def, b.swz.Lane(i))) - 1
		if low&^c.lane(i) != 0 {
			return false
		}
	}
	return true
}

// sharesNoBits: no bit is set in both constants.
func sharesNoBits(_ *matcher, b, c *bind) bool {
	for i := range int(b.width) {
		if b.lane(i)&c.lane(i) != 0 {
			return false
		}
	}
	return true
}

// promised16Signed: the source promises that the value fits 16 bits, signed;
// conversions marked mp carry that promise.
func promised16Signed(_ *matcher, _ *bind) bool { return true }

// promised16Unsigned: the same, unsigned.
func promised16Unsigned(_ *matcher, _ *bind) bool { return true }

// isBitCount: from 1 to 32.
func isBitCount(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v >= 1 && v <= 32 })
}

// productFits: the product of two constants, not zero, does not overflow.
func productFits(_ *matcher, b, c *bind) bool {
	for i := range int(b.width) {
		hi, lo := bits.Mul64(b.lane(i), c.lane(i))
		if hi != 0 || lo > mask(b.def.BitSize) || lo == 0 {
			return false
		}
	}
	return true
}

// ultConst: constant b is below constant c, unsigned.
func ultConst(_ *matcher, b, c *bind) bool {
	for i := range int(b.width) {
		if b.lane(i) >= c.lane(i) {
			return false
		}
	}
	return true
}

// isAboveOne: above 1, signed.
func isAboveOne(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, size uint8) bool { return v > 1 && v>>(size-1) == 0 })
}

// promised16Float: the source promises that 16 bits are precise enough.
func promised16Float(_ *matcher, _ *bind) bool { return true }

// ordered tells of two constants whether f holds of all their components.
func ordered(b, c *bind, f func(x, y uint64, size uint8) bool) bool {
	if !b.def.IsConst() || !c.def.IsConst() {
		return false
	}
	for i := range int(b.width) {
		if !f(b.lane(i), c.lane(i), b.def.BitSize) {
			return false
		}
	}
	return true
}

func signExtend(v uint64, size uint8) int64 { return int64(v<<(64-size)) >> (64 - size) }

// fminOrders and its like: b and c are in the order that makes a clamp of the two
// inner extrema, so that the outer one with b again
// changes nothing.
func fminOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return ir.FloatValue(x, size) >= ir.FloatValue(y, size) })
}

func fmaxOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return ir.FloatValue(x, size) <= ir.FloatValue(y, size) })
}

func iminOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return signExtend(x, size) >= signExtend(y, size) })
}

func imaxOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return signExtend(x, size) <= signExtend(y, size) })
}

func uminOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, _ uint8) bool { return x >= y })
}

func umaxOrders(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, _ uint8) bool { return x <= y })
}

// isMinus: the float b is minus c, c positive.
func isMinus(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool {
		f := ir.FloatValue(y, size)
		return f > 0 && ir.FloatValue(x, size) == -f
	})
}

// isNext: the integer c is one more than b, without overflow.
func isNext(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return y == x+1 && x != mask(size) })
}

// areApart: b and c differ.
func areApart(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, _ uint8) bool { return x != y })
}

// hasOtherBits: b has a bit that c has not.
func hasOtherBits(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, _ uint8) bool { return x&^y != 0 })
}

// masksApart: no bit is in both.
func masksApart(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, _ uint8) bool { return x&y == 0 })
}

// masksFill: each bit is in one of them at least.
func masksFill(_ *matcher, b, c *bind) bool {
	return ordered(b, c, func(x, y uint64, size uint8) bool { return x|y == mask(size) })
}

// maskCoversUshr: the mask c keeps all bits that a shift right by b leaves.
func maskCoversUshr(m *matcher, b, c *bind) bool {
	size := m.root.Def.BitSize
	for i := range int(b.width) {
		left := mask(size) >> (b.lane(i) & uint64(size-1))
		if c.lane(i)&left != left {
			return false
		}
	}
	return true
}

// isOdd: an odd integer.
func isOdd(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v&1 != 0 })
}

// isNotZeroConst: an integer other than 0.
func isNotZeroConst(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v != 0 })
}

// isZeroToOne: a number between 0 and 1, by what makes it.
func isZeroToOne(_ *matcher, b *bind) bool {
	if b.def.IsConst() {
		return each(b, func(v uint64, size uint8) bool {
			f := ir.FloatValue(v, size)
			return f >= 0 && f <= 1 && !math.Signbit(f)
		})
	}
	in := b.def.Instr
	if in.Kind != ir.KindALU {
		return false
	}
	switch in.Op {
	case ir.OpFsat, ir.OpB2f16, ir.OpB2f32, ir.OpB2f64:
		return true
	}
	return false
}

// fits24Bits: an integer that a 32-bit float holds exactly, read as unsigned.
func fits24Bits(_ *matcher, b *bind) bool {
	for i := range int(b.width) {
		if analysis.UintMax(b.def, b.swz.Lane(i)) > 1<<24 {
			return false
		}
	}
	return true
}

// lowBitsSet: a shift count of size bits is the same after the mask.
func lowBitsSet(b *bind, size uint64) bool {
	return each(b, func(v uint64, _ uint8) bool { return v&(size-1) == size-1 })
}

func hasLowBits7(_ *matcher, b *bind) bool  { return lowBitsSet(b, 8) }
func hasLowBits15(_ *matcher, b *bind) bool { return lowBitsSet(b, 16) }
func hasLowBits31(_ *matcher, b *bind) bool { return lowBitsSet(b, 32) }
func hasLowBits63(_ *matcher, b *bind) bool { return lowBitsSet(b, 64) }

// lowBitsClear: a shift count of size bits is the same with it added.
func lowBitsClear(b *bind, size uint64) bool {
	return each(b, func(v uint64, _ uint8) bool { return v&(size-1) == 0 })
}

func isMultiple8(_ *matcher, b *bind) bool  { return lowBitsClear(b, 8) }
func isMultiple16(_ *matcher, b *bind) bool { return lowBitsClear(b, 16) }
func isMultiple32(_ *matcher, b *bind) bool { return lowBitsClear(b, 32) }
func isMultiple64(_ *matcher, b *bind) bool { return lowBitsClear(b, 64) }

// lastIsOne: the last component read is the float 1, of a constant or of a
// vector that is put together.
func lastIsOne(_ *matcher, b *bind) bool {
	c := b.swz.Lane(int(b.width) - 1)
	d := b.def
	if in := d.Instr; in.IsVec() {
		d, c = in.Srcs[c].Def, in.Srcs[c].Swizzle.Lane(0)
	}
	v, ok := d.Const(c)
	return ok && v == ir.FloatBits(1, d.BitSize)
}

// isOneNumber: all components that are read are the same one, or the same constant.
func isOneNumber(_ *matcher, b *bind) bool {
	for c := range int(b.width) {
		if b.swz.Lane(c) != b.swz.Lane(0) && (!b.def.IsConst() || b.lane(c) != b.lane(0)) {
			return false
		}
	}
	return true
}

// isFreeOfPositions: the shader makes no positions, which other shaders might
// have to make again bit by bit.
func isFreeOfPositions(m *matcher, _ *bind) bool {
	if m.root.Block == nil {
		return true
	}
	switch m.root.Block.Impl().Shader.Stage {
	case ir.StageFragment, ir.StageCompute, ir.StageTask:
		return true
	}
	return false
}

// isUlt5: below 5, the shifts that an addition of AGX has.
func isUlt5(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v < 5 })
}

// is5To30: from 5 to 30.
func is5To30(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v >= 5 && v <= 30 })
}

// fitsI32: a signed number of 32 bits, extended.
func fitsI32(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return int64(v) == int64(int32(v)) })
}

// fitsU32: an unsigned number of 32 bits.
func fitsU32(_ *matcher, b *bind) bool {
	return each(b, func(v uint64, _ uint8) bool { return v == uint64(uint32(v)) })
}
