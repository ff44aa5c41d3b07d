package core

import (
	"math"

	"nirc/backend/midgard/isa"
	"nirc/internal/emu"
	"nirc/internal/lazy"
)

// lutOps are the operations of the lookup unit, whose results are not rounded, and how far
// off they may be. The vendor does not say; the bounds are the widest with which the
// reference's code, one instruction and what is said below, is within the limits that
// OpenGL ES 3.1 and Vulkan share (midgard.md §4.2). They are computed at 32 bits or more.
var lutOps = lazy.Value[map[isa.Op]*emu.Approx]{Make: func() map[isa.Op]*emu.Approx {
	return map[isa.Op]*emu.Approx{
		// A quotient is a product with the reciprocal, and may be off by 2.5.
		isa.OpFrcp:   {F: func(a float64) float64 { return 1 / a }, Single: emu.Ulps(1), Half: emu.Ulps(1)},
		isa.OpFrsqrt: {F: func(a float64) float64 { return 1 / math.Sqrt(a) }, Single: emu.Ulps(2), Half: emu.Ulps(2)},
		// As 1/inversesqrt.
		isa.OpFsqrt: {F: math.Sqrt, Single: emu.Ulps(3), Half: emu.Ulps(3)},
		// A natural logarithm is a product with this one.
		isa.OpFlog2: {F: emu.Log2, Single: emu.LogBound(0x1p-21, 1), Half: emu.LogBound(0x1p-7, 1)},
		// So is the argument of e^x.
		isa.OpFexp2: {F: math.Exp2, Single: emu.Ulps(3), Half: emu.Ulps(1)},
		// Of [-1, 1] half turns: half of Vulkan's 2^-11, as on other hardware.
		isa.OpFsinpi: {F: sinpi, Single: emu.Within(0x1p-12), Half: emu.Within(0x1p-8), Limit: 1},
		isa.OpFcospi: {F: cospi, Single: emu.Within(0x1p-12), Half: emu.Within(0x1p-8), Limit: 1},
	}
}}
