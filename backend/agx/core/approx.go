package core

import (
	"math"

	"nirc/backend/agx/isa"
	"nirc/internal/emu"
	"nirc/internal/lazy"
)

// approxOps are the operations whose results hardware does not round, and how far off they
// may be. Of rcp agx.md §5.2 says it; the other bounds are the narrower of two: those that
// the Metal Shading Language Specification gives in fast mode, for which one instruction
// is emitted, and the widest with which the reference's code is within Vulkan's.
var approxOps = lazy.Value[map[isa.Op]*emu.Approx]{Make: func() map[isa.Op]*emu.Approx {
	return map[isa.Op]*emu.Approx{
		isa.OpRcp:          {F: func(x float64) float64 { return 1 / x }, Single: emu.Ulps(1), Half: emu.Ulps(1)},
		isa.OpRsqrt:        {F: rsqrt, Single: emu.Ulps(2), Half: emu.Ulps(1)},
		isa.OpRsqrtSpecial: {F: rsqrtSpecial, Single: emu.Ulps(2), Half: emu.Ulps(1)},
		isa.OpLog2:         {F: emu.Log2, Single: emu.LogBound(0x1p-21, 1), Half: emu.LogBound(0x1p-10, 1)},
		isa.OpExp2:         {F: math.Exp2, Single: emu.Ulps(3), Half: emu.Ulps(1)},
		isa.OpSinPt2:       {F: sinPt2, Single: emu.Within(0x1p-13), Half: emu.Within(0x1p-11)},
	}
}}

func rsqrt(x float64) float64 {
	if x == 0 {
		return math.Copysign(math.Inf(1), x)
	}
	return 1 / math.Sqrt(x)
}

// rsqrtSpecial is chosen so that x * rsqrt_special(x) is sqrt(x).
func rsqrtSpecial(x float64) float64 {
	if x == 0 || math.IsInf(x, 1) {
		return 1
	}
	return rsqrt(x)
}

// sinPt2 is sin(t*pi/2)/t.
func sinPt2(t float64) float64 {
	if t == 0 {
		return math.Pi / 2
	}
	return math.Sin(t*math.Pi/2) / t
}
