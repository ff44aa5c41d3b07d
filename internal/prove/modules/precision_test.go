package modules

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"nirc"
	"nirc/internal/emu"
	"nirc/ir"
	"nirc/ir/interp"
)

// This file tells the results that a shader leaves open from wrong ones: those that hang
// on more digits than Vulkan promises, or on what came to no number. Its shader runs on
// the interpreter once more, and each operation is off by a part of what is allowed.

// imprecisionRuns is how often a shader is run to explain a difference. What is compared
// with a threshold after a hash differs once in a while only. It may take imprecisionTime:
// what is not explained by then counts as wrong.
const (
	imprecisionRuns = 1200
	imprecisionTime = 20 * time.Second
)

// openNumbers are taken for results that are no number, or infinite, one in each run. Without
// SignedZeroInfNanPreserve an implementation may assume that there are none. Quotients and clamps tell a small one from the others.
var openNumbers = []float32{0.71, -3.3, 250, 0.0013}

// lodStep is the distance of the LODs that queries give: hardware has 8 fraction bits (ir3.md §3.7), and as many
// are what Vulkan's mipmapPrecisionBits are there.
const lodStep = 1.0 / 256

// ulp32 is the distance of floats from 1 on.
const ulp32 = 1.0 / (1 << 23)

// imprecision computes as another implementation may.
type imprecision struct {
	seed     uint64 // 0: as precise as can be
	number   float32
	infinite bool             // number stands for infinite results, too
	preserve ir.FloatControls // of the shader
}

// alter returns another result of an operation of floats that is as good as result: of
// 64-bit ones if it is no number, of 32-bit ones any.
func (p *imprecision) alter(in *ir.Instr, s *[4]uint64, vecs [][]uint64, result uint64) uint64 {
	bits := in.Def.BitSize
	if in.Kind == ir.KindTex && in.TexOp == ir.TexOpLod {
		return p.lod(in, result)
	}
	if bits < 32 || in.Op.Info().Out.Class != ir.ClassFloat {
		return result
	}
	preserve := p.preserve | in.FastMath
	none := p.number != 0 && !preserve.Has(ir.FCNaNPreserve, bits) // there are no NaNs
	if bits == 64 {
		if x := math.Float64frombits(result); none && x != x {
			return math.Float64bits(float64(p.number))
		}
		return result
	}
	r := float32At(result)
	switch {
	case r != r || in.Op == ir.OpFpow && math.Abs(float32At(s[0])) < tiny && float32At(s[1]) < tiny: // undefined by GLSL.std.450 where x is 0
		if none {
			return uint64(math.Float32bits(p.number))
		}
		return result
	case math.IsInf(r, 0) && p.infinite && !preserve.Has(ir.FCInfPreserve, bits):
		return uint64(math.Float32bits(p.number))
	case p.seed == 0 || math.IsInf(r, 0):
		return result
	case vecs != nil:
		r += p.part(in, result) * dotSlack(in, vecs)
	case in.Op == ir.OpFmod || in.Op == ir.OpFrem:
		r = p.modulo(in, s, result)
	default:
		d := slack(in, s, r)
		r += p.part(in, result) * d
		if wave := in.Op == ir.OpFsin || in.Op == ir.OpFcos; wave && math.Abs(r) <= d && p.seed%2 == 0 {
			r = 0 // hardware that counts in turns has quarters of them exactly
		}
	}
	return uint64(math.Float32bits(float32(r)))
}

// lod is the result of a query of 32 bits, to half a step.
func (p *imprecision) lod(in *ir.Instr, result uint64) uint64 {
	if r := float32At(result); p.seed != 0 && in.Def.BitSize == 32 && !math.IsInf(r, 0) {
		return uint64(math.Float32bits(float32(r + p.part(in, result)*lodStep/2)))
	}
	return result
}

// tiny is the smallest number that nobody takes for 0.
const tiny = 0x1p-126

func float32At(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

// part is a number from -1 to 1 that goes by the seed, the place and the result.
func (p *imprecision) part(in *ir.Instr, result uint64) float64 {
	h := (p.seed<<32 | uint64(in.Def.Index)) * 0x9e3779b97f4a7c15
	h = (h ^ h>>29 ^ result) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>32) * 0x94d049bb133111eb
	return float64(int64(h)) / (1 << 63)
}

// slack is how far the result r of an operation may be off by Vulkan's "Precision and
// Operation of SPIR-V Instructions", or less. Sums and products that are exact stay so;
// where they are not, a fused operation or another order may round another way.
func slack(in *ir.Instr, s *[4]uint64, r float64) float64 {
	ulp := math.Abs(r) * ulp32
	a, b, c := float32At(s[0]), float32At(s[1]), float32At(s[2])
	switch in.Op {
	case ir.OpFadd, ir.OpFsub, ir.OpFmul, ir.OpFfma, ir.OpFlrp:
		return sumSlack(in, a, b, c, r)
	case ir.OpFdiv, ir.OpFrcp:
		return 2.5 * ulp
	case ir.OpFrsq:
		return 2 * ulp
	case ir.OpFsqrt: // 1 / inversesqrt
		return 4.5 * ulp
	case ir.OpFexp2:
		return (3 + 2*math.Abs(a)) * ulp
	case ir.OpFlog2:
		return logSlack(a, r)
	case ir.OpFpow: // exp2(b * log2(a))
		if a <= 0 {
			return 0
		}
		l := math.Log2(a)
		return (3+2.5*math.Abs(b*l))*ulp + math.Abs(r*b)*math.Ln2*logSlack(a, l)
	case ir.OpFsin: // 2^-11 are allowed up to pi, beyond anything is; ranges are reduced in floats
		return 4*ulp32 + 2*ulp32*math.Abs(a*math.Cos(a))
	case ir.OpFcos:
		return 4*ulp32 + 2*ulp32*math.Abs(a*math.Sin(a))
	}
	return 0
}

// logSlack is what the logarithm l of a may be off.
func logSlack(a, l float64) float64 {
	if a >= 0.5 && a <= 2 {
		return 4 * ulp32
	}
	return 3 * ulp32 * math.Abs(l)
}

// sumSlack is slack of sums and products, which NoContraction makes precise.
func sumSlack(in *ir.Instr, a, b, c, r float64) float64 {
	exact, size := r, math.Abs(r)
	switch in.Op {
	case ir.OpFadd:
		exact = a + b
	case ir.OpFsub:
		exact = a - b
	case ir.OpFmul:
		exact = a * b
	case ir.OpFfma:
		exact, size = a*b+c, math.Abs(a*b)+math.Abs(c)
	case ir.OpFlrp:
		exact, size = a*(1-c)+b*c, math.Abs(a*(1-c))+math.Abs(b*c)
	}
	if in.Exact || exact == r {
		return 0
	}
	return size * ulp32
}

// dotSlack is slack of a scalar product.
func dotSlack(in *ir.Instr, vecs [][]uint64) (sum float64) {
	if in.Op != ir.OpFdot2 && in.Op != ir.OpFdot3 && in.Op != ir.OpFdot4 || in.Exact {
		return 0
	}
	for i, a := range vecs[0] {
		sum += math.Abs(float32At(a) * float32At(vecs[1][i]))
	}
	return sum * ulp32
}

// modulo is a - b * floor(a/b), or with the quotient cut, from a quotient that is off: at a
// whole number it may come to either side.
func (p *imprecision) modulo(in *ir.Instr, s *[4]uint64, result uint64) float64 {
	a, b := float32At(s[0]), float32At(s[1])
	q := a / b * (1 + 2.5*ulp32*p.part(in, result))
	if in.Op == ir.OpFrem {
		q = math.Trunc(q)
	} else {
		q = math.Floor(q)
	}
	if r := a - b*q; q == q && !math.IsInf(q, 0) {
		return r
	}
	return float32At(result)
}

// alteredRun runs a shader with the operations that p makes of its own.
type alteredRun func(p *imprecision) ([]worldMemory, error)

// altered is the alteredRun of the case.
func (c *agreeCase) altered(ctx context.Context, s *ir.Shader, lanes int) alteredRun {
	return func(p *imprecision) ([]worldMemory, error) {
		p.preserve = s.Info.FloatControls
		prog, err := interp.New(s, interp.Options{WaveSize: lanes, Alter: p.alter})
		if err != nil {
			return nil, err
		}
		return c.run(ctx, prog, agreeBudget, agreeRun{})
	}
}

// allowImprecision makes those words of want loose on which got differs and that
// implementations need not agree on.
func (c *agreeCase) allowImprecision(ctx context.Context, want, got []worldMemory, lanes int) error {
	if !c.lanesMatter {
		lanes = 32
	}
	s, err := nirc.Translate(ctx, c.m, c.o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, imprecisionTime)
	defer cancel()
	err = explain(want, got, c.tolerance(), c.altered(ctx, s, lanes))
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// explain makes words of want loose that altered runs leave otherwise, until got differs
// in no other.
func explain(want, got []worldMemory, tolerance float64, run alteredRun) error {
	numbers := uint64(len(openNumbers))
	for n := range 2*numbers + imprecisionRuns {
		if differ(want, got, tolerance) == "" {
			return nil
		}
		p := &imprecision{number: openNumbers[n%numbers], infinite: n >= numbers && n < 2*numbers}
		if n >= 2*numbers {
			p.seed = n - 2*numbers + 1
		}
		other, err := run(p)
		if errors.Is(err, emu.ErrTimeout) { // a loop that goes by a number that is open
			continue
		}
		if err != nil {
			return err
		}
		loosen(want, other, tolerance/8)
	}
	return nil
}

// TestImprecision lets shaders compute what implementations may differ on and what they
// may not, and gives results that are all wrong: the latter must not be explained.
func TestImprecision(t *testing.T) {
	number := func(b *ir.Builder, v float64) *ir.Def { return b.ImmFloat(v, 32) }
	zeros := func(b *ir.Builder, x *ir.Def) *ir.Def {
		z := b.Fsub(x, x)
		return b.Fmin(b.Fdiv(z, z), b.ImmFloat(0.5, x.BitSize))
	}
	large := func(b *ir.Builder, x *ir.Def) *ir.Def {
		return b.Fmin(b.Fdiv(number(b, 1), b.Fsub(x, x)), number(b, 3))
	}
	preserve := ir.FloatControls(0).With(ir.FCNaNPreserve, 32)
	for _, tc := range []struct {
		name     string
		f        func(b *ir.Builder, x *ir.Def) *ir.Def
		controls ir.FloatControls
		open     bool
	}{
		{"a sum", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fadd(x, number(b, 0.1)) }, 0, false},
		{"a root", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fsqrt(x) }, 0, false},
		{"a power", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fpow(x, number(b, 2.2)) }, 0, false},
		{"a sine", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fsin(b.Fmul(x, number(b, 40))) }, 0, false},
		{"the sine of a large number, scaled", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.Ffract(b.Fmul(b.Fsin(b.Fmul(x, number(b, 272.0972))), number(b, 10802.5892)))
		}, 0, true},
		{"whether the sine of pi is zero", func(b *ir.Builder, x *ir.Def) *ir.Def {
			pi := b.Fadd(b.Fmul(x, number(b, 0)), number(b, math.Pi))
			return b.Bcsel(b.Fneu(b.Fsin(pi), number(b, 0)), number(b, 1), number(b, 2))
		}, 0, true},
		{"whether the sine of a third is zero", func(b *ir.Builder, x *ir.Def) *ir.Def {
			third := b.Fadd(b.Fmul(x, number(b, 0)), number(b, 1.0/3))
			return b.Bcsel(b.Fneu(b.Fsin(third), number(b, 0)), number(b, 1), number(b, 2))
		}, 0, false},
		{"the floor of an exact product", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ffloor(b.Fmul(x, number(b, 16))) }, 0, false},
		{"the floor of a quotient", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Ffloor(b.Fdiv(x, number(b, 1.0/16))) }, 0, true},
		{"a remainder", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fmod(x, number(b, 1.0/16)) }, 0, true},
		{"a small difference", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.Fsub(b.Fadd(b.Fsqrt(x), number(b, 1.1e6)), number(b, 1.1e6))
		}, 0, true},
		{"an exact small difference", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.Fsub(b.Fadd(x, number(b, 1<<16)), number(b, 1<<16))
		}, 0, false},
		{"a sum of products", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.Fdot2(b.Vec(x, number(b, 1.1)), b.Vec(x, number(b, 3)))
		}, 0, false},
		{"a power of a negative number", func(b *ir.Builder, x *ir.Def) *ir.Def {
			return b.Fmax(b.Fpow(b.Fneg(x), number(b, 2)), number(b, 0))
		}, 0, true},
		{"0/0 of doubles", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.F2f32(zeros(b, b.F2f64(x))) }, 0, true},
		{"0/0 of doubles, preserved", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.F2f32(zeros(b, b.F2f64(x))) }, ir.FloatControls(0).With(ir.FCNaNPreserve, 64), false},
		{"0/0", zeros, 0, true},
		{"0/0, preserved", zeros, preserve, false},
		{"0 to the power of 0", func(b *ir.Builder, x *ir.Def) *ir.Def {
			z := b.Fsub(x, x)
			return b.Fpow(z, z)
		}, 0, true},
		{"0 to the power of a positive number", func(b *ir.Builder, x *ir.Def) *ir.Def { return b.Fpow(b.Fsub(x, x), number(b, 2)) }, 0, false},
		{"1/0", large, 0, true},
		{"1/0, preserved", large, ir.FloatControls(0).With(ir.FCInfPreserve, 32), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if loose, left := explainWrong(t, tc.f, tc.controls); loose != tc.open || !loose && left == "" {
				t.Errorf("explained: %t, want %t; left is %q", loose, tc.open, left)
			}
		})
	}
}

// explainWrong explains wrong outputs of a vertex shader that computes f of an attribute,
// and reports whether a word became loose and what of the differences is left.
func explainWrong(t *testing.T, f func(b *ir.Builder, x *ir.Def) *ir.Def, controls ir.FloatControls) (loose bool, left string) {
	t.Helper()
	s := ir.NewShader(ir.StageVertex, nil)
	s.Info.FloatControls = controls
	fn := s.NewFunction("main")
	fn.IsEntry = true
	float := ir.VectorType(ir.BaseFloat, 32, 1)
	in, out := s.NewVariable(ir.ModeShaderIn, float, "in"), s.NewVariable(ir.ModeShaderOut, float, "out")
	in.Location, out.Location = int32(ir.SlotAttrib0), int32(ir.SlotVar0)
	b := ir.NewBuilder(ir.AtEnd(fn.Impl.Start()))
	b.StoreVar(out, f(b, b.LoadVar(in)), 1)
	if err := ir.Validate(s); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(s))
	}
	c := &agreeCase{m: &nirc.Module{Name: "test"}, o: nirc.Options{Target: nirc.IRTarget, Stage: s.Stage}, s: s}
	run := c.altered(t.Context(), s, 32)
	want, err := run(&imprecision{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(&imprecision{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		for k := range got[i].data {
			got[i].data[k] ^= 0x55
		}
	}
	kept := want
	want = looseCopy(want)
	if err := explain(want, got, c.tolerance(), run); err != nil {
		t.Fatal(err)
	}
	if diff := differ(kept, got, c.tolerance()); diff == "" {
		t.Error("what other targets are compared with became loose")
	}
	for i := range want {
		loose = loose || slices.Contains(want[i].loose, true)
	}
	return loose, differ(want, got, c.tolerance())
}
