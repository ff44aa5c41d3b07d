package core

import (
	"math"

	"nirc/internal/emu"
)

// sfu is an operation of the special function unit, whose results are not rounded.
type sfu emu.Approx

// The operations of category 4 and how far off they may be. No page of the vendor's says; the
// bounds are the widest with which the reference's code, one instruction and what is said
// below, is within Vulkan's "Precision and Operation of SPIR-V Instructions", whose tests it
// passes (ir3.md §3.6).
var (
	// A quotient is a product with the reciprocal, and may be off by 2.5.
	sfuRcp = &sfu{F: func(a float64) float64 { return 1 / a }, Single: emu.Ulps(1), Half: emu.Ulps(1)}
	sfuRsq = &sfu{F: func(a float64) float64 { return 1 / math.Sqrt(a) }, Single: emu.Ulps(2), Half: emu.Ulps(2)}
	// Direct3D, which the vendor's driver for Windows implements, wants 1; Vulkan is content with 1/rsq.
	sfuSqrt = &sfu{F: math.Sqrt, Single: emu.Ulps(1), Half: emu.Ulps(1)}
	// A natural logarithm is a product with this one.
	sfuLog2 = &sfu{F: emu.Log2, Single: emu.LogBound(0x1p-21, 1), Half: emu.LogBound(0x1p-7, 1)}
	// So is the argument of e^x.
	sfuExp2 = &sfu{F: math.Exp2, Single: emu.Ulps(3), Half: emu.Ulps(1)}
	// Of [-pi, pi], to which the code brings angles: 2^-11 in Vulkan, but a script of its tests sees half of that.
	// Direct3D has results end at 1.
	sfuSin = &sfu{F: ofAngle(math.Sin), Single: emu.Within(0x1p-12), Half: emu.Within(0x1p-8), Limit: 1}
	sfuCos = &sfu{F: ofAngle(math.Cos), Single: emu.Within(0x1p-12), Half: emu.Within(0x1p-8), Limit: 1}
)

// mostAngle is pi, and what rounding adds to it where code brings an angle there.
const mostAngle = math.Pi * (1 + 0x1p-20)

// ofAngle is a function of the angles that the unit takes. Nothing is known of others: they give no number.
func ofAngle(f func(float64) float64) func(float64) float64 {
	return func(a float64) float64 {
		if math.Abs(a) > mostAngle {
			return math.NaN()
		}
		return f(a)
	}
}

// alu is the operation with rounded results.
func (o *sfu) alu() aluInfo {
	t := float1(o.F)
	t.approx = o
	return t
}

// run computes d of a as hardware of a seed may.
func (o *sfu) run(seed uint64, d, a []uint32, x *inst) {
	f := (*emu.Approx)(o)
	for i := range d {
		if x.ext != 0 {
			d[i] = toH(f.At(seed, 16, float64(h2f(a[i]))))
		} else {
			d[i] = fromF(float32(f.At(seed, 32, float64(toF(a[i])))))
		}
	}
}
