package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// multiplyAdd translates OpFmaKHR (SPV_KHR_fma), which rounds once whatever it costs.
func (t *translator) multiplyAdd(in *inst) {
	x := t.floatLike(in, 0, nil)
	y, z := t.floatLike(in, 1, x), t.floatLike(in, 2, x)
	if t.typeOf(in.typ).scalarType().encoding != 0 {
		t.refuse(in.id, "%s of floats for conversions alone is not supported", in.op)
	}
	o := t.s.Options
	if x.BitSize == 16 && o.SplitFfma16 || x.BitSize == 32 && o.SplitFfma32 {
		t.set(in, t.exactly(func() *ir.Def { return t.wideMultiplyAdd(x, y, z) }))
		return
	}
	t.set(in, t.exactly(func() *ir.Def { return t.f.b.Ffma(x, y, z) }))
}

// wideMultiplyAdd is x·y + z rounded once, where the hardware's rounds twice: by floats of twice the size, in which the product is
// exact. Their sum is rounded to odd, as its error says, so that the rounding that follows is the only one that counts (S. Boldo and
// G. Melquiond, Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd).
func (t *translator) wideMultiplyAdd(x, y, z *ir.Def) *ir.Def {
	b := t.f.b
	wide, narrow := ir.OpF2f32, ir.OpF2f16Rtne
	if x.BitSize == 32 {
		wide, narrow = ir.OpF2f64, ir.OpF2f32
	}
	bits := 2 * x.BitSize
	p, c := b.Fmul(b.ALU(wide, x), b.ALU(wide, y)), b.ALU(wide, z)
	sum := b.Fadd(p, c)
	part := b.Fsub(sum, p)
	err := b.Fadd(b.Fsub(p, b.Fsub(sum, part)), b.Fsub(c, part)) // exact; not a number where the sum is no number
	one, zero := t.f.constant(bits, 1), t.f.constant(bits, 0)
	even := b.Ieq(b.Iand(sum, one), zero)
	off := b.Flt(zero, b.Fabs(err))
	step := b.Bcsel(b.Ilt(b.Ixor(sum, err), zero), t.f.constant(bits, ^uint64(0)), one) // towards what was rounded away
	return b.ALU(narrow, b.Bcsel(b.Iand(even, off), b.Iadd(sum, step), sum))
}

// brainDot translates OpDot of vectors of bfloat16: products and sums of floats of 32 bits, rounded in the end.
func (t *translator) brainDot(in *inst) *ir.Def {
	b := t.f.b
	x := t.vector(t.arg(in, 0))
	y := t.vector(t.arg(in, 1))
	if x.NumComponents != y.NumComponents || t.valType(in.args[1]).scalarType().encoding != bfloat16 || x.NumComponents < 2 {
		t.fail(in.id, "%s: the operands do not have one type", in.op)
	}
	var sum *ir.Def
	for k := range int(x.NumComponents) {
		p := b.Fmul(t.fromBrain(b.Channel(x, k)), t.fromBrain(b.Channel(y, k)))
		if sum != nil {
			p = b.Fadd(sum, p)
		}
		sum = p
	}
	return t.toBrain(sum)
}

// fragmentMask translates SPV_AMD_shader_fragment_mask. Images of the targets hold a value for each sample: fragment i is that of sample
// i, four bits for each in the mask.
func (t *translator) fragmentMask(in *inst) bool {
	if in.op != spv.OpFragmentMaskFetchAMD && in.op != spv.OpFragmentFetchAMD {
		return false
	}
	_, ty := t.opaqueOf(t.arg(in, 0), tImage)
	if !ty.image.ms {
		t.fail(in.id, "%s is not of a multisampled image", in.op)
	}
	if in.op == spv.OpFragmentMaskFetchAMD {
		t.set(in, t.f.u32(0x76543210))
		return true
	}
	x := *in
	x.op, x.args = spv.OpImageFetch, []uint32{t.arg(in, 0), t.arg(in, 1), uint32(spv.ImageOperandsSample), t.arg(in, 2)}
	if ty.image.dim == spv.DimSubpassData {
		x.op = spv.OpImageRead
	}
	return t.image(&x)
}

// interpolateAtVertex translates InterpolateAtVertexAMD of SPV_AMD_shader_explicit_vertex_parameter.
func (t *translator) interpolateAtVertex(in *inst) {
	p := t.ptr(t.arg(in, 0))
	d := t.derefOf(p)
	ty := d.Instr.DerefInfo().Type
	if p.mode != ir.ModeShaderIn || !ty.IsVectorOrScalar() {
		t.fail(in.id, "InterpolateAtVertexAMD is not of an input")
	}
	v := &t.f.b.Intrinsic(ir.IntrInterpDerefAtVertex, ty.Rows, ty.Bits, d, t.intVector(t.arg(in, 1), 1, 32)).Def
	if p.comp != nil {
		v = t.extract(v, p.comp)
	}
	t.set(in, v)
}
