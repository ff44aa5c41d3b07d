package spirv

import (
	"nirc/frontend/spirv/spv"
	"nirc/ir"
)

// packRow is an instruction that packs or unpacks: the operand's and the
// result's shapes come from the operation's row.
var packTable = [...]struct {
	num spv.GLSLstd450
	op  ir.Op
}{
	{spv.GLSLstd450PackSnorm4x8, ir.OpPackSnorm4x8},
	{spv.GLSLstd450PackUnorm4x8, ir.OpPackUnorm4x8},
	{spv.GLSLstd450PackSnorm2x16, ir.OpPackSnorm2x16},
	{spv.GLSLstd450PackUnorm2x16, ir.OpPackUnorm2x16},
	{spv.GLSLstd450PackHalf2x16, ir.OpPackHalf2x16},
	{spv.GLSLstd450PackDouble2x32, ir.OpPack64_2x32},
	{spv.GLSLstd450UnpackSnorm4x8, ir.OpUnpackSnorm4x8},
	{spv.GLSLstd450UnpackUnorm4x8, ir.OpUnpackUnorm4x8},
	{spv.GLSLstd450UnpackSnorm2x16, ir.OpUnpackSnorm2x16},
	{spv.GLSLstd450UnpackUnorm2x16, ir.OpUnpackUnorm2x16},
	{spv.GLSLstd450UnpackHalf2x16, ir.OpUnpackHalf2x16},
	{spv.GLSLstd450UnpackDouble2x32, ir.OpUnpack64_2x32},
}

func (t *translator) glslPack(in *inst, n spv.GLSLstd450) bool {
	for i := range packTable {
		if packTable[i].num != n {
			continue
		}
		x := t.vector(t.arg(in, 0))
		want := packTable[i].op.Info().In[0]
		if x.NumComponents != want.Comps || want.Bits != 0 && x.BitSize != want.Bits || want.Bits == 0 && x.BitSize != 32 {
			t.fail(in.id, "%s: the operand has the wrong shape", n)
		}
		t.set(in, t.f.b.ALU(packTable[i].op, x))
		return true
	}
	return false
}

// glslOther translates what has two results or works on memory.
func (t *translator) glslOther(in *inst, n spv.GLSLstd450) bool {
	b := t.f.b
	switch n {
	case spv.GLSLstd450Modf, spv.GLSLstd450ModfStruct:
		x := t.floatLike(in, 0, nil)
		whole := b.Ftrunc(x)
		part := b.Fsub(x, whole)
		part = b.Bcsel(b.Feq(b.Fabs(x), t.infinity(x.BitSize)), t.float1(0, x), part)
		t.twoResults(in, n == spv.GLSLstd450Modf, t.copySign(part, x), whole)
	case spv.GLSLstd450Frexp, spv.GLSLstd450FrexpStruct:
		x := t.floatLike(in, 0, nil)
		t.twoResults(in, n == spv.GLSLstd450Frexp, b.FrexpSig(x), b.FrexpExp(x))
	case spv.GLSLstd450Ldexp:
		x := t.floatLike(in, 0, nil)
		e := t.intVector(t.arg(in, 1), x.NumComponents, 0)
		if e.BitSize == 64 {
			lim := uint64(10000)
			e = b.Imax(b.Imin(e, t.f.constant(64, lim)), t.f.constant(64, -lim))
		}
		t.set(in, b.Ldexp(x, t.signExtend(e, 32)))
	case spv.GLSLstd450InterpolateAtCentroid, spv.GLSLstd450InterpolateAtSample, spv.GLSLstd450InterpolateAtOffset:
		t.interpolateAt(in, n)
	default:
		return false
	}
	return true
}

// twoResults stores the second result through operand 1, or makes a struct.
func (t *translator) twoResults(in *inst, store bool, x, y *ir.Def) {
	if store {
		p := t.ptr(t.arg(in, 1))
		c, bits := uint8(0), uint8(0)
		if p.typ.numeric() {
			c, bits = p.typ.shape()
		}
		if y.BitSize == 32 && p.typ.numeric() && p.typ.isInt() {
			y = t.signExtend(y, bits)
		}
		if c != y.NumComponents || bits != y.BitSize {
			t.fail(in.id, "the second result does not fit the pointer's type")
		}
		t.storeLeaf(p, y)
		t.set(in, x)
		return
	}
	ty := t.typeOf(in.typ)
	if ty.kind != tStruct || len(ty.members) != 2 || !ty.members[1].numeric() {
		t.fail(in.id, "the result type is not a struct of two members")
	}
	if m := ty.members[1]; m.isInt() {
		y = t.signExtend(y, m.scalarType().bits)
	}
	l := t.leaves.Slice(2)
	l[0], l[1] = x, y
	t.setLeaves(in, ty, l)
}

// interpolateAt translates the interpolation functions; a component of a
// vector is taken after the whole is interpolated.
func (t *translator) interpolateAt(in *inst, n spv.GLSLstd450) {
	b := t.f.b
	p := t.ptr(t.arg(in, 0))
	d := t.derefOf(p)
	ty := d.Instr.DerefInfo().Type
	if c := baryCoordOf(d); c != nil {
		v := t.baryCoordAt(in, n, c)
		if d.Instr.Deref == ir.DerefArray {
			v = t.extract(v, d.Instr.Srcs[1].Def)
		}
		if p.comp != nil {
			v = t.extract(v, p.comp)
		}
		t.set(in, v)
		return
	}
	if p.mode != ir.ModeShaderIn || !ty.IsVectorOrScalar() || ty.Base != ir.BaseFloat {
		t.fail(in.id, "%s is not of a float input", n)
	}
	if t.stage != ir.StageFragment {
		t.broken(ruleModels, in.id, "%s in a %s shader", n, t.stage)
	}
	var r *ir.Instr
	switch n {
	case spv.GLSLstd450InterpolateAtCentroid:
		r = b.Intrinsic(ir.IntrInterpDerefAtCentroid, ty.Rows, ty.Bits, d)
	case spv.GLSLstd450InterpolateAtSample:
		r = b.Intrinsic(ir.IntrInterpDerefAtSample, ty.Rows, ty.Bits, d, t.intVector(t.arg(in, 1), 1, 32))
	default:
		off := t.floatVector(t.arg(in, 1), 2, 0)
		if off.BitSize != 32 {
			off = b.F2f32(off)
		}
		r = b.Intrinsic(ir.IntrInterpDerefAtOffset, ty.Rows, ty.Bits, d, off)
	}
	v := &r.Def
	if p.comp != nil {
		v = t.extract(v, p.comp)
	}
	t.set(in, v)
}

// baryCoordOf returns the built-in of SPV_KHR_fragment_shader_barycentric that a
// pointer is to, or to a component of, and nil if it is to none.
func baryCoordOf(d *ir.Def) *ir.Variable {
	at := d.Instr
	if at.Kind == ir.KindDeref && at.Deref == ir.DerefArray {
		at = at.Srcs[0].Def.Instr
	}
	if at.Kind != ir.KindDeref || at.Deref != ir.DerefVar {
		return nil
	}
	v := at.DerefInfo().Var
	if b := spv.BuiltIn(v.BuiltIn); v.Mode != ir.ModeSystemValue || b != spv.BuiltInBaryCoordKHR && b != spv.BuiltInBaryCoordNoPerspKHR {
		return nil
	}
	return v
}

// baryCoordAt builds the weights of the three vertices at another place than
// the built-in's own.
func (t *translator) baryCoordAt(in *inst, n spv.GLSLstd450, v *ir.Variable) *ir.Def {
	b := t.f.b
	var r *ir.Instr
	switch n {
	case spv.GLSLstd450InterpolateAtCentroid:
		r = b.Intrinsic(ir.IntrLoadBarycentricCentroid, 2, 32)
	case spv.GLSLstd450InterpolateAtSample:
		r = b.Intrinsic(ir.IntrLoadBarycentricAtSample, 2, 32, t.intVector(t.arg(in, 1), 1, 32))
	default:
		off := t.floatVector(t.arg(in, 1), 2, 0)
		if off.BitSize != 32 {
			off = b.F2f32(off)
		}
		r = b.Intrinsic(ir.IntrLoadBarycentricAtOffset, 2, 32, off)
	}
	mode := ir.InterpSmooth
	if spv.BuiltIn(v.BuiltIn) == spv.BuiltInBaryCoordNoPerspKHR {
		mode = ir.InterpNoPerspective
	}
	r.Set(ir.IdxInterpMode, uint64(mode))
	i, j := b.Channel(&r.Def, 0), b.Channel(&r.Def, 1)
	return b.Vec(b.Fsub(b.Fsub(b.ImmFloat(1, 32), i), j), i, j)
}
