package analysis

import (
	"math/bits"

	"nirc/ir"
)

// modDepth bounds how far up LowBits follows a value.
const modDepth = 7

// LowBits returns the lowest bits of component c of d as far as they are the
// same whenever the value is computed: n of them, in v. So d mod 2^n = v. It
// keeps no state.
func LowBits(d *ir.Def, c int) (n uint8, v uint64) {
	l := lowBits(d, c, modDepth)
	return l.n, l.v
}

// AlignOf returns the largest power of two mul and the off below it with
// component c of d = off mod mul that LowBits can show; mul is at most 2^31.
func AlignOf(d *ir.Def, c int) (mul, off uint32) {
	n, v := LowBits(d, c)
	n = min(n, 31)
	return 1 << n, uint32(v & (1<<n - 1))
}

// low are the n lowest bits of a value.
type low struct {
	n uint8
	v uint64
}

// cut returns the lowest n bits of l.
func (l low) cut(n uint8) low {
	n = min(n, l.n)
	if n < 64 {
		l.v &= 1<<n - 1
	}
	return low{n, l.v}
}

// common returns the bits in which two agree.
func (l low) common(m low) low {
	n := min(l.n, m.n)
	return l.cut(min(n, uint8(bits.TrailingZeros64(l.v^m.v))))
}

// zeros is how many of the lowest bits are known to be 0.
func (l low) zeros() uint8 { return min(l.n, uint8(bits.TrailingZeros64(l.v))) }

func lowBits(d *ir.Def, c, depth int) low {
	if v, ok := d.Const(c); ok {
		return low{d.BitSize, v}
	}
	in := d.Instr
	if depth == 0 {
		return low{}
	}
	switch {
	case in.Kind == ir.KindPhi && len(in.Srcs) > 0:
		return lowBitsOfPhi(in, c, depth)
	case in.IsVec():
		return lowBits(in.Srcs[c].Def, in.Srcs[c].Swizzle.Lane(0), depth-1)
	case in.Kind != ir.KindALU || in.Op.Info().Horizontal():
		return low{}
	}
	return lowBitsOfOp(in, c, func(k int) low {
		return lowBits(in.Srcs[k].Def, in.Srcs[k].Swizzle.Lane(c), depth-1)
	}).cut(d.BitSize)
}

// lowBitsOfPhi returns what all sources agree in. A source that is the phi
// plus a multiple of 2^k keeps k bits.
func lowBitsOfPhi(in *ir.Instr, c, depth int) low {
	l := low{n: 64}
	first := true
	for i := range in.Srcs {
		s := in.Srcs[i].Def
		if s == &in.Def {
			continue
		}
		var m low
		if step, ok := stepOf(s, &in.Def, c); ok {
			l = l.cut(lowBits(step.Def, step.Swizzle.Lane(c), depth-1).zeros())
			continue
		}
		// Two ways up from here: half the depth bounds the tree.
		if m = lowBits(s, c, depth/2); first {
			l, first = m.cut(l.n), false
		} else {
			l = l.common(m)
		}
		if l.n == 0 {
			break
		}
	}
	if first {
		return low{}
	}
	return l
}

// stepOf returns what is added to the same component of phi to give s.
func stepOf(s, phi *ir.Def, c int) (*ir.Src, bool) {
	in := s.Instr
	if !in.IsALU(ir.OpIadd) {
		return nil, false
	}
	for k := range 2 {
		if in.Srcs[k].Def == phi && in.Srcs[k].Swizzle.Lane(c) == c {
			return &in.Srcs[1-k], true
		}
	}
	return nil, false
}

func lowBitsOfOp(in *ir.Instr, c int, src func(int) low) low {
	switch in.Op {
	case ir.OpMov, ir.OpU2u8, ir.OpU2u16, ir.OpI2i8, ir.OpI2i16:
		return src(0)
	case ir.OpU2u32, ir.OpU2u64, ir.OpI2i32, ir.OpI2i64:
		return src(0) // what widening adds stands above
	case ir.OpIadd:
		a, b := src(0), src(1)
		return low{64, a.v + b.v}.cut(min(a.n, b.n))
	case ir.OpIsub:
		a, b := src(0), src(1)
		return low{64, a.v - b.v}.cut(min(a.n, b.n))
	case ir.OpIneg:
		a := src(0)
		return low{64, -a.v}.cut(a.n)
	case ir.OpImul, ir.OpAmul:
		a, b := src(0), src(1)
		return low{64, a.v * b.v}.cut(min(a.n+b.zeros(), b.n+a.zeros(), 64))
	case ir.OpIshl:
		if k, ok := in.Srcs[1].Const(c); ok {
			s := uint8(k) & (in.Def.BitSize - 1)
			a := src(0)
			return low{64, a.v << s}.cut(min(a.n+s, 64))
		}
		a := src(0)
		return low{64, 0}.cut(a.zeros())
	case ir.OpUshr, ir.OpIshr:
		if k, ok := in.Srcs[1].Const(c); ok {
			s := uint8(k) & (in.Def.BitSize - 1)
			if a := src(0); a.n > s {
				return low{a.n - s, a.v >> s}
			}
		}
	case ir.OpIand:
		return masked(src(0), src(1), 0)
	case ir.OpIor:
		return masked(src(0), src(1), ^uint64(0))
	case ir.OpIxor:
		a, b := src(0), src(1)
		return low{64, a.v ^ b.v}.cut(min(a.n, b.n))
	case ir.OpBcsel, ir.OpB32csel:
		return src(1).common(src(2))
	}
	return low{}
}

// masked combines two by and (dominant 0) or or (dominant all ones): above
// what is known of both, a known bit that decides is enough.
func masked(a, b low, dominant uint64) low {
	if a.n > b.n {
		a, b = b, a
	}
	v := a.v & b.v
	if dominant != 0 {
		v = a.v | b.v
	}
	n := a.n
	for n < b.n && b.v>>n&1 == dominant&1 {
		v = v&^(1<<n) | dominant&(1<<n)
		n++
	}
	return low{64, v}.cut(n)
}
