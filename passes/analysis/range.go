package analysis

import (
	"math"
	"math/bits"

	"nirc/ir"
)

// FloatSet is a set of classes of floats: what a value may be.
type FloatSet uint8

// Classes. FloatFrac says that the value may have a fractional part; the
// others split the floats by sign. Denormals count as zero too, since they may
// be flushed.
const (
	FloatNeg FloatSet = 1 << iota // below zero, -inf included
	FloatZero
	FloatPos
	FloatInf
	FloatNaN
	FloatFrac

	floatAny = FloatNeg | FloatZero | FloatPos | FloatInf | FloatNaN | FloatFrac
)

// rangeDepth bounds how far up the questions here follow a value.
const rangeDepth = 6

// FloatRange returns what the n components of d that swz picks may be, read as
// floats of d's size. It looks at the instructions that made the value, a few
// levels up, and keeps no state.
func FloatRange(d *ir.Def, swz ir.Swizzle, n int) FloatSet {
	return floatRange(d, swz, n, rangeDepth)
}

func floatRange(d *ir.Def, swz ir.Swizzle, n, depth int) FloatSet {
	in := d.Instr
	switch {
	case in.Kind == ir.KindLoadConst && d.BitSize >= 16:
		s := FloatSet(0)
		for i := range n {
			s |= classify(in.Imm[swz.Lane(i)], d.BitSize)
		}
		return s
	case in.Kind != ir.KindALU || depth == 0 || in.Op.Info().Horizontal():
		return floatAny
	}
	return floatOp(in, func(k int) FloatSet {
		return floatRange(in.Srcs[k].Def, swz.Compose(in.Srcs[k].Swizzle), n, depth-1)
	})
}

// floatOp returns what a per-component operation may give, by what its sources may be.
func floatOp(in *ir.Instr, src func(k int) FloatSet) FloatSet {
	d := &in.Def
	switch in.Op {
	case ir.OpMov:
		return src(0)
	case ir.OpBcsel, ir.OpB32csel:
		return src(1) | src(2)
	case ir.OpB2f16, ir.OpB2f32, ir.OpB2f64:
		return FloatZero | FloatPos
	case ir.OpU2f16, ir.OpU2f32, ir.OpU2f64:
		return FloatZero | FloatPos | infIfHalf(d)
	case ir.OpI2f16, ir.OpI2f32, ir.OpI2f64:
		return FloatNeg | FloatZero | FloatPos | infIfHalf(d)
	case ir.OpFsat:
		return src(0)&(FloatPos|FloatFrac) | FloatZero
	case ir.OpFabs:
		return flip(src(0)&FloatNeg) | src(0)&^FloatNeg
	case ir.OpFneg:
		return flip(src(0))
	}
	return floatArith(in, src)
}

// infIfHalf: conversions of integers to 16-bit floats may overflow.
func infIfHalf(d *ir.Def) FloatSet {
	if d.BitSize == 16 {
		return FloatInf
	}
	return 0
}

func floatArith(in *ir.Instr, src func(int) FloatSet) FloatSet {
	switch in.Op {
	case ir.OpFmul:
		return mulRange(in, src(0), src(1))
	case ir.OpFadd:
		return addRange(src(0), src(1))
	case ir.OpFfma:
		m := src(0)
		square := in.Srcs[0].Def == in.Srcs[1].Def && in.Srcs[0].Swizzle == in.Srcs[1].Swizzle
		if !square {
			return addRange(mulSigns(m, src(1)), src(2))
		}
		return addRange(squareSigns(m), src(2))
	case ir.OpFmin:
		a, b := src(0), src(1)
		return minMax(a, b, FloatPos)
	case ir.OpFmax:
		a, b := src(0), src(1)
		return minMax(a, b, FloatNeg)
	case ir.OpFfloor:
		s := src(0) &^ FloatFrac
		return s | FloatZero
	case ir.OpFceil, ir.OpFtrunc, ir.OpFroundEven:
		return src(0)&^FloatFrac | FloatZero
	case ir.OpFexp2:
		return FloatZero | FloatPos | FloatFrac | FloatInf | src(0)&FloatNaN
	case ir.OpFsqrt:
		s := src(0)
		r := s & (FloatZero | FloatPos | FloatInf | FloatNaN | FloatFrac)
		if s&FloatPos != 0 {
			r |= FloatFrac
		}
		if s&FloatNeg != 0 {
			r |= FloatNaN
		}
		return r
	case ir.OpFsign:
		return src(0)&(FloatNeg|FloatPos) | FloatZero
	case ir.OpFsin, ir.OpFcos:
		r := FloatNeg | FloatZero | FloatPos | FloatFrac
		if s := src(0); s&(FloatNaN|FloatInf) != 0 {
			r |= FloatNaN
		}
		return r
	}
	return floatAny
}

// classify returns the classes of one constant.
func classify(v uint64, size uint8) FloatSet {
	f := ir.FloatValue(v, size)
	minNormal := 0x1p-1022
	switch size {
	case 16:
		minNormal = 0x1p-14
	case 32:
		minNormal = 0x1p-126
	}
	s := FloatSet(0)
	switch {
	case f != f:
		return FloatNaN
	case f > 0:
		s = FloatPos
	case f < 0:
		s = FloatNeg
	}
	if math.Abs(f) < minNormal {
		s |= FloatZero
	}
	if math.IsInf(f, 0) {
		return s | FloatInf
	}
	if f != math.Trunc(f) {
		s |= FloatFrac
	}
	return s
}

// flip exchanges the signs.
func flip(s FloatSet) FloatSet {
	r := s &^ (FloatNeg | FloatPos)
	if s&FloatNeg != 0 {
		r |= FloatPos
	}
	if s&FloatPos != 0 {
		r |= FloatNeg
	}
	return r
}

func mulRange(in *ir.Instr, a, b FloatSet) FloatSet {
	x, y := &in.Srcs[0], &in.Srcs[1]
	if x.Def == y.Def && x.Swizzle.Same(y.Swizzle, int(in.Def.NumComponents)) {
		return squareSigns(a)
	}
	return mulSigns(a, b)
}

// squareSigns is what a value times itself may be.
func squareSigns(a FloatSet) FloatSet {
	r := a&(FloatNaN|FloatFrac) | FloatZero // underflow
	if a&(FloatNeg|FloatPos) != 0 {
		r |= FloatPos | FloatInf
	}
	return r
}

func mulSigns(a, b FloatSet) FloatSet {
	r := (a|b)&(FloatNaN|FloatFrac) | FloatZero
	if a&FloatPos != 0 && b&FloatPos != 0 || a&FloatNeg != 0 && b&FloatNeg != 0 {
		r |= FloatPos | FloatInf
	}
	if a&FloatPos != 0 && b&FloatNeg != 0 || a&FloatNeg != 0 && b&FloatPos != 0 {
		r |= FloatNeg | FloatInf
	}
	if a&FloatInf != 0 && b&FloatZero != 0 || b&FloatInf != 0 && a&FloatZero != 0 {
		r |= FloatNaN
	}
	return r
}

func addRange(a, b FloatSet) FloatSet {
	r := (a | b) &^ FloatZero
	if r&(FloatNeg|FloatPos) != 0 {
		r |= FloatInf
	}
	if a&FloatInf != 0 && b&FloatInf != 0 && r&(FloatNeg|FloatPos) == FloatNeg|FloatPos {
		r |= FloatNaN
	}
	if r&(FloatNeg|FloatPos) == FloatNeg|FloatPos || a&b&FloatZero != 0 {
		r |= FloatZero
	}
	return r
}

// minMax: a side of the sign that loses survives only if both may have it or
// the other may be NaN.
func minMax(a, b, loses FloatSet) FloatSet {
	r := (a | b) &^ FloatNaN
	if a&b&loses == 0 && (a|b)&FloatNaN == 0 {
		r &^= loses
	}
	// A zero loses like that as well, against a value surely on the other side.
	wins := FloatNeg
	if loses == FloatNeg {
		wins = FloatPos
	}
	if (a&(FloatZero|loses|FloatNaN) == 0 && a&wins != 0) || (b&(FloatZero|loses|FloatNaN) == 0 && b&wins != 0) {
		r &^= FloatZero
	}
	return r | a&b&FloatNaN
}

// UintMax returns an upper bound of component c of d, read as an unsigned integer.
func UintMax(d *ir.Def, c int) uint64 { return uintRange(d, c, rangeDepth).Max }

// Interval is a set of unsigned integers: those from Min to Max.
type Interval struct{ Min, Max uint64 }

// join returns the smallest interval that holds both.
func (i Interval) join(j Interval) Interval { return Interval{min(i.Min, j.Min), max(i.Max, j.Max)} }

// fullRange holds all values of d's size.
func fullRange(d *ir.Def) Interval { return Interval{0, ^uint64(0) >> (64 - d.BitSize)} }

func uintRange(d *ir.Def, c, depth int) Interval {
	in := d.Instr
	if v, ok := d.Const(c); ok {
		return Interval{v, v}
	}
	if in.Kind == ir.KindIntrinsic {
		return sysvalRange(in, c)
	}
	if depth > 0 && in.Kind == ir.KindPhi {
		if r, ok := counterRange(in, depth); ok {
			return r
		}
	}
	if in.Kind != ir.KindALU || depth == 0 || in.Op.Info().Horizontal() {
		return fullRange(d)
	}
	return uintOp(in, func(k int) Interval {
		return uintRange(in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(c), depth-1)
	})
}

// uintOp returns the range of one component of a per-component operation by
// the ranges of the sources' components.
func uintOp(in *ir.Instr, src func(k int) Interval) Interval {
	full := fullRange(&in.Def)
	all := full.Max
	switch in.Op {
	case ir.OpMov:
		return src(0)
	case ir.OpU2u8, ir.OpU2u16, ir.OpU2u32, ir.OpU2u64:
		if s := src(0); s.Max <= all {
			return s
		}
	case ir.OpIand:
		return Interval{0, min(src(0).Max, src(1).Max)}
	case ir.OpUmin:
		a, b := src(0), src(1)
		return Interval{min(a.Min, b.Min), min(a.Max, b.Max)}
	case ir.OpIor:
		a, b := src(0), src(1)
		return Interval{max(a.Min, b.Min), min(all, upToMask(a.Max|b.Max))}
	case ir.OpIxor:
		return Interval{0, min(all, upToMask(src(0).Max|src(1).Max))}
	case ir.OpUmax:
		a, b := src(0), src(1)
		return Interval{max(a.Min, b.Min), max(a.Max, b.Max)}
	case ir.OpBcsel, ir.OpB32csel:
		return src(1).join(src(2))
	case ir.OpB2i8, ir.OpB2i16, ir.OpB2i32, ir.OpB2i64:
		return Interval{0, 1}
	case ir.OpExtractU8:
		return Interval{0, min(all, 0xff)}
	case ir.OpExtractU16:
		return Interval{0, min(all, 0xffff)}
	}
	if r, ok := signedOp(in, src, all>>1); ok {
		return r
	}
	return uintArith(in, src, full)
}

// signedOp returns the range of an operation on signed integers, up to most, whose result is known not to be negative.
func signedOp(in *ir.Instr, src func(k int) Interval, most uint64) (Interval, bool) {
	switch in.Op {
	case ir.OpImin:
		a, b := src(0), src(1)
		return Interval{min(a.Min, b.Min), min(a.Max, b.Max)}, max(a.Max, b.Max) <= most
	case ir.OpImax:
		// Where one is negative, it is the other.
		a, b := src(0), src(1)
		if a.Max > most {
			a, b = b, a
		}
		if b.Max > most {
			b = Interval{0, most}
		}
		return Interval{max(a.Min, b.Min), max(a.Max, b.Max)}, a.Max <= most
	case ir.OpIabs:
		return Interval{0, most + 1}, true
	case ir.OpIrem:
		a := src(0)
		return Interval{0, a.Max}, a.Max <= most
	case ir.OpI2i16, ir.OpI2i32, ir.OpI2i64:
		a := src(0)
		return a, a.Max <= fullRange(in.Srcs[0].Def).Max>>1 && a.Max <= most
	}
	return Interval{}, false
}

func uintArith(in *ir.Instr, src func(int) Interval, full Interval) Interval {
	switch in.Op {
	case ir.OpIadd:
		a, b := src(0), src(1)
		if s, carry := bits.Add64(a.Max, b.Max, 0); carry == 0 && s <= full.Max {
			return Interval{a.Min + b.Min, s}
		}
	case ir.OpIsub:
		if a, b := src(0), src(1); a.Min >= b.Max {
			return Interval{a.Min - b.Max, a.Max - b.Min}
		}
	case ir.OpUmulHigh:
		if full.Max == math.MaxUint32 {
			a, b := src(0), src(1)
			return Interval{a.Min * b.Min >> 32, a.Max * b.Max >> 32}
		}
	case ir.OpImul, ir.OpAmul:
		a, b := src(0), src(1)
		if hi, p := bits.Mul64(a.Max, b.Max); hi == 0 && p <= full.Max {
			return Interval{a.Min * b.Min, p}
		}
	case ir.OpIshl:
		n, a := src(1), src(0)
		if k := n.Max; n.Min == k && k < uint64(in.Def.BitSize) && a.Max <= full.Max>>k {
			return Interval{a.Min << k, a.Max << k}
		}
	case ir.OpUshr:
		n, a := src(1), src(0)
		if n.Min == n.Max {
			k := n.Max & uint64(in.Def.BitSize-1)
			return Interval{a.Min >> k, a.Max >> k}
		}
		return Interval{0, a.Max}
	case ir.OpUmod:
		a, m := src(0), src(1)
		if m.Min > 0 {
			return Interval{0, min(m.Max-1, a.Max)}
		}
		return Interval{0, a.Max}
	case ir.OpUdiv:
		a, m := src(0), src(1)
		if m.Min > 0 {
			return Interval{a.Min / m.Max, a.Max / m.Min}
		}
	case ir.OpBitCount:
		return Interval{0, uint64(in.Srcs[0].Def.BitSize)}
	}
	return full
}

// upToMask returns the smallest 2^n - 1 that is at least v.
func upToMask(v uint64) uint64 { return 1<<bits.Len64(v) - 1 }
